"""The user's own texts: files named by what they hold, the only ones that are listed and written."""

import os
from hashlib import sha256
from pathlib import Path

import pytest

from attn_core.texts import own_texts

TEXT = "The lamp is lit.\r\nThe keeper climbs \u2028 the stair: é, \ud83d\ude00, \ud800."


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(own_texts, "folder", lambda: tmp_path / "texts")
    return tmp_path / "texts"


def texts() -> list[str]:
    return [own.text for own in own_texts.every().values()]


def test_a_text_comes_back_as_it_was_by_its_link_and_files_of_other_names_do_not(place: Path) -> None:
    own = own_texts.keep(TEXT)
    digest = sha256(TEXT.encode("utf-8", "surrogatepass")).hexdigest()
    assert list(place.iterdir()) == [place / f"{digest}.txt"]
    assert own.link == f"The lamp is lit. · {digest[:8]}"
    for name in ("notes.txt", f"{own.file.name}.json", f"{'x' * 64}.txt"):
        (place / name).write_text("mine")
    assert own_texts.every() == {own.link: own} and texts() == [TEXT]
    if os.name != "nt":
        assert (own.file.stat().st_mode & 0o777, place.stat().st_mode & 0o777) == (0o600, 0o700)


def test_the_latest_comes_first_and_a_text_that_is_given_again_is_the_latest() -> None:
    for seconds, text in enumerate("ABC"):
        os.utime(own_texts.keep(f"The tide.\n{text}").file, (seconds, seconds))
    assert texts() == ["The tide.\nC", "The tide.\nB", "The tide.\nA"]
    own_texts.keep("The tide.\nA")
    assert texts() == ["The tide.\nA", "The tide.\nC", "The tide.\nB"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (f"\n ***\n {'The tide rose. ' * 9}", "The tide rose. The tide rose. The tide rose. The tide rose."),
        ("word", "word"),
        ("x" * 100, "x" * 60),
        ("a\0b \u202e c", "a b c"),
        ("?!", "Text"),
    ],
)  # fmt: skip
def test_the_first_words_are_one_line_that_can_be_printed(text: str, name: str) -> None:
    assert own_texts.first_words(text) == name
