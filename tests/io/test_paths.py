"""What a user types as a path is a path, or one sentence."""

import os
import re
from pathlib import Path

import pytest

from attn_core.errors import InputError
from attn_core.io import paths
from attn_core.io.paths import found_files, printable, typed_path, without_places


def test_a_tilde_is_the_home_folder_and_a_new_path_need_not_be_there(tmp_path: Path) -> None:
    assert typed_path("~/x") == Path.home() / "x"
    assert typed_path(str(tmp_path / "nothing yet")) == tmp_path / "nothing yet"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("~nobody-of-that-name/x", "home"),
        ("x" * 5000, "File name too long"),
        ("a\0b", r"a\\x00b cannot be a path .* null"),
        ("a\ud800b", r"a\\ud800b cannot be a path"),
    ],
)
def test_what_no_path_can_be_is_said_shortly(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says) as refused:
        typed_path(text)
    assert len(str(refused.value)) < 300


def test_bytes_that_are_no_utf8_can_be_printed(tmp_path: Path) -> None:
    assert printable(os.fsdecode(b"b\xff.txt")) == "b\\xff.txt"
    assert printable(tmp_path / "für.txt") == f"{tmp_path}/für.txt"


def test_a_command_is_handed_on_without_where_anything_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "novels").mkdir()
    monkeypatch.chdir(tmp_path)
    given = [
        "study", str(tmp_path / "novels"), "--models", "org/model+untrained:7", f"{tmp_path}/tiny+cross",
        "--out=/srv/me/out",
        "~/me/texts/*.txt", "../me/labels.csv", r"C:\Users\me\texts", "novels/old.txt", r"\w+ing", "--share", "0.05",
        "/a\x1bb",
    ]  # fmt: skip
    assert without_places(given) == [
        "study", "novels", "--models", "org/model+untrained:7", "tiny+cross", "--out=out",
        "*.txt", "labels.csv", "texts", "old.txt", r"\w+ing", "--share", "0.05", r"a\x1bb",
    ]  # fmt: skip
    assert without_places(without_places(given)) == without_places(given)


@pytest.mark.parametrize(
    "pattern",
    ["**/*", "*.txt", "*/*.txt", "**/*.txt", "**/b/*.txt", "**/**/*/**/*.txt", "a/**", "**/[12].txt", "?/b/1.txt"],
)
def test_a_search_finds_what_pathlib_finds_without_hidden_files_and_links(tmp_path: Path, pattern: str) -> None:
    for name in ("1.txt", "2.md", "a/1.txt", "a/b/1.txt", "a/b/c/2.txt", ".h/1.txt", "a/.h.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "file.txt").symlink_to(tmp_path / "1.txt")
    every = {*tmp_path.glob(pattern), *(tmp_path.glob(f"{pattern}/*") if pattern.endswith("**") else ())}
    hidden = re.compile(r"/\.|/loop/")
    assert {*found_files(tmp_path, pattern)} == {
        path for path in every if path.is_file() and not hidden.search(str(path))
    }


def test_a_search_has_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(1001):
        (tmp_path / f"{number}.txt").touch()
    with pytest.raises(KeyboardInterrupt):
        list(found_files(tmp_path, "**/**/*.txt", pause=lambda: (_ for _ in ()).throw(KeyboardInterrupt)))
    for limit in ("MOST_PATHS", "MOST_SECONDS"):
        with monkeypatch.context() as patched, pytest.raises(InputError, match="too many files to search"):
            patched.setattr(paths, limit, 0)
            list(found_files(tmp_path))
    with pytest.raises(OSError, match="No such file"):
        list(found_files(tmp_path / "none"))
