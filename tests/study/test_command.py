"""`python -m attn_core study`: a study, or one sentence and exit status 2, whatever it is given."""

import os
from pathlib import Path

import pytest

from attn_core.__main__ import main
from attn_core.interventions.ablation import Ablation, about
from attn_core.measures.few_pairs import MIN_PAIRS
from attn_core.models.loading import ModelSpec
from attn_core.similarity.strong_pairs import number_of_strong_pairs
from attn_core.study.corpus import Corpus
from attn_core.study.descriptions import describe_short, describe_study
from attn_core.study.opened import Study
from attn_core.texts.documents import ASSUMED
from tests.families import TEXT
from tests.fixtures import Refused
from tests.study.made_up import write_corpus


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
    options: list[str], says: str, tiny: ModelSpec, tmp_path: Path, refused: Refused
) -> None:
    texts = write_corpus(tmp_path / "texts", texts=1)
    assert says in refused("study", texts, "--out", tmp_path / "out", "--models", tiny.name, *options)
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


def test_no_good_text_is_no_success(tiny: ModelSpec, tmp_path: Path, refused: Refused) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text("Hm.")
    (tmp_path / "texts" / "b.txt").write_bytes(b"\0\1")
    sentence = refused("study", tmp_path / "texts", "--out", tmp_path / "out", "--models", tiny.name)
    assert "No text could be counted, none of 2; the first is a.txt (too short" in sentence
    assert Study.open(tmp_path / "out").table("bad_texts")["name"].tolist() == ["a.txt", "b.txt"]


def test_what_is_too_short_is_said_before_and_what_is_not_applicable_after(
    tiny: ModelSpec, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the folder that a study has where none is named."""
    monkeypatch.chdir(tmp_path)
    texts = write_corpus(tmp_path / "my texts", texts=4)
    (texts / "000.txt").write_text(TEXT * 3, encoding="utf-8")
    assert main(["study", "my texts", "--models", tiny.name]) == 0
    printed = capsys.readouterr()
    assert "About 2 of the first 4 texts are shorter than 78 tokens, too short for 30 strong pairs" in printed.err
    assert "Fewer than 4 are left, which give no interval" in printed.err
    study = Study.open(tmp_path / "studies" / f"my-texts-{Path(tiny.name).name}")
    reasons = study.claims.query("verdict == 'not applicable'")["reason"]
    assert len(reasons) and all(f"not applicable: {reason}" in printed.out for reason in reasons)


@pytest.mark.parametrize(
    ("share", "says"),
    [(0.01, "About 1 of the first 6 texts is shorter than 78 tokens, too short for 30 strong pairs a head, and counts "
      "for no verdict."),
     (0.1, "By its size, each of the first 6 texts has the 25 tokens that 30 strong pairs a head take."),
     (0.001, "About 6 of the first 6 texts are shorter than 244 tokens, too short for 30 strong pairs a head: no claim "
      "about strong pairs can have a verdict.")],
)  # fmt: skip
def test_what_is_too_short_hangs_on_the_share_of_strong_pairs(share: float, says: str, tmp_path: Path) -> None:
    for number, characters in enumerate((311, 312, 400, 500, 600, 900)):
        (tmp_path / f"{number}.txt").write_text("x" * characters)
    assert describe_short(Corpus(str(tmp_path)), share, "tokens") == says
    least = int(says.split("shorter than ")[1].split()[0]) if "shorter" in says else 25
    pairs = [number_of_strong_pairs(n * (n - 1) // 2, share) for n in (least - 1, least)]
    assert pairs[0] < MIN_PAIRS <= pairs[1]
