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
from attn_core.interventions.opened import about, answers
from attn_core.interventions.orders import by_value, heads_that_can_go
from attn_core.interventions.random_sets import sets_alike
from attn_core.interventions.runner import run_ablation
from attn_core.interventions.settings import AblationSettings
from attn_core.models.files import ModelSpec
from attn_core.models.loading import load
from attn_core.models.records import LoadedModel
from attn_core.study.corpus import Corpus
from attn_core.texts.documents import read_document, samples
from attn_core.texts.passages import Passage, read_passages
from attn_core.ui import readings
from attn_core.ui.choice import TextKey
from attn_core.ui.interventions.pruning_part import chosen_on
from attn_core.ui.runs.watching import ELSEWHERE
from attn_core.ui.widgets.escape import plain
from attn_core.ui.widgets.head_names import in_names, parsed
from tests.families import Folder
from tests.study.made_up import write_corpus
from tests.ui import pages
from tests.ui.pages import healthy, settled

TEXT = "A refrain"


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
    loaded = load(ModelSpec(model))
    return loaded, windows(loaded)[0]


def windows(loaded: LoadedModel) -> Sequence[Passage]:
    return read_passages(read_document(text_of(TEXT), "en"), loaded.tokenizer, loaded.max_tokens)


def text_of(title: str) -> str:
    return next(sample.text for sample in samples() if sample.title == title)


def big_number(app: AppTest) -> tuple[str, str]:
    (metric,) = [one for one in app.metric if one.label == "Change of the sentence embedding"]
    return metric.value, metric.delta


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
    assert f"**{rank} of 16 sets with as many heads" in told


@pytest.mark.parametrize(("address", "at"), [({}, 0), ({"window": "2"}, 1)])
def test_the_effect_is_that_of_the_first_window_unless_another_is_chosen(
    model: str, address: dict[str, str], at: int
) -> None:
    title = "Six topics of uneven length"
    loaded = load(ModelSpec(model))
    passages = read_passages(read_document(text_of(title), "en"), loaded.tokenizer, loaded.max_tokens)
    effects = effects_of(loaded, passages[at], [[head] for head in every_head(3, 4)]).embedding
    app = opened(model, text=title, off="L2H1", **address)
    assert healthy(app)
    others = np.delete(effects, 4)
    assert big_number(app) == (f"{effects[4]:.2%}", f"other heads: {others.min():.2%} to {others.max():.2%}")
    said = f"This page reads window 1 of {len(passages)} alone"
    assert any(said in caption.value for caption in app.caption) == (not address)


def test_heads_go_off_and_come_back_on(model: str) -> None:
    app = opened(model, off="L2H1")
    app.button(key="off-a").click().run()
    assert app.text_input(key="off").value == "L1H1 L2H1"
    app.button(key="off-none").click().run()
    assert app.text_input(key="off").value == ""
    assert healthy(settled(app))


def test_a_head_that_is_not_there_gets_one_sentence_and_the_others_go(model: str) -> None:
    app = opened(model, off="L2H1 L9H1")
    (warning,) = app.warning
    assert warning.value.startswith("There is no L9H1 in this model") and not app.exception
    assert big_number(app)[0] != "0.00%"


def test_heads_are_measured_one_by_one_and_the_estimate_is_held_against_them(
    model: str, read_by: tuple[LoadedModel, Passage]
) -> None:
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
    assert any(agreement in caption.value for caption in app.caption)


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
    for order in ("least important first", "random"):
        assert curve_of(app, order)["effect"].iloc[-1] == pytest.approx(everything, rel=1e-4)
    other = max(windows(loaded)[1:], key=len)
    heads = by_value(estimated_importance(loaded, other))
    counts = curve_of(app, "least important first")["removed"].tolist()
    expected = effects_of(loaded, here, [heads[:count] for count in counts]).embedding
    assert curve_of(app, "least important first")["effect"].to_numpy() == pytest.approx(expected, rel=1e-4)
    (told,) = [caption.value for caption in app.caption if "At an effect of at most 5.0%" in caption.value]
    assert f"**{heads_that_can_go(counts, expected, 0.05)}** least important first" in told
    assert f"chosen on window {other.index + 1} of this text" in told


def test_an_order_is_chosen_on_another_window_or_another_text(model: str) -> None:
    long = TextKey(ModelSpec(model), samples()[0].text, "en", "plain", 1)
    longest = max((p for p in readings.passages(long) if p.index != 1), key=len).index
    assert chosen_on(long).key == long.at(longest) and chosen_on(long).in_words == f"window {longest + 1} of this text"
    short = replace(long, text="A short text. It has one window.", window=0)
    assert chosen_on(short).key.text == samples()[0].text
    german = chosen_on(replace(short, language="de"))
    assert german.key.text == next(s.text for s in samples() if s.language == "de")
    other = chosen_on(replace(short, language="fr")).key
    assert (other.text, other.language) == (samples()[0].text, samples()[0].language)


def test_a_model_without_a_language_model_head_gets_one_sentence(model: str) -> None:
    app = opened(model, **{"open-entropy": "true"})
    assert healthy(app)
    assert any("hold no language-model head" in caption.value.replace("\\", "") for caption in app.caption)


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
    made = run_ablation(corpus, spec, ablations / "two", AblationSettings("heads", ("L1H2", "L3"), "zero"))
    app = opened(model, **{"open-ablation": "true"})
    assert healthy(app)
    (told,) = answers(made)
    assert plain(told) in [block.value for block in app.markdown] and "moves by" in told
    assert app.selectbox(key="ablation").value == "two"
    table = next(frame.value for frame in app.dataframe if "chance_effect" in frame.value)
    assert table["effect"].tolist() == made.table("effects")["effect"].tolist()
    assert plain(f"two: {about(made)}") in [block.value for block in app.caption] and "4 texts" in about(made)
    app.button(key="off-ablation").click().run()
    assert (app.text_input(key="off").value, app.selectbox(key="replace").value) == ("L1H2 L3", "zero")
    assert healthy(settled(app))


def test_a_folder_without_removed_heads_gets_one_sentence(model: str, ablations: Path, tmp_path: Path) -> None:
    app = opened(model, ablation=ELSEWHERE, **{"open-ablation": "true"})
    assert healthy(app) and any("attn_core ablate TEXTS" in caption.value for caption in app.caption)
    app.text_input(key="ablation_folder").set_value(str(tmp_path)).run()
    (warning,) = app.warning
    assert "holds no ablation" in warning.value and not app.exception


def test_names_of_heads_are_read_as_they_are_written() -> None:
    heads = (Head(0, 1), Head(1, 0), Head(1, 1), Head(1, 2), Head(2, 2))
    assert in_names(heads, 3) == "L1H2 L2 L3H3"
    assert parsed("L1H2 L2 L3H3", 3, 3) == (heads, [])
    assert parsed("H1, l2h2", 2, 3) == ((Head(0, 0), Head(1, 0), Head(1, 1)), [])
