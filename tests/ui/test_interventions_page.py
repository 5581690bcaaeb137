"""The Interventions page with a tiny model: heads off in the address, their effect beside chance, work in the background."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from attn_core.head import Head, every_head
from attn_core.interventions.effects import effects_of, estimated_importance
from attn_core.interventions.labels import Labelled, embeddings_without, labelled_rightly
from attn_core.interventions.opened import answers
from attn_core.interventions.orders import Greedy, by_value, go_on, heads_that_can_go, pruning_curve
from attn_core.interventions.random_sets import sets_alike
from attn_core.interventions.runner import ablate
from attn_core.interventions.settings import AblationSettings
from attn_core.interventions.tasks import choices, margins_without, named_rightly, pk_without
from attn_core.models.files import ModelSpec, as_it_lies
from attn_core.models.intervention import BY_MEAN
from attn_core.models.loading import load
from attn_core.models.records import LoadedModel
from attn_core.patterns.gap import read_gap
from attn_core.report.of_ablation import about, charts_of
from attn_core.study.corpus import Corpus
from attn_core.texts.documents import read_document, samples
from attn_core.texts.passages import Passage, read_passages
from attn_core.ui.caches import prefetch, readings, removals
from attn_core.ui.choice import Choice, TextKey
from attn_core.ui.interventions.effect import sentence as effect_sentence
from attn_core.ui.interventions.pruning_part import chosen_on, where_chosen
from attn_core.ui.interventions.tasks import PRONOUNS, SEGMENTS, TASKS, sentence
from attn_core.ui.runs.kinds import ELSEWHERE
from attn_core.ui.widgets.escape import plain
from attn_core.ui.widgets.head_names import in_names, parsed
from attn_core.ui.widgets.uploads import Upload, kept
from tests.families import Folder
from tests.patterns.made_up import gap_file
from tests.study.made_up import SENTENCES, write_corpus
from tests.ui import pages
from tests.ui.pages import healthy, settled

TEXT = "A refrain"
TITLES = {task.name: task.title for task in TASKS}


def opened(model: str, **address: str) -> AppTest:
    return settled(pages.opened("pages/7_Interventions.py", **{"model": model, "text": TEXT} | address))


def begun(app: AppTest, key: str) -> AppTest:
    """The page with what a button begins, where an earlier visit did not ask for it."""
    for button in [button for button in app.button if button.key == key]:
        button.click().run()
    return settled(app)


@pytest.fixture(scope="module")
def model(tiny_folder: Folder) -> str:
    return str(tiny_folder("bert"))


@pytest.fixture(scope="module")
def read_by(model: str) -> tuple[LoadedModel, Passage]:
    loaded = load(as_it_lies(ModelSpec(model)))
    return loaded, windows(loaded)[0]


def windows(loaded: LoadedModel) -> Sequence[Passage]:
    return read_passages(read_document(text_of(TEXT), "en"), loaded.tokenizer, loaded.max_tokens)


def text_of(title: str) -> str:
    return next(sample.text for sample in samples() if sample.title == title)


def big_number(app: AppTest) -> tuple[str, str]:
    (metric,) = [one for one in app.metric if one.label == "Change of the sentence embedding"]
    return metric.value, metric.delta


def test_with_all_heads_on_nothing_changes_and_a_hint_says_what_to_do(model: str) -> None:
    app = opened(model)
    assert healthy(app)
    assert big_number(app) == ("0.00%", "no head is off")
    assert any("heads off on the map" in info.value for info in app.info)


def test_the_address_takes_heads_off_and_their_effect_stands_beside_that_of_random_ones(
    model: str, read_by: tuple[LoadedModel, Passage]
) -> None:
    app = opened(model, off="L2H1 L3H2")
    assert healthy(app)
    heads = (Head(1, 0), Head(2, 1))
    sets = sets_alike(heads, (3, 4))
    effects = effects_of(*read_by, [heads, *sets]).embedding
    low, high = effects[1:].min(), effects[1:].max()
    assert len(sets) == 15  # 4 x 4 sets, themselves aside
    assert big_number(app) == (f"{effects[0]:.2%}", f"chance: {low:.2%} to {high:.2%}")
    told = next(caption.value for caption in app.caption if caption.value.startswith("Without L2H1, L3H2"))
    further = int((effects[1:] >= effects[0]).sum())
    rank = {0: "most", 15: "least"}.get(further, f"as number {1 + further}")
    assert f"**{rank} of 16 sets with as many heads" in told and "p = " not in told  # which could not be below 1/16


def test_one_head_is_held_against_all_others_of_the_model(model: str) -> None:
    app = opened(model, off="L2H1")
    assert healthy(app)
    assert any("of 12 heads of the model, each alone" in caption.value for caption in app.caption)


def test_a_rank_has_a_p_among_random_sets_where_the_strongest_could_have_one_below_luck() -> None:
    others = np.linspace(0.001, 0.03, 71)
    alone = effect_sentence("L6H8", 0.05, others, True)
    assert "**most of 72 heads of the model, each alone**" in alone and "p =" not in alone
    assert "**more than chance** (p = 0.01" in effect_sentence("L6H8 and L6H9", 0.05, others, False)
    assert "**less than chance** (p = 0.01" in effect_sentence("L1H1 and L1H2", 0.0001, others, False)
    few = effect_sentence("L6H8 and L6H9", 0.05, others[:11], False)
    assert "**most of 12 sets" in few and "chance" not in few


@pytest.mark.parametrize(("address", "at"), [({}, 0), ({"window": "2"}, 1)])
def test_the_effect_is_that_of_the_first_window_unless_another_is_chosen(
    model: str, address: dict[str, str], at: int
) -> None:
    title = "Six topics of uneven length"
    loaded = load(as_it_lies(ModelSpec(model)))
    passages = read_passages(read_document(text_of(title), "en"), loaded.tokenizer, loaded.max_tokens)
    effects = effects_of(loaded, passages[at], [[head] for head in every_head(3, 4)]).embedding
    app = opened(model, text=title, off="L2H1", **address)
    assert healthy(app)
    others = np.delete(effects, 4)
    assert big_number(app) == (f"{effects[4]:.2%}", f"other heads: {others.min():.2%} to {others.max():.2%}")
    said = f"This page reads window 1 of {len(passages)} alone"
    assert any(said in caption.value for caption in app.caption) == (not address)


def test_undo_and_all_back_on(model: str) -> None:
    app = opened(model, off="L2H1")
    app.button(key="off-layer-2").click().run()
    assert app.text_input(key="off").value == "L2H1 L3"
    app.button(key="off-layer-2").click().run()
    assert app.text_input(key="off").value == "L2H1"
    app.button(key="off-undo").click().run()
    assert app.text_input(key="off").value == "L2H1 L3"
    app.button(key="off-none").click().run()
    assert app.text_input(key="off").value == ""
    app.button(key="off-undo").click().run()
    assert app.text_input(key="off").value == "L2H1 L3"
    app.button(key="off-a").click().run()
    assert app.text_input(key="off").value == "L1H1 L2H1 L3"
    assert healthy(settled(app))


def test_a_head_that_is_not_there_gets_one_sentence_and_the_others_go(model: str) -> None:
    app = opened(model, off="L2H1 L9H1")
    (warning,) = app.warning
    assert warning.value.startswith("There is no L9H1 in this model") and not app.exception
    assert big_number(app)[0] != "0.00%"


@pytest.mark.long
def test_all_heads_off_works_and_says_so(model: str) -> None:
    app = opened(model, off="L1 L2 L3")
    assert healthy(app)
    assert any("All heads are off" in caption.value for caption in app.caption)
    assert any("Whole layers are off" in caption.value for caption in app.caption)


def test_heads_are_measured_one_by_one_and_the_estimate_is_held_against_them(
    model: str, read_by: tuple[LoadedModel, Passage], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATTN_CORE_CACHE", str(tmp_path))  # elsewhere another test may have measured them
    app = opened(model, **{"open-importance": "true"})
    said = [caption.value for caption in app.caption]
    assert any("**estimated** at once" in caption for caption in said), said
    app.button(key="measure-heads").click().run()
    app = settled(app)
    measured = effects_of(*read_by, [[head] for head in every_head(3, 4)]).embedding
    estimated = estimated_importance(*read_by).ravel()
    table = next(frame.value for frame in app.dataframe if "measured_importance" in frame.value)
    order = table["layer"].sub(1).mul(4).add(table["head"]).sub(1).to_numpy()
    assert table["measured_importance"].to_numpy() / 100 == pytest.approx(measured[order], rel=1e-4)
    assert table["estimated_importance"].to_numpy() / 100 == pytest.approx(estimated[order], rel=1e-4)
    ranks = np.argsort(np.argsort([measured, estimated], axis=1), axis=1)
    agreement = f"rank correlation of {np.corrcoef(ranks)[0, 1]:.2f}"
    again = opened(model)  # in a new session, as after F5
    assert "measure-heads" not in [button.key for button in again.button]
    for page in (app, again):
        assert any(agreement in caption.value and "12 effects are many" in caption.value for caption in page.caption)


@pytest.mark.long
def test_even_attention_is_measured_and_not_estimated(model: str) -> None:
    app = opened(model, replace="even", off="L1H1")
    assert healthy(app)
    assert any("measured, not estimated" in caption.value for caption in app.caption)


def curve_of(app: AppTest, order: str) -> pd.DataFrame:
    table: pd.DataFrame = next(frame.value for frame in app.dataframe if "removed" in frame.value)
    return table[table["order"] == order].assign(effect=table["effect"] / 100)  # shown in percent


def test_curves_end_where_all_heads_are_gone_and_are_chosen_on_another_window(
    model: str, read_by: tuple[LoadedModel, Passage]
) -> None:
    app = opened(model, **{"open-importance": "true", "bar": "5"})
    app = begun(app, "begin-curve")
    assert healthy(app)
    loaded, here = read_by
    everything = effects_of(loaded, here, [every_head(3, 4)]).embedding[0]
    for order in ("least important first", "most redundant first", "random"):
        assert curve_of(app, order)["effect"].iloc[-1] == pytest.approx(everything, rel=1e-4)
    other = max(windows(loaded)[1:], key=len)
    order = by_value(estimated_importance(loaded, other))
    counts = curve_of(app, "least important first")["removed"].tolist()
    expected = pruning_curve(loaded, [here], order, counts)[0]
    assert curve_of(app, "least important first")["effect"].to_numpy() == pytest.approx(expected, rel=1e-4)
    (told,) = [caption.value for caption in app.caption if "At an effect of at most 5.0%" in caption.value]
    assert f"**{heads_that_can_go(counts, expected, 0.05)}** least important first" in told
    assert f"chosen on window {other.index + 1} of this text" in told
    again = opened(model, bar="5")
    assert "begin-curve" not in [button.key for button in again.button]
    assert told in [caption.value for caption in again.caption]


@pytest.mark.long
def test_the_greedy_order_is_chosen_on_another_window_too(model: str, read_by: tuple[LoadedModel, Passage]) -> None:
    app = opened(model, **{"open-importance": "true"})
    app = begun(app, "begin-curve")
    app.button(key="begin-greedy").click().run()
    app = settled(app)
    assert healthy(app)
    loaded, here = read_by
    greedy = Greedy((loaded.layers, loaded.heads), 12)
    while go_on(greedy, loaded, [max(windows(loaded)[1:], key=len)]):
        pass
    order = greedy.gone
    expected = pruning_curve(loaded, [here], order, range(1, 13))[0]
    assert curve_of(app, "greedily")["effect"].to_numpy() == pytest.approx(expected, rel=1e-4)


def test_an_order_is_chosen_on_another_window_another_text_or_says_that_it_is_not(model: str) -> None:
    long = TextKey(as_it_lies(ModelSpec(model)), samples()[0].text, "en", "plain", 1)
    longest = max((p for p in readings.passages(long) if p.index != 1), key=len).index
    assert chosen_on(long).key == long.at(longest) and chosen_on(long).in_words == f"window {longest + 1} of this text"
    short = replace(long, text="A short text. It has one window.", window=0)
    assert chosen_on(short).is_other and chosen_on(short).key.text == samples()[0].text
    german = chosen_on(replace(short, language="de"))
    assert german.key.text == next(s.text for s in samples() if s.language == "de")
    alone = chosen_on(replace(short, language="fr"))
    assert not alone.is_other and "look better than they are" in where_chosen(alone)


@pytest.mark.long
def test_the_temperature_of_a_head(model: str) -> None:
    app = opened(model, a="L3H2", temperature="1", **{"open-temperature": "true"})
    (metric,) = [one for one in app.metric if one.label.startswith("Effect of L3H2")]
    assert metric.value == "0.000%"
    app.button(key="begin-temperature").click().run()
    app = settled(app)
    assert healthy(app)
    assert any("at T = 0.1 and" in caption.value and "at T = 10" in caption.value for caption in app.caption)


def test_a_word_is_changed_beside_other_words(model: str) -> None:
    app = opened(model, word_to="sea", **{"open-word": "true"})
    app.button(key="begin-word").click().run()
    app = settled(app)
    assert healthy(app)
    table = next(frame.value for frame in app.dataframe if "matrix_change" in frame.value)
    assert len(table) == 12 and (table["excess"].diff().dropna() <= 0).all()
    assert any("of 12 heads** change more than under each of 10 other words" in block.value for block in app.markdown)


def test_a_model_without_a_language_model_head_gets_one_sentence(model: str) -> None:
    app = opened(model, **{"open-entropy": "true"})
    assert healthy(app)
    assert any("hold no language-model head" in caption.value.replace("\\", "") for caption in app.caption)


def asked(model: str, task: str, files: dict[str, bytes], **address: str) -> AppTest:
    """The page once a task on some files has come to its end."""
    app = opened(model, **{"open-tasks": "true", "task": TITLES[task]}, **address)
    app.session_state[kept(f"{task}_upload")] = [Upload(*file) for file in files.items()]
    app.run().button(key=f"begin-{task}").click().run()
    app = settled(app)
    assert healthy(app)
    return app


def task_table(app: AppTest) -> pd.DataFrame:
    return next(frame.value for frame in app.dataframe if "whole" in frame.value)


def labels_file() -> tuple[list[str], list[str], bytes]:
    texts = [f"{word} {word} and {word}" for word in ("tide", "boat", "rope", "tea", "pier", "sea") for _ in range(2)]
    labels = ["water", "water", "land"] * 4
    rows = "".join(f"{text},{label}\n" for text, label in zip(texts, labels, strict=True))
    return texts, labels, f"text,label\n{rows}".encode()


def gold_files(texts: int) -> dict[str, bytes]:
    """Texts with one boundary each, and one without."""
    made = {f"{n}.txt": "\n".join([*SENTENCES[: 4 + n % 3], "=" * 10, *SENTENCES[-3 - n % 2 :]]) for n in range(texts)}
    return {name: text.encode() for name, text in (made | {"plain.txt": "No boundary here. None."}).items()}


FILES = {"labels": {"labels.csv": labels_file()[2]}, "gap": {"gap.tsv": gap_file(12).encode()}, "gold": gold_files(1)}


def test_labelled_texts_are_classified_with_and_without_the_heads(
    model: str, read_by: tuple[LoadedModel, Passage]
) -> None:
    texts, labels, _ = labels_file()
    app = asked(model, "labels", FILES["labels"], off="L2H1")
    labelled = Labelled(tuple(texts), tuple(labels))
    both = embeddings_without(read_by[0], texts, [(), (Head(1, 0),)])
    whole, without = (100 * labelled_rightly(one, labelled).mean() for one in both)
    (row,) = task_table(app).to_dict("records")
    assert (row["whole"], row["without"], row["chance_whole"]) == pytest.approx((whole, without, 100 * 8 / 12))
    (said,) = [caption.value for caption in app.caption if "Labelled rightly, 12 texts" in caption.value]
    alone = embeddings_without(read_by[0], texts, [(head,) for head in every_head(3, 4)])
    right = [labelled_rightly(one, labelled).sum() for one in alone]
    as_much = sum(number <= right[4] for number in right) - 1  # L2H1 itself aside
    assert f"Of the 11 other heads of the model, each off alone, {as_much} cost as much or more" in said


def test_pronouns_are_told_with_and_without_the_heads(model: str, read_by: tuple[LoadedModel, Passage]) -> None:
    app = asked(model, "gap", FILES["gap"], off="L2H1 L3H2")
    snippets = choices(read_gap(gap_file(12), "gap.tsv"), "gap.tsv")
    both = [
        np.stack([margins_without(read_by[0], one, heads, "mean", "plain") for one in snippets])
        for heads in ((), (Head(1, 0), Head(2, 1)))
    ]
    whole, without = (named_rightly(margins, np.arange(9)).mean() for margins in both)
    (row,) = task_table(app).to_dict("records")
    assert (row["texts"], row["random_sets"]) == (9, 5)
    assert (row["whole"], row["without"], row["chance_whole"]) == pytest.approx((100 * whole, 100 * without, 50))
    said = next(caption.value for caption in app.caption if "is found, 9 texts" in caption.value)
    assert f"{without:.1%} without the heads, {whole:.1%} with all" in said and "5 sets" in said


@pytest.mark.long
def test_gold_texts_are_cut_with_and_without_the_heads(model: str, read_by: tuple[LoadedModel, Passage]) -> None:
    app = asked(model, "gold", gold_files(5), off="L2H1 L3H2", replace="zero")
    gone = (Head(1, 0), Head(2, 1))
    texts = [read_document(data.decode()) for name, data in gold_files(5).items() if name != "plain.txt"]
    whole, without = (
        np.mean([pk_without(read_by[0], text, heads, "zero")[0] for text in texts], axis=0) for heads in ((), gone)
    )
    table = task_table(app)
    assert table["whole"].to_numpy() == pytest.approx(whole) and table["without"].to_numpy() == pytest.approx(without)
    assert table["texts"].tolist() == [5, 5] and table["random_sets"].tolist() == [5, 5]
    chance = np.mean([pk_without(read_by[0], text, (), "zero")[1] for text in texts], axis=0)
    assert table["chance_whole"].to_numpy() == pytest.approx(chance)
    assert any("5 of 6 files have gold boundaries" in block.value for block in app.caption)
    assert sum("number of segments" in block.value and "5 sets" in block.value for block in app.caption) == 2


@pytest.mark.parametrize("task", [task.name for task in TASKS])
def test_with_all_heads_on_a_task_is_done_once(model: str, task: str) -> None:
    table = task_table(asked(model, task, FILES[task]))
    assert table.columns.tolist() == ["quantity", "texts", "whole", "chance_whole"]


def test_what_a_task_says_follows_from_the_interval() -> None:
    row = {"quantity": "Found", "texts": 40, "whole": 0.7, "without": 0.6, "effect": -0.1, "low": -0.15, "high": -0.05}
    row |= {"random_sets": 5, "chance_low": -0.04, "chance_high": 0.01}
    assert "**worse** (-10.0 points, 95% interval over the texts -15.0 to -5.0)" in sentence(PRONOUNS, row)
    assert "**better** (-0.100, 95% interval over the texts -0.150 to -0.050)" in sentence(SEGMENTS, row)
    assert "**no clear change**" in sentence(PRONOUNS, row | {"high": 0.02})
    assert "**better**" in sentence(PRONOUNS, row | {"low": 0.01, "effect": 0.02, "high": 0.03})
    assert "-4.0 to +1.0 points" in sentence(PRONOUNS, row) and "-0.040 to +0.010" in sentence(SEGMENTS, row)
    few = sentence(SEGMENTS, row | {"texts": 1, "low": np.nan, "high": np.nan, "random_sets": 0})
    assert "one text" in few and "**too few texts to tell** (-0.100)" in few and "Whole layers are off" in few


@pytest.mark.parametrize(
    ("task", "file", "says"),
    [
        ("labels", ("labels.csv", b"text,topic\nOne,a\n"), "no column 'label'"),
        ("gap", ("gap.tsv", b"ID\tText\n"), "names no column Pronoun"),
        ("gap", ("gap.tsv", gap_file(3).encode()), "has 3 snippets whose pronoun means one of two names"),
        ("gap", ("gap.tsv", b"\0\1\2"), "looks like a binary file"),
        ("gold", ("a.txt", b"One. Two."), "None of these files has gold boundaries"),
        ("gold", ("a.txt", b"\0\1\2"), "a.txt: This looks like a binary file"),
    ],
)
def test_files_of_another_kind_get_one_sentence(model: str, task: str, file: tuple[str, bytes], says: str) -> None:
    app = opened(model, **{"open-tasks": "true", "task": TITLES[task]})
    app.file_uploader(key=f"{task}_upload").set_value([(*file, "text/plain")]).run()
    (warning,) = app.warning
    assert says in warning.value.replace("\\", "") and not app.exception


@pytest.fixture
def ablations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which ablations lie, empty."""
    monkeypatch.setenv("ATTN_CORE_ABLATIONS", str(tmp_path / "ablations"))
    return tmp_path / "ablations"


@pytest.mark.long
def test_heads_removed_over_many_texts_are_opened_and_taken_off_here(
    model: str, ablations: Path, tmp_path: Path
) -> None:
    corpus, spec = Corpus(str(write_corpus(tmp_path / "texts", texts=4))), ModelSpec(model)
    made = ablate(corpus, spec, ablations / "two", AblationSettings("heads", ("L1H2", "L3"), "zero"))
    app = opened(model, **{"open-ablation": "true"})
    assert healthy(app)
    told, yardstick = answers(made)
    assert {plain(told), plain(yardstick)} <= {block.value for block in app.markdown} and "moves by" in told
    assert app.selectbox(key="ablation").value == "two"
    table = next(frame.value for frame in app.dataframe if "chance_effect" in frame.value)
    assert table["effect"].tolist() == made.table("effects")["effect"].tolist()
    assert plain(f"two: {about(made)}") in [block.value for block in app.caption] and "4 texts" in about(made)
    app.button(key="off-ablation").click().run()
    assert (app.text_input(key="off").value, app.selectbox(key="replace").value) == ("L1H2 L3", "zero")
    assert healthy(settled(app))


@pytest.mark.long
def test_all_of_a_curve_over_many_texts_stands_on_the_page(model: str, ablations: Path, tmp_path: Path) -> None:
    corpus, spec = Corpus(str(write_corpus(tmp_path / "texts", texts=4))), ModelSpec(model)
    made = ablate(corpus, spec, ablations / "all", AblationSettings("curve"))
    app = opened(model, **{"open-ablation": "true"})
    assert healthy(app)
    said = " ".join(block.value for block in app.markdown)
    assert all(plain(sentence) in said for sentence in answers(made)) and "; random " in said
    titles = [one.name for one in charts_of(made)]
    assert titles == ["importance", "pruning-curve", "redundancy"]
    assert not [one for one in app.button if one.key == "off-ablation"], "no heads were chosen"
    for label in app.selectbox(key="ablation_table").options:
        app.selectbox(key="ablation_table").set_value(label).run()
        assert healthy(app), label


def test_a_folder_without_removed_heads_gets_one_sentence(model: str, ablations: Path, tmp_path: Path) -> None:
    app = opened(model, ablation=ELSEWHERE, **{"open-ablation": "true"})
    assert healthy(app) and any("attn_core ablate TEXTS" in caption.value for caption in app.caption)
    app.text_input(key="ablation_folder").set_value(str(tmp_path)).run()
    (warning,) = app.warning
    assert "holds no effects of removing heads" in warning.value and not app.exception


def test_the_best_heads_of_a_pattern_go_off(model: str) -> None:
    app = opened(model, pattern="Same word again", best_of_pattern="2")
    app.button(key="off-pattern").click().run()
    key = TextKey(as_it_lies(ModelSpec(model)), text_of(TEXT), "en", "plain", 0)
    scores = removals.pattern_scores(key, (0,), "Same word again", "dot", None)
    assert scores is not None and np.ptp(scores) > 0
    assert set(app.text_input(key="off").value.split()) == set(map(str, by_value(-scores)[:2]))
    assert healthy(settled(app))


@pytest.mark.long
def test_where_layers_share_weights_a_click_means_one_pass_or_all(model: str, tiny_folder: Folder) -> None:
    assert "passes" not in opened(model).session_state
    shared = str(tiny_folder("albert"))
    app = opened(shared, a="L2H3")
    app.button(key="off-a").click().run()
    assert app.text_input(key="off").value == "L2H3"
    app = opened(shared, a="L2H3", passes="all passes")
    app.button(key="off-a").click().run()
    assert app.text_input(key="off").value == "L1H3 L2H3 L3H3"
    assert healthy(settled(app))


def test_what_removed_heads_put_out_is_found_before_a_click(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = as_it_lies(ModelSpec(model))
    choice = Choice(spec, TEXT, text_of(TEXT))
    steps = [step for step in prefetch.steps(choice) if getattr(step, "func", None) is removals.find_reference]
    assert len(steps) == 1
    steps[0]()

    def never(*_: object) -> None:
        raise AssertionError("this was prepared")

    monkeypatch.setattr("attn_core.models.intervened.mean_outputs", never)
    assert removals.effects(choice.of_one_window.key, [(Head(0, 0),)], BY_MEAN)[0] > 0


def test_names_of_heads_are_read_as_they_are_written() -> None:
    heads = (Head(0, 1), Head(1, 0), Head(1, 1), Head(1, 2), Head(2, 2))
    assert in_names(heads, 3) == "L1H2 L2 L3H3"
    assert parsed("L1H2 L2 L3H3", 3, 3) == (heads, [])
    assert parsed("H1, l2h2", 2, 3) == ((Head(0, 0), Head(1, 0), Head(1, 1)), [])
