"""What a user types as a path is a path, or one sentence."""

import os
from pathlib import Path

import pytest

from attn_core.errors import InputError
from attn_core.io.paths import shown, typed_path


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
    assert shown(os.fsdecode(b"b\xff.txt")) == "b\\xff.txt"
    assert shown(tmp_path / "für.txt") == f"{tmp_path}/für.txt"
