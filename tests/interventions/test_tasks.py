"""Pronouns and segments without heads: with all heads they are what `patterns` and `segment` find."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from attn_core.__main__ import main
from attn_core.errors import InputError
from attn_core.head import Head, every_head
from attn_core.interventions.opened import open_ablation
from attn_core.interventions.random_sets import sets_alike
from attn_core.interventions.tasks import margins_without, named_rightly, pk_without, read_gold, read_snippets
from attn_core.models.intervened import intervened
from attn_core.models.intervention import Intervention
from attn_core.models.records import LoadedModel
from attn_core.patterns.opened import open_patterns
from attn_core.segmentation import by_name
from attn_core.segmentation.gold_texts import score_collections
from tests.patterns.made_up import GAP, WORDS, gap_file
from tests.study.made_up import SENTENCES, write_corpus

TinyModel = Callable[[str], LoadedModel]
METHOD = "partition"


@pytest.fixture(scope="module")
def gap(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("gap") / "gap.tsv"
    path.write_text(gap_file(16), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def gold(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five texts with a boundary, of different lengths."""
    folder = tmp_path_factory.mktemp("gold")
    for number in range(5):
        first, second = SENTENCES[: 4 + number % 3], SENTENCES[-3 - number % 2 :]
        text = "\n".join([*first, "==========", *second])
        (folder / f"{number}.txt").write_text(text, encoding="utf-8")
    return folder


def test_the_removed_heads_do_not_answer_and_those_before_them_answer_as_ever(tiny_model: TinyModel, gap: Path) -> None:
    model = tiny_model("bert")
    (first, *_) = read_snippets(gap)
    gone = [Head(1, 2), Head(2, 0)]
    whole, without = (margins_without(model, first, some, "zero", "plain") for some in ([], gone))
    assert whole.shape == (5, 3, 4) and (whole != 0).any(axis=0).all()
    assert (without[:, 1, 2] == 0).all() and (without[:, 2, 0] == 0).all()
    assert without[:, :1] == pytest.approx(whole[:, :1])
    assert (np.abs(without - whole)[:, 2, 1:] > 1e-6).any()


def test_where_no_head_is_left_nothing_is_told(tiny_model: TinyModel, gap: Path) -> None:
    model = tiny_model("bert")
    everything = every_head(model.layers, model.heads)
    margins = np.stack([margins_without(model, one, everything, "mean", "plain") for one in read_snippets(gap)])
    assert (named_rightly(margins, np.arange(len(margins))) == 0.5).all()


def test_heads_are_chosen_on_the_other_half() -> None:
    """A head that is right on the one half alone is of no use: it is asked about the other, where it is wrong."""
    margins = np.full((8, 5, 1, 2), -1.0)
    margins[::2, 0, 0, 1] = 1
    assert (named_rightly(margins, np.arange(8)) == 0).all()
    margins[2, 0, 0, 1] = -1
    margins[:, 1, 0, 1] = 0.5  # right everywhere
    assert (named_rightly(margins, np.arange(8)) == 1).all()


def test_pk_is_that_of_the_benchmark(tiny_model: TinyModel, gold: Path) -> None:
    model = tiny_model("bert")
    gone = (Head(0, 1), Head(2, 3))
    for removal, changed in (((), model), (gone, intervened(model, Intervention(gone, "zero")))):
        expected = score_collections([gold], changed, [by_name(METHOD), by_name("even_cuts")]).set_index(
            ["text", "method", "number_given"]
        )
        for name, document in read_gold(gold).items():
            own, chance = pk_without(model, document, removal, "zero")
            assert own.tolist() == [expected.loc[(name, METHOD, given), "pk"] for given in (True, False)]
            assert chance.tolist() == [
                expected.loc[(name, "even_cuts", True), "pk"],
                expected.loc[(name, "no_cut", False), "pk"],
            ]


@pytest.mark.long
@pytest.mark.slow
def test_the_command_tells_both_beside_random_heads(
    gap: Path, gold: Path, tiny_folder: Callable[[str], Path], tiny_model: TinyModel, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    texts, model, out = write_corpus(tmp_path / "texts", texts=4), tiny_folder("bert"), tmp_path / "out"
    command = ["ablate", str(texts), "--heads", "L1H2", "L2H4", "--replace", "zero", "--model", str(model)]
    assert main([*command, "--gap", str(gap), "--gold", str(gold), "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    found = open_ablation(out).table("tasks").set_index("quantity")
    assert all(name in printed for name in found.index) and len(found) == 3
    assert (found["random_sets"] == 15).all() and found["effect"].to_numpy() == pytest.approx(
        found["without"] - found["whole"]
    )

    scores = tmp_path / "patterns"
    assert main(["patterns", str(gap), "--model", str(model), "--out", str(scores)]) == 0
    joined = open_patterns(scores).table("joined").set_index("way")
    pronouns = found.iloc[0]
    assert pronouns["whole"] == pytest.approx(joined.loc["joined, all", "accuracy"])
    assert pronouns["texts"] == joined.loc["joined, all", "questions"] == 12 and pronouns["chance_whole"] == 0.5
    loaded, snippets = tiny_model("bert"), read_snippets(gap)
    chosen = (Head(0, 1), Head(1, 3))
    at = np.arange(len(snippets))
    rights = [
        named_rightly(np.stack([margins_without(loaded, one, some, "zero", "plain") for one in snippets]), at)
        for some in [(), chosen, *sets_alike(chosen, (3, 4), seed=0)]
    ]
    whole, without, *random = (right.mean() for right in rights)
    assert pronouns["without"] == pytest.approx(without)
    assert pronouns["chance_effect"] == pytest.approx(np.mean(random) - whole)

    benchmark = score_collections([gold], loaded, [by_name(METHOD)])
    for row, given in ((found.iloc[1], True), (found.iloc[2], False)):
        own = benchmark[(benchmark["method"] == METHOD) & (benchmark["number_given"] == given)]
        assert row["whole"] == pytest.approx(own["pk"].mean()) and row["texts"] == 5
    assert found.iloc[2]["chance_whole"] == pytest.approx(benchmark.query("method == 'no_cut'")["pk"].mean())
    assert {"gap_sha256", "gold_sha256"} <= set(open_ablation(out).provenance)
    assert main([*command, "--gap", str(gap), "--out", str(out)]) == 2
    assert "another setting: gold_sha256" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--gap", "missing.tsv"], "There is no file"),
        (["--gap", "texts.txt"], "is no file of annotated texts"),
        (
            ["--gap", "few.tsv"],
            "few.tsv has 3 snippets whose pronoun means one of two names: give a file of GAP with 4 at least",
        ),
        (["--gap", "torn.tsv"], "torn.tsv is no GAP file: line 2 has no 'she' at character 27"),
        (["--gold", "nowhere"], "There is no folder"),
        (["--gold", "bare"], "has no .txt file with gold boundaries"),
    ],
)
def test_bad_files_are_one_sentence_before_a_model_is_loaded(
    arguments: list[str], sentence: str, gap: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = write_corpus(tmp_path / "texts", texts=2)
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare" / "one.txt").write_text("No boundary.", encoding="utf-8")
    (tmp_path / "texts.txt").write_text("No pronoun.", encoding="utf-8")
    rows = gap.read_text("utf-8").splitlines()
    (tmp_path / "few.tsv").write_text("\n".join(rows[:5]) + "\n", encoding="utf-8")
    torn = "x\tAnn left, and Beth saw that she did.\tshe\t27\tAnn\t5\tTRUE\tBeth\t14\tFALSE\t-"
    (tmp_path / "torn.tsv").write_text(f"{GAP}\n{torn}\n", encoding="utf-8")
    option, file = arguments
    command = ["ablate", str(texts), "--heads", "L1", option, str(tmp_path / file), "--out", str(tmp_path / "out")]
    assert main([*command, "--model", "no/such-model"]) == 2
    error = capsys.readouterr().err
    assert sentence in error and error.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_file_of_other_relations_has_no_such_pronoun(tmp_path: Path) -> None:
    (tmp_path / "made-up.conllu").write_text(WORDS, encoding="utf-8")
    with pytest.raises(InputError, match="has 0 snippets whose pronoun means one of two names"):
        read_snippets(tmp_path / "made-up.conllu")
