"""`python -m attn_core segment`, of files and of folders, on texts of the project with gold boundaries."""

import csv
import shutil
from pathlib import Path

import pandas as pd
import pytest

from attn_core.__main__ import main
from attn_core.texts.documents import ASSUMED, SAMPLES_FOLDER, read_document
from tests.fixtures import Refused
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
        ([GOLD, "--methods", "nonsense"], "A method is partition, "),
        ([GOLD, "--segments", "0"], "from 1 on"),
        ([GOLD.with_name("missing.txt")], "No such file"),
        ([GOLD, "--segments", "999999999999"], "sentences: --segments takes a number from 1 to "),
        ([GOLD, "--language", "xx"], "must be auto or a code of ISO 639"),
        ([GOLD, "--model", ""], "argument --model: is empty: name one, or leave the option out"),
        ([GOLD.parent, "--csv", GOLD], f"{GOLD} is another file, and is not overwritten"),
        ([Path(__file__).parents[1] / "charts"], "no .txt or .md file with gold boundaries"),
        ([GOLD.parent, "--segments", "3"], "--segments is for one file that is cut: leave it out for scores."),
        ([GOLD, "--methods", "partition", "even_cuts"], "A file is cut by one method: name one"),
        ([GOLD.parent, "--csv", GOLD.parent], f"{GOLD.parent} is a folder or a link: name a file to write"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(arguments: list[object], says: str, refused: Refused) -> None:
    assert says in refused("segment", *arguments)


def test_a_text_that_is_left_out_or_guessed_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "good.md").write_bytes(GOLD.read_bytes() + b"Caf\xe9.\n")
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "plain.txt").write_text("==========\nThe tide rose.\n==========\n")
    (tmp_path / ".hidden.txt").write_bytes(b"\0")
    (tmp_path / "deep" / "old.PDF").write_bytes(b"%PDF")
    arguments = ["segment", str(tmp_path), "--methods", "even_cuts", "--csv", str(tmp_path / "scores.csv")]
    assert main(arguments) == 0
    lines = capsys.readouterr().err.splitlines()
    assert [line for line in lines if "left out" in line] == [
        "Files of other kinds are left out: 1 .pdf.",
        "empty.txt is left out: There is no word in this text: type or paste at least one sentence.",
        "plain.txt is left out: it has no gold boundaries.",
    ]
    assert f"deep/good.md is read as {ASSUMED}" in lines
    scores = pd.read_csv(tmp_path / "scores.csv")
    assert set(scores["text"]) == {"deep/good.md"} and set(scores["encoding"]) == {ASSUMED}


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
    with (tmp_path / "scores.csv").open(newline="", encoding="utf-8-sig") as stream:
        rows = list(csv.DictReader(stream))
    alone = next(row for row in rows if row["method"] == "partition_heads" and row["number_given"] == "true")
    assert float(alone["pk"]) == 0
    assert alone["text"].startswith("'=gold") and "MiniLM" in alone["model"]
