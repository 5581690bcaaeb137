"""The user's own texts: files named by what they hold, the only ones that are listed, written and deleted."""

import os
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import pytest

from attn_core.texts import own_texts
from attn_core.texts.own_texts import OwnText

TEXT = "The lamp is lit.\r\nThe keeper climbs \u2028 the stair: é, \ud83d\ude00, \ud800."


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(own_texts.VARIABLE, str(tmp_path))
    return tmp_path / "texts"


def keep(text: str) -> OwnText:
    own = own_texts.keep(text)
    assert own is not None
    return own


def texts() -> list[str]:
    return [own.text for own in own_texts.every().values()]


def test_a_text_comes_back_as_it_was_by_its_link(place: Path) -> None:
    own = keep(TEXT)
    assert own_texts.every() == {own.link: own} and texts() == [TEXT]
    digest = sha256(TEXT.encode("utf-8", "surrogatepass")).hexdigest()
    assert list(place.iterdir()) == [place / f"{digest}.txt"]
    assert own.link == f"The lamp is lit. · {digest[:8]}"


def test_texts_that_begin_alike_have_links_of_their_own_and_the_same_text_stays_one() -> None:
    assert keep("The tide.\nOne.").link != keep("The tide.\nTwo.").link
    assert keep("The tide.\nOne.") in own_texts.every().values()
    assert sorted(texts()) == ["The tide.\nOne.", "The tide.\nTwo."]


def test_the_latest_comes_first_and_a_text_that_is_given_again_is_the_latest() -> None:
    for seconds, text in enumerate("ABC"):
        os.utime(keep(text).file, (seconds, seconds))
    assert texts() == ["C", "B", "A"]
    keep("A")
    assert texts() == ["A", "C", "B"]


def test_sessions_that_keep_at_once_lose_nothing() -> None:
    with ThreadPoolExecutor(8) as sessions:
        list(sessions.map(lambda number: keep(f"Text {number % 20}."), range(40)))
    assert set(texts()) == {f"Text {number}." for number in range(20)}


def test_a_file_of_another_name_is_not_listed(place: Path) -> None:
    own = keep("One.")
    for name in ("notes.txt", f"{own.file.name}.json", f"{'x' * 64}.txt"):
        (place / name).write_text("mine")
    assert texts() == ["One."]


def test_switched_off_it_keeps_nothing(monkeypatch: pytest.MonkeyPatch, place: Path) -> None:
    monkeypatch.setenv(own_texts.VARIABLE, "off")
    assert own_texts.keep("One.") is None
    assert own_texts.every() == {}
    assert not place.exists()


def test_a_text_that_cannot_be_written_whole_leaves_nothing(monkeypatch: pytest.MonkeyPatch, place: Path) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        own_texts.keep("One.")
    assert list(place.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
def test_texts_are_for_their_user_alone(place: Path) -> None:
    place.mkdir(mode=0o755)
    assert keep("One.").file.stat().st_mode & 0o777 == 0o600
    assert place.stat().st_mode & 0o777 == 0o700


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
