"""`python -m attn_core segment`, of files and of folders, on texts of the project with gold boundaries."""

import csv
import errno
import io
import json
import os
import shutil
from pathlib import Path

import pytest

from attn_core.__main__ import main
from attn_core.segmentation import paragraph_ends
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


def test_json_and_csv_hold_offsets_into_the_text(capsys: pytest.CaptureFixture[str]) -> None:
    text = read_document(GOLD.read_text(encoding="utf-8")).text
    rows = json.loads(printed(capsys, "segment", GOLD, "--format", "json", "--segments", 4))
    assert len(rows) == 4
    assert all(row["text"] == text[row["start"] : row["end"]] for row in rows)
    table = list(csv.DictReader(io.StringIO(printed(capsys, "segment", GOLD, "--format", "csv", "--segments", 4))))
    assert [(int(row["start"]), int(row["end"])) for row in table] == [(row["start"], row["end"]) for row in rows]


def test_segments_go_to_a_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "segments.txt"
    assert "3 segments" in printed(capsys, "segment", GOLD, "--segments", 3, "--out", out)
    assert len(read_document(out.read_text(encoding="utf-8")).gold or ()) == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ["segment", GOLD, "--methods", "even_cuts", "--segments", "3", "--out"],
        ["segment", "FOLDER", "--methods", "even_cuts", "--csv"],
    ],
    ids=lambda arguments: arguments[-1],
)
def test_a_full_disk_leaves_no_half_file(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[object]
) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    folder, out = tmp_path / "texts", tmp_path / "out" / "new.txt"
    shutil.copytree(GOLD.parent, folder, ignore=lambda _, names: set(names) - {GOLD.name})
    out.parent.mkdir()
    monkeypatch.setattr(os, "fsync", full)
    assert main([*(str(folder if one == "FOLDER" else one) for one in arguments), str(out)]) == 2
    assert "The disk is full: make room and" in capsys.readouterr().err
    assert [*out.parent.iterdir()] == []


@pytest.mark.parametrize(
    "arguments", [["segment", GOLD, "--out"], ["segment", GOLD.parent, "--csv"]], ids=lambda one: one[-1]
)
def test_a_file_that_is_there_is_not_overwritten(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, arguments: list[object]
) -> None:
    (out := tmp_path / "out.txt").write_text("mine")
    assert main([*map(str, arguments), str(out)]) == 2
    assert f"{out} is there already: choose another file to write, or delete it first." in capsys.readouterr().err
    assert out.read_text() == "mine"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["segment", GOLD, "--methods", "nonsense"], "choose one of partition, "),
        (["segment", GOLD, "--segments", "0"], "from 1 on"),
        (["segment", GOLD.with_name("missing.txt")], "No such file"),
        (["segment", GOLD, "--segments", "999999999999"], "sentences: --segments takes a number from 1 to "),
        (["segment", GOLD, "--out", GOLD], f"{GOLD} is a text that is read: choose another file to write."),
        (["segment", GOLD, "--language", "xx"], "must be auto or a code of ISO 639"),
        (["segment", GOLD, "--model", ""], "argument --model: is empty: name one, or leave the option out"),
        (["segment", GOLD.parent, "--csv", GOLD], f"{GOLD} is a text that is read: choose another file"),
        (["segment", Path(__file__).parents[1] / "charts"], "no .txt file with gold boundaries"),
        (["segment", GOLD.parent, "--segments", "3"], "are for one file that is cut: leave them out for scores."),
        (["segment", GOLD, "--methods", "partition", "even_cuts"], "A file is cut by one method: name one"),
        (["segment", GOLD.parent, "--csv", GOLD.parent], f"{GOLD.parent} is a folder: --csv takes a file."),
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


def test_boundaries_keep_paragraphs_unless_told_otherwise(capsys: pytest.CaptureFixture[str]) -> None:
    refrain = SAMPLES_FOLDER / "refrain.txt"
    ends = paragraph_ends(read_document(refrain.read_text(encoding="utf-8")))

    def firsts(*more: object) -> list[int]:
        rows = json.loads(printed(capsys, "segment", refrain, "--methods", "even_cuts", "--format", "json", *more))
        return [row["first_sentence"] - 1 for row in rows]

    assert firsts("--segments", 4) == [0, *ends]
    assert firsts("--segments", 2)[1] in ends
    assert firsts("--segments", 2, "--no-paragraphs")[1] not in ends
    assert main(["segment", str(refrain), "--methods", "even_cuts", "--segments", "5"]) == 0
    said = capsys.readouterr().err
    assert "This text has 4 paragraphs, fewer than the 5 segments asked for: boundaries lie at sentence ends." in said
