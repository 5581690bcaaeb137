"""`python -m attn_core study`: a study, or one sentence and exit status 2, whatever it is given."""

import os
from pathlib import Path

import pytest

from attn_core.__main__ import main
from attn_core.interventions.ablation import Ablation, about
from attn_core.models.loading import ModelSpec
from attn_core.study.descriptions import describe_study
from attn_core.study.opened import Study
from attn_core.texts.documents import ASSUMED
from tests.families import TEXT
from tests.study.made_up import write_corpus


def said(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str]:
    """Exit status, and the last line on standard error without the progress before it."""
    status = main(["study", *map(str, arguments)])
    return status, capsys.readouterr().err.strip().splitlines()[-1].split("\r")[-1]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--limit", "0"], "argument --limit: must be a whole number from 1 on"),
        (["--threads", "1" + "0" * 23], "argument --threads: must be a whole number from 1 to 1,024"),
        (["--dask", "nonsense"], "There is no Dask scheduler at 'nonsense': give its address"),
        (["--dask", "tcp://127.0.0.1:1", "--cores", "2"], "leave --cores out, or --dask"),
        (["--dask", ""], "There is no Dask scheduler at ''"),
        (["--out", "~nobody-of-that-name/x"], "argument --out: ~nobody-of-that-name/x cannot be a path"),
        (["--out", "a\0b"], "argument --out: a\\x00b cannot be a path"),
    ],
)
def test_options_that_make_no_sense(
    options: list[str], says: str, tiny: ModelSpec, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = write_corpus(tmp_path / "texts", texts=1)
    status, sentence = said(capsys, texts, "--out", tmp_path / "out", "--models", tiny.name, *options)
    assert status == 2 and sentence.startswith("attn_core: ") and says in sentence
    assert not (tmp_path / "out").exists()


def test_file_names_that_are_no_utf8(tiny: ModelSpec, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In the corpus, as the corpus, and as the folder of the study."""
    folder = tmp_path / os.fsdecode(b"t\xff")
    try:
        folder.mkdir()
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    (folder / os.fsdecode(b"b\xff\xfe.txt")).write_text("Hm.")
    (folder / "c.txt").write_text(TEXT)
    out = tmp_path / os.fsdecode(b"o\xff")
    assert main(["study", str(folder), "--out", str(out), "--models", tiny.name]) == 0
    assert "o\\xff" in capsys.readouterr().out
    study = Study.open(out)
    assert study.table("bad_texts")["name"].tolist() == ["b\\xff\\xfe.txt"]
    assert study.manifest["corpus"]["source"] == str(folder)
    assert main(["study", str(folder), "--out", str(out), "--models", tiny.name]) == 0


def test_a_guessed_encoding_is_said_and_tables_are_private(
    tiny: ModelSpec, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plain = TEXT.encode("ascii", "ignore").decode()
    rows = [f'"{plain}"', f'"{plain} Café."']
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.csv").write_bytes("\n".join(["text", *rows]).encode("cp1252"))
    (tmp_path / "texts" / "b.pdf").touch()
    of_ablate = ["--model", tiny.name, "--heads", "L1H1"]
    for command, out, options in (("study", "out", ["--models", tiny.name]), ("ablate", "ablation", of_ablate)):
        assert main([command, str(tmp_path / "texts"), "--out", str(tmp_path / out), *options]) == 0
        printed = capsys.readouterr().err
        assert f"1 of the texts read as {ASSUMED}" in printed and "are left out: 1 .pdf." in printed
    assert "1 read as Windows-1252" in about(Ablation.open(tmp_path / "ablation"))
    study = Study.open(tmp_path / "out")
    assert study.table("subjects")["assumed_encodings"].tolist() == [1]
    assert "1 read as Windows-1252" in describe_study(study)[1]
    if os.name == "posix":
        modes = {path: path.stat().st_mode & 0o777 for path in (tmp_path / "out" / "tables").iterdir()}
        assert set(modes.values()) == {0o600}
        assert {(tmp_path / "out" / name).stat().st_mode & 0o777 for name in ("", "tables")} == {0o700}


def test_no_good_text_is_no_success(tiny: ModelSpec, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text("Hm.")
    (tmp_path / "texts" / "b.txt").write_bytes(b"\0\1")
    status, sentence = said(capsys, tmp_path / "texts", "--out", tmp_path / "out", "--models", tiny.name)
    assert status == 2 and "No text could be counted, none of 2; the first is a.txt (too short" in sentence
    assert Study.open(tmp_path / "out").table("bad_texts")["name"].tolist() == ["a.txt", "b.txt"]
