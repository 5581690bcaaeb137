"""`python -m attn_core segment`, of files and of folders, on texts of the project with gold boundaries."""

import csv
import shutil
from pathlib import Path

import pytest

from attn_core.__main__ import main
from attn_core.texts.documents import SAMPLES_FOLDER, read_document
from tests.quick import quick_only

GOLD = SAMPLES_FOLDER / "three_topics.txt"
FEW = ["--methods", "partition_heads", "even_cuts"]
pytestmark = pytest.mark.model


def printed(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert main([*map(str, arguments)]) == 0
    return capsys.readouterr().out


def test_the_text_comes_back_with_the_gold_boundaries_found(capsys: pytest.CaptureFixture[str]) -> None:
    shown = printed(capsys, "segment", GOLD)
    assert read_document(shown).gold == read_document(GOLD.read_text(encoding="utf-8")).gold


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["segment", GOLD, "--methods", "nonsense"], "A method is partition, "),
        (["segment", GOLD, "--segments", "0"], "from 1 on"),
        (["segment", GOLD.with_name("missing.txt")], "No such file"),
        (["segment", GOLD, "--segments", "999999999999"], "sentences: --segments takes a number from 1 to "),
        (["segment", GOLD, "--language", "xx"], "must be auto or a code of ISO 639"),
        (["segment", GOLD, "--model", ""], "argument --model: is empty: name one, or leave the option out"),
        (["segment", GOLD.parent, "--csv", GOLD], f"{GOLD} is there already: choose another file"),
        (["segment", Path(__file__).parents[1] / "charts"], "no .txt file with gold boundaries"),
        (
            ["segment", GOLD.parent, "--segments", "3"],
            "--segments is for one file that is cut: leave it out for scores.",
        ),
        (["segment", GOLD, "--methods", "partition", "even_cuts"], "A file is cut by one method: name one"),
        (["segment", GOLD.parent, "--csv", GOLD.parent], f"{GOLD.parent} is a folder: choose a file to write"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    capsys: pytest.CaptureFixture[str], arguments: list[object], says: str
) -> None:
    assert main([*map(str, arguments)]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1


def test_a_gold_text_that_cannot_be_read_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    shutil.copy(GOLD, tmp_path / "good.txt")
    (tmp_path / "empty.txt").write_text("")
    assert main(["segment", str(tmp_path)]) == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith(f"attn_core: {tmp_path / 'empty.txt'}: ")


@pytest.mark.parametrize("given", ["folder", "file"])
@pytest.mark.parametrize("chosen", quick_only([FEW, []], FEW))
def test_scores_of_every_method_are_printed_and_written(
    chosen: list[str], given: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    shutil.copy(GOLD, tmp_path / "=gold.txt")
    texts = tmp_path if given == "folder" else tmp_path / "=gold.txt"
    shown = printed(capsys, "segment", texts, "--csv", tmp_path / "scores.csv", *chosen)
    for method in chosen[1:] or ("partition_heads", "separator_attention", "texttiling", "even_cuts"):
        assert shown.count(f"| {method} |") == 2
    with (tmp_path / "scores.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    alone = next(row for row in rows if row["method"] == "partition_heads" and row["number_given"] == "true")
    assert float(alone["pk"]) == 0
    assert alone["text"].startswith("'=gold") and "MiniLM" in alone["model"]
