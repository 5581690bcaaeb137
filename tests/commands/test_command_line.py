"""`python -m attn_core analyze`: tables on disk, or one sentence and exit status 2."""

import errno
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pandas as pd
import pytest

from attn_core.__main__ import main
from attn_core.analysis.one_text import TABLES
from attn_core.models.files import MINILM, STACKS, ModelSpec
from tests.families import TEXT, Folder
from tests.fixtures import Refused

ROOT = Path(__file__).parents[2]
OUT, FILE = Path("out"), Path("tide.txt")
ANALYZE = "analyze tide.txt --model bert --out out"
COMMANDS = pytest.mark.parametrize("command", [ANALYZE, "compare bert bert+untrained --text tide.txt --out out"])
Run = Callable[..., tuple[str, str]]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, tiny_folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working directory with a text and a tiny model."""
    monkeypatch.chdir(tmp_path)
    FILE.write_text(TEXT, encoding="utf-8")
    Path("bert").symlink_to(tiny_folder("bert"))


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """What a command writes to standard output and standard error."""

    def done(command: str, *more: str) -> tuple[str, str]:
        assert main([*shlex.split(command), *more]) == 0
        return tuple(capsys.readouterr())

    return done


def told() -> dict[str, Any]:
    return json.loads((OUT / "provenance.json").read_bytes())


@pytest.mark.long
def test_from_a_text_file_to_tables_in_a_new_folder(tmp_path: Path) -> None:
    """In a process of its own: nothing but a line of summary is printed, no progress bar, no warning."""
    out = tmp_path / "new" / "tables"
    done = subprocess.run(
        [sys.executable, "-m", "attn_core", "analyze", str(FILE.absolute()), "--model", MINILM, "--out", str(out)],
        cwd=ROOT, env={**os.environ, "HF_HUB_OFFLINE": "1"}, capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"tide.txt (UTF-8), {MINILM}: {len(TABLES)} tables in {out}")
    assert done.stdout.count("\n") == 1
    names = [f"{table}.{kind}" for table in TABLES for kind in ("csv", "parquet")]
    assert sorted(file.name for file in out.iterdir()) == sorted([*names, "provenance.json"])
    heads = pd.read_csv(out / "heads.csv")
    assert len(heads) == 72
    assert heads["mean_distance"].tolist() == pd.read_parquet(out / "heads.parquet")["mean_distance"].tolist()
    assert json.loads((out / "provenance.json").read_text())["model"] == MINILM


def test_every_option_reaches_the_analysis(run: Run) -> None:
    FILE.write_text(" ".join([TEXT] * 3), encoding="cp1252")
    options = "--layout=separated --measure=centred --share=0.05 --no-special --window=2 --language=de"
    out, error = run(f"{ANALYZE} {options}")
    assert "Windows-1252 (assumed" in out
    assert error == ""  # a single window has no progress
    wanted = {
        "layout": "separated", "measure": "centred", "share": 0.05, "with_special": False, "unit": "tokens",
        "windows": "2", "model": "bert",
    }  # fmt: skip
    assert wanted.items() <= told().items()


@pytest.mark.parametrize(("options", "tokens"), [("--window-tokens 48", 48), ("", 96)])
def test_the_length_of_a_window_stands_in_every_table(options: str, tokens: int, run: Run) -> None:
    FILE.write_text(" ".join([TEXT] * 3))
    out, _ = run(f"{ANALYZE} {options}")
    named = f"bert{', windows of 48 tokens' if options else ''}"
    assert (told()["model"], told()["window_tokens"]) == (named, tokens) and f", {named}: " in out
    lengths = pd.read_csv(OUT / "tokens.csv", keep_default_na=False).groupby("window").size()
    assert 0.7 * tokens < lengths.max() <= tokens


def test_the_stack_of_an_encoder_decoder_stands_in_the_provenance(stacks_folder: Folder, run: Run) -> None:
    heads, both = {}, str(stacks_folder("bart"))
    for stack in STACKS:
        run(f"{ANALYZE} --overwrite", "--model", both, "--stack", stack)
        assert told()["model"] == str(ModelSpec(both, stack=stack))
        heads[stack] = pd.read_csv(OUT / "heads.csv")
    assert {stack: len(table) for stack, table in heads.items()} == {"encoder": 12, "decoder": 4, "cross": 4}
    assert not np.allclose(heads["decoder"]["mean_distance"], heads["cross"]["mean_distance"])


def test_a_long_text_tells_how_far_it_is_read(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    FILE.write_text(" ".join([TEXT] * 3))
    _, log = run(ANALYZE)
    assert "\033" not in log and log.startswith("reading window: 1 of ")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    _, watched = run(f"{ANALYZE} --overwrite")
    assert watched.startswith("\rloading ") and "\rreading window: 1 of " in watched and watched.endswith("\r\033[K")
    for command in ("keywords tide.txt", "segment tide.txt --methods even_cuts"):
        assert run(f"{command} --model bert")[1].startswith("\rloading ")


def test_a_path_that_cannot_be_read_or_written_is_named(refused: Refused) -> None:
    contents = {"image": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "empty": b"", "long": b"a " * 1_000_001}
    for name, data in contents.items():
        Path(name).write_bytes(data)
    for command, says in (
        ("analyze image --model bert --out out", "looks like a binary file"),
        ("analyze empty --model bert --out out", "There is no word in this text"),
        ("analyze long --model bert --out out", "2,000,002 characters"),
        ("analyze nothing.txt --model bert --out out", "nothing.txt: No such file or directory."),
        ("analyze 'no\nthing.txt' --model bert --out out", "no\\nthing.txt: No such file or directory."),
        ("analyze . --model bert --out out", "Is a directory"),
        (f"{ANALYZE} --model .", "has no weights"),
        (f"{ANALYZE} --model 'no such\nmodel!'", "neither a folder on this machine nor a model id"),
        (f"{ANALYZE} --out tide.txt", "argument --out: must name a folder, and tide.txt is a file"),
        ("analyze ~nobody-of-that-name/x --model bert --out out", "Could not determine home directory"),
        *([("analyze /dev/zero --out out", "a pipe or a device")] if Path("/dev/zero").exists() else []),
    ):
        assert says in refused(command)
    assert not OUT.exists()


def test_a_file_name_that_is_no_utf8(run: Run) -> None:
    """Standard output takes no such name, as it is captured here too."""
    name = os.fsdecode(b"t\xff.txt")
    try:
        FILE.rename(name)
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    with pytest.raises(UnicodeEncodeError):
        print(name)
    out, _ = run("analyze --model bert", name, "--out", os.fsdecode(b"o\xff"))
    assert out.startswith("t\\xff.txt (UTF-8), ")


@pytest.mark.usefixtures("hub_cache")
def test_a_model_that_is_not_here_names_the_option_that_fetches_it(refused: Refused) -> None:
    for model in ("nobody/no-such-model", "no-such-model"):
        says = f"{model} is not on this machine yet: download it first. Option --download does."
        assert refused(f"{ANALYZE} --model {model}") == says
    says = refused("compare nobody/no-such-model default --text tide.txt")
    assert says.endswith("Option --download of `analyze` does.")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("--share 0", "The share of strong pairs is a number above 0 and at most 1"),
        ("--share nan", "not nan."),
        ("--window-tokens 8", "argument --window-tokens: must be a whole number from 16 on, not '8'"),
        ("--stack decoder", "has one stack and no decoder: leave the stack out."),
        ("--stack pooler", "argument --stack: invalid choice: 'pooler'"),
        ("--window-tokens 128", "reads at most 96 tokens at once, not 128: take a shorter window."),
        ("--window 99", "There is no window 99: this text has"),
        ("--window 0", "There is no window 0"),
        ("--window two", "argument --window: invalid int value: 'two'"),
        (f"--share {'9' * 5000}", "such as 0.01 for 1%, not inf."),
        ("--model ''", "argument --model: is empty"),
        ("--language xx", "argument --language: must be auto or a code of ISO 639"),
        ("--layout round", "invalid choice: 'round'"),
        ("--revision main", "is a folder and has no revisions"),
        ("--out ''", "argument --out: must name a file or a folder, and is empty"),
        ("--colour red", "unrecognized arguments: --colour red"),
    ],
)
def test_options_that_make_no_sense(options: str, says: str, refused: Refused) -> None:
    error = refused(f"{ANALYZE} {options}")
    assert says in error and len(error) < 1000 and not OUT.exists()


@COMMANDS
def test_files_of_others_are_not_overwritten(command: str, refused: Refused) -> None:
    OUT.mkdir()
    (OUT / "pairs.csv").write_bytes(b"mine")
    error = refused(command)
    assert "out holds " in error and "choose a" in error
    assert [(file.name, file.read_bytes()) for file in OUT.iterdir()] == [("pairs.csv", b"mine")]


@COMMANDS
def test_a_full_disk_is_one_sentence(command: str, capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    """A write to a full disk names no file."""

    def full(_: Path, _data: bytes) -> NoReturn:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    assert main(shlex.split(command)) == 2
    error = capsys.readouterr().err.splitlines()[-1]
    assert error.startswith("attn_core: The disk is full: free some space") and not any(OUT.iterdir())
    assert "Errno" not in error and "study" not in error


@pytest.mark.parametrize("command", ["analyze tide.txt", "compare bert bert+untrained", "study tide.txt --models bert"])
def test_links_in_a_circle_are_no_folder(command: str, refused: Refused) -> None:
    Path("loop").symlink_to("loop")
    Path("nowhere").symlink_to("not/there")
    assert "loop cannot be a path on this machine" in refused(f"{command} --out loop")
    error = refused(f"{command} --out nowhere")
    assert "nowhere is " in error and "link to nothing" in error


def test_a_command_that_is_not_whole(refused: Refused) -> None:
    for command in ("", "dance", "analyze", "analyze x.txt"):
        assert "--help" in refused(command)


def test_results_among_the_texts_are_refused(refused: Refused) -> None:
    Path("texts").mkdir()
    FILE.rename("texts/a.txt")
    assert "lies in the folder of the texts" in refused("study texts --models bert --out texts/deep/out")
    assert [file.name for file in Path("texts").iterdir()] == ["a.txt"]
