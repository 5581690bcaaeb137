"""`python -m attn_core analyze`: tables on disk, or one sentence and exit status 2."""

import errno
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pandas as pd
import pytest

from attn_core.__main__ import main
from attn_core.io import atomic_files
from attn_core.models.files import MINILM, STACKS, ModelSpec
from attn_core.texts.documents import SAMPLES_FOLDER
from tests.families import TEXT, Folder

ROOT = Path(__file__).parents[2]
TABLES = [
    "anchors", "attention", "distance_bins", "distances", "heads", "kinds", "layers", "pairs", "segments", "tokens",
]  # fmt: skip


@pytest.fixture
def text_file(tmp_path: Path) -> Path:
    file = tmp_path / "tide.txt"
    file.write_text(TEXT, encoding="utf-8")
    return file


@pytest.fixture
def tiny(tiny_folder: Folder) -> str:
    return str(tiny_folder("bert"))


@pytest.fixture
def both(stacks_folder: Folder) -> str:
    return str(stacks_folder("bart"))


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """The one line that a command writes to standard error before it gives up."""
    assert main([*map(str, arguments)]) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert error.startswith("attn_core: ") and error.count("\n") == 1 and error.endswith("\n")
    return error.removeprefix("attn_core: ").rstrip("\n")


@pytest.mark.long
def test_from_a_text_file_to_tables_in_a_new_folder(text_file: Path, tmp_path: Path) -> None:
    """In a process of its own: nothing but a line of summary is printed, no progress bar, no warning."""
    out = tmp_path / "new" / "tables"
    done = subprocess.run(
        [sys.executable, "-m", "attn_core", "analyze", str(text_file), "--model", MINILM, "--out", str(out)],
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


def test_every_option_reaches_the_analysis(
    text_file: Path, tiny: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text_file.write_text(" ".join([TEXT] * 3), encoding="cp1252")
    options = ["--layout=separated", "--measure=centred", "--share=0.05", "--no-special", "--window=2", "--language=de"]
    assert main(["analyze", str(text_file), "--model", tiny, "--out", str(tmp_path / "out"), *options]) == 0
    said = capsys.readouterr()
    assert "Windows-1252 (assumed" in said.out
    assert said.err == ""  # a single window has no progress
    told = json.loads((tmp_path / "out" / "provenance.json").read_bytes())
    wanted = {
        "layout": "separated",
        "measure": "centred",
        "share": 0.05,
        "with_special": False,
        "unit": "tokens",
        "windows": "2",
        "model": Path(tiny).name,
    }
    assert wanted.items() <= told.items()


@pytest.mark.parametrize("asked", ["48", None])
def test_the_length_of_a_window_stands_in_every_table(
    asked: str | None, text_file: Path, tiny: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text_file.write_text(" ".join([TEXT] * 3))
    options = ["--window-tokens", asked] if asked else []
    assert main(["analyze", str(text_file), "--model", tiny, "--out", str(tmp_path / "out"), *options]) == 0
    told = json.loads((tmp_path / "out" / "provenance.json").read_bytes())
    named = f"{Path(tiny).name}{', windows of 48 tokens' if asked else ''}"
    assert (told["model"], told["window_tokens"]) == (named, int(asked or 96))
    assert f", {named}: " in capsys.readouterr().out
    lengths = pd.read_csv(tmp_path / "out" / "tokens.csv", keep_default_na=False).groupby("window").size()
    assert 0.7 * told["window_tokens"] < lengths.max() <= told["window_tokens"]


def test_the_stack_of_an_encoder_decoder_stands_in_the_provenance(
    both: str, text_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    heads = {}
    for stack in STACKS:
        out = tmp_path / stack
        assert main(["analyze", str(text_file), "--model", both, "--stack", stack, "--out", str(out)]) == 0
        told = json.loads((out / "provenance.json").read_bytes())
        assert told["model"] == str(ModelSpec(both, stack=stack))
        heads[stack] = pd.read_csv(out / "heads.csv")
    assert {stack: len(table) for stack, table in heads.items()} == {"encoder": 12, "decoder": 4, "cross": 4}
    assert not np.allclose(heads["decoder"]["mean_distance"], heads["cross"]["mean_distance"])
    capsys.readouterr()


def test_a_long_text_tells_how_far_it_is_read(
    text_file: Path, tiny: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text_file.write_text(" ".join([TEXT] * 3))
    assert main(["analyze", str(text_file), "--model", tiny, "--out", str(tmp_path / "out")]) == 0
    log = capsys.readouterr().err
    assert "\033" not in log and log.startswith("reading window: 1 of ")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert main(["analyze", str(text_file), "--model", tiny, "--out", str(tmp_path / "out"), "--overwrite"]) == 0
    watched = capsys.readouterr().err
    assert watched.startswith("\rloading ") and "\rreading window: 1 of " in watched
    for command in (["keywords"], ["segment", "--methods", "even_cuts"]):
        assert main([*command[:1], str(text_file), "--model", tiny, *command[1:]]) == 0
        assert capsys.readouterr().err.startswith("\rloading ")


def test_a_path_that_cannot_be_read_or_written_is_named(
    text_file: Path, tiny: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = tmp_path / "nothing.txt"
    error = refused(capsys, "analyze", missing, "--model", tiny, "--out", tmp_path / "out")
    assert error == f"{missing}: No such file or directory."
    error = refused(capsys, "analyze", tmp_path / "no\nthing.txt", "--model", tiny, "--out", tmp_path / "out")
    assert error.endswith("no\\nthing.txt: No such file or directory.")
    for text, model, out, says in (
        (tmp_path, tiny, "out", "Is a directory"),
        (text_file, tmp_path, "out", "has no weights"),
        (text_file, "no such\nmodel!", "out", "neither a folder on this machine nor a model id"),
        (text_file, tiny, text_file, f"argument --out: must name a folder, and {text_file} is a file"),
    ):
        assert says in refused(capsys, "analyze", text, "--model", model, "--out", tmp_path / out)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "looks like a binary file"),
        (b"", "There is no word in this text"),
        (b"a " * 1_000_001, "2,000,002 characters"),
    ],
)
def test_a_file_without_a_text(
    content: bytes, says: str, text_file: Path, tiny: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text_file.write_bytes(content)
    assert says in refused(capsys, "analyze", text_file, "--model", tiny, "--out", tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs a file without end")
@pytest.mark.parametrize(
    ("file", "says"),
    [("/dev/zero", "a pipe or a device"), ("~nobody-of-that-name/x", "Could not determine home directory")],
)
def test_a_file_without_end_and_one_of_nobody(
    file: str, says: str, tiny: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert says in refused(capsys, "analyze", file, "--model", tiny, "--out", tmp_path / "out")


def test_a_file_name_that_is_no_utf8(
    text_file: Path, tiny: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Standard output takes no such name, as it is captured here too."""
    name = tmp_path / os.fsdecode(b"t\xff.txt")
    try:
        text_file.rename(name)
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    with pytest.raises(UnicodeEncodeError):
        print(name)
    assert main(["analyze", str(name), "--model", tiny, "--out", str(tmp_path / os.fsdecode(b"o\xff"))]) == 0
    assert capsys.readouterr().out.startswith("t\\xff.txt (UTF-8), ")


@pytest.mark.parametrize("model", ["nobody/no-such-model", "no-such-model"])
def test_a_model_that_is_not_here_names_the_option_that_fetches_it(
    model: str, text_file: Path, tmp_path: Path, hub_cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    error = refused(capsys, "analyze", text_file, "--model", model, "--out", tmp_path / "out")
    assert error == f"{model} is not on this machine yet: download it first. Option --download does."


def test_a_command_without_that_option_names_one_that_has_it(
    text_file: Path, hub_cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    error = refused(capsys, "compare", "nobody/no-such-model", "default", "--text", text_file)
    assert error.endswith("Option --download of `analyze` does.")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--share", "0"], "The share of strong pairs is a number above 0 and at most 1"),
        (["--share", "nan"], "not nan."),
        (["--window-tokens", "8"], "argument --window-tokens: must be a whole number from 16 on, not '8'"),
        (["--stack", "decoder"], "has one stack and no decoder: leave the stack out."),
        (["--stack", "pooler"], "argument --stack: invalid choice: 'pooler'"),
        (["--window-tokens", "128"], "reads windows of at most 96 tokens, not 128: choose a shorter window."),
        (["--window", "99"], "There is no window 99: this text has"),
        (["--window", "0"], "There is no window 0"),
        (["--window", "two"], "argument --window: invalid int value: 'two'"),
        (["--share", "9" * 5000], "such as 0.01 for 1%, not inf."),
        (["--model", ""], "argument --model: is empty"),
        (["--language", "xx"], "argument --language: must be auto or a code of ISO 639"),
        (["--layout", "round"], "invalid choice: 'round'"),
        (["--revision", "main"], "is a folder and has no revisions"),
        (["--out", ""], "argument --out: must name a file or a folder, and is empty"),
        (["--colour", "red"], "unrecognized arguments: --colour red"),
    ],
)
def test_options_that_make_no_sense(
    options: list[str], says: str, text_file: Path, tiny: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    error = refused(capsys, "analyze", text_file, "--model", tiny, "--out", tmp_path / "out", *options)
    assert says in error
    assert len(error) < 1000
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "theirs",
    [
        {"pairs.csv": "mine", "provenance.json": "{}"},
        {"provenance.json": '{"program": "attn-core"}', "checksums.json": "{}"},
    ],
)
@pytest.mark.parametrize("command", ["analyze", "compare"])
def test_files_of_others_are_not_overwritten(
    command: str, theirs: dict[str, str], text_file: Path, tiny: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    for name, content in theirs.items():
        (out / name).write_text(content)
    assert main([command, *arguments_of(command, text_file, tiny), "--out", str(out)]) == 2
    (error,) = [line for line in capsys.readouterr().err.splitlines() if line.startswith("attn_core: ")]
    assert f"{out} holds " in error and "choose a" in error
    assert {file.name: file.read_text() for file in out.iterdir()} == theirs


def arguments_of(command: str, text_file: Path, tiny: str) -> list[str]:
    """What a command needs besides the folder that it writes into."""
    if command == "analyze":
        return [str(text_file), "--model", tiny]
    return [tiny, f"{tiny}+untrained", "--text", str(text_file)]


def content(folder: Path) -> dict[str, bytes]:
    """The files of a folder."""
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_tables_of_ours_are_written_again_where_that_is_asked_for(
    text_file: Path, tiny: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    command = ["analyze", str(text_file), "--model", tiny, "--out", str(out)]
    assert main(command) == 0
    before = content(out)
    capsys.readouterr()
    assert "--overwrite" in refused(capsys, *command)
    assert content(out) == before
    assert main([*command, "--share=0.05", "--overwrite"]) == 0
    assert json.loads((out / "provenance.json").read_bytes())["share"] == 0.05


@pytest.mark.parametrize("command", ["analyze", "compare"])
def test_a_full_disk_is_one_sentence(
    command: str,
    text_file: Path,
    tiny: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A write that finds no room names no file."""
    arguments = arguments_of(command, text_file, tiny)

    def full(_: Path, _data: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    assert main([command, *arguments, "--out", str(tmp_path / "out")]) == 2
    (error,) = [line for line in capsys.readouterr().err.splitlines() if line.startswith("attn_core: ")]
    assert "The disk is full: make room" in error and not any((tmp_path / "out").iterdir())
    assert "Errno" not in error and "study" not in error


@pytest.mark.parametrize("command", ["analyze", "compare", "study"])
def test_links_in_a_circle_are_no_folder(
    command: str, text_file: Path, tiny: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "nowhere").symlink_to(tmp_path / "not" / "there")
    of_command: dict[str, list[object]] = {
        "analyze": [text_file],
        "compare": [tiny, f"{tiny}+untrained"],
        "study": [text_file, "--models", tiny],
    }
    arguments = of_command[command]
    error = refused(capsys, command, *arguments, "--out", tmp_path / "loop")
    assert f"{tmp_path / 'loop'} cannot be a path on this machine" in error
    error = refused(capsys, command, *arguments, "--out", tmp_path / "nowhere")
    assert f"{tmp_path / 'nowhere'} is " in error and "link that leads nowhere" in error


def test_what_cannot_be_written_is_named_and_not_its_unfinished_file(
    tiny: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:

    def read_only(path: Path, *given: Any, **options: Any) -> NoReturn:
        raise OSError(errno.EROFS, "Read-only file system", str(path))

    monkeypatch.setattr(atomic_files, "open", read_only, raising=False)
    options = ["--method", "even_cuts", "--model", tiny, "--csv", str(tmp_path / "cut.csv")]
    assert main(["segment", str(SAMPLES_FOLDER / "three_topics.txt"), *options]) == 2
    assert capsys.readouterr().err.endswith(f"\nattn_core: {tmp_path / 'cut.csv'}: Read-only file system.\n")


def test_a_command_that_is_not_whole(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in ([], ["dance"], ["analyze"], ["analyze", "x.txt"]):
        assert "--help" in refused(capsys, *arguments)


def test_results_among_the_texts_are_refused(tiny: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text("The tide rose. Nobody saw it.")
    says = refused(capsys, "study", tmp_path / "texts", "--models", tiny, "--out", tmp_path / "texts" / "deep" / "out")
    assert "lies in the folder of the texts" in says
    assert [file.name for file in (tmp_path / "texts").iterdir()] == ["a.txt"]
