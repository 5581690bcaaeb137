"""The user's own texts: kept under names, found by the names they had, never overwritten, never evicted."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from attn_core.__main__ import main
from attn_core.errors import TextError
from attn_core.io import disk_cache
from attn_core.texts import own_texts
from attn_core.texts.own_texts import OwnText

TEXT = "The lamp is lit.\r\nThe keeper climbs \u2028 the stair: é, \ud83d\ude00, \ud800."


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(disk_cache.VARIABLE, str(tmp_path))
    return tmp_path / "texts"


def keep(text: str, name: str, **more: object) -> OwnText:
    own = own_texts.keep(text, name, **more)
    assert own is not None
    return own


def test_a_text_comes_back_as_it_was_under_its_name() -> None:
    keep(TEXT, "Lamp", is_table=True, origin="9 bytes")
    own = own_texts.every()["Lamp"]
    assert own_texts.find(own.link) == own
    assert own_texts.read(own) == TEXT
    assert (own.is_table, own.origin) == (True, "9 bytes")
    assert own_texts.find("Lamp") is None and own_texts.find("") is None


def test_another_text_of_the_same_name_gets_a_number_and_the_same_text_stays_one() -> None:
    first, second, again = keep("One.", "A"), keep("Two.", "A"), keep("One.", "B")
    assert (first.name, second.name) == ("A", "A (2)")
    assert again == first
    assert {name: own_texts.read(own) for name, own in own_texts.every().items()} == {"A": "One.", "A (2)": "Two."}


def test_the_latest_comes_first_and_a_text_that_is_given_again_is_the_latest(place: Path) -> None:
    for seconds, name in enumerate("ABC"):
        os.utime(place / keep(name, name).file, (seconds, seconds))
    assert list(own_texts.every()) == ["C", "B", "A"]
    keep("A", "A")
    assert list(own_texts.every()) == ["A", "C", "B"]


def test_a_link_finds_a_renamed_text_and_never_another_that_has_its_name() -> None:
    first = keep("One.", "A")
    own = own_texts.rename(own_texts.rename(first, "B"), "C")
    other = keep("Two.", "A")
    assert other.name == first.name and other.link != first.link
    assert (own_texts.find(first.link), own_texts.find(own.link), own_texts.find(other.link)) == (own, own, other)
    own_texts.delete(own)
    assert own_texts.find(first.link) is None
    own = keep("One.", "C")
    assert own_texts.rename(other, "C").name == "C (2)"
    assert own_texts.rename(own, " ").name == "Text"


def test_sessions_that_keep_at_once_lose_nothing() -> None:
    with ThreadPoolExecutor(8) as sessions:
        list(sessions.map(lambda number: keep(f"Text {number}.", "The same name"), range(40)))
    assert {own_texts.read(own) for own in own_texts.every().values()} == {f"Text {number}." for number in range(40)}


def test_two_processes_that_give_one_name_at_once_lose_nothing(place: Path) -> None:
    one, two = keep("One.", "A"), keep("Two.", "B")
    (place / f"{two.file}.json").write_bytes((place / f"{one.file}.json").read_bytes())
    assert sorted(own_texts.every()) == ["A", "A (2)"]
    assert {own_texts.read(own) for own in own_texts.every().values()} == {"One.", "Two."}


@pytest.mark.parametrize("name", ["../../escape", "/etc/passwd", "C:\\x", "\0", "a\nb" * 200, "", "…\u202e"])
def test_a_name_is_never_a_path(place: Path, name: str, tmp_path: Path) -> None:
    own = keep("One.", name)
    assert own_texts.rename(own, f"{name}2").name.isprintable()
    assert len(own.name) <= own_texts.LONGEST_NAME
    assert own_texts.find("../../escape/nothing") is None
    files = {file for file in tmp_path.rglob("*") if file.is_file()}
    assert files - {tmp_path / "texts.lock"} == {place / own.file, place / f"{own.file}.json"}


def test_only_our_files_are_deleted(place: Path) -> None:
    own = keep("One.", "A")
    keep("Two.", "B")
    others = [place / "notes.txt", place / "notes.json", place / f"{'0' * 64}.md.json"]
    for other in others:
        other.write_text('{"names": ["mine", "before"], "origin": ""}', encoding="utf-8")
    own_texts.delete(own)
    assert list(own_texts.every()) == ["B"]
    own_texts.delete_all()
    assert sorted(place.iterdir()) == sorted(others)


def test_nothing_is_left_of_a_text_whose_label_is_damaged_or_that_was_cut_off(place: Path) -> None:
    own, other = keep(TEXT, "Lamp"), keep("Two.", "Stair")
    cut_off = place / f".{own.file[:40]}.77-1-0.tmp"
    cut_off.write_text("The lamp")
    (place / f"{other.file}.json").write_text("[" * 100_000)
    assert list(own_texts.every()) == ["Lamp"]
    own_texts.delete(own)
    assert not (place / own.file).exists() and not cut_off.exists() and (place / other.file).exists()
    own_texts.delete_all()
    assert not list(place.iterdir())


def test_a_text_that_is_gone_gets_no_label_again(place: Path) -> None:
    own = keep(TEXT, "Lamp")
    own_texts.delete(own)
    own_texts.rename(own, "Stair")
    assert not list(place.iterdir())


def test_a_link_in_the_place_of_a_text_is_replaced(place: Path, tmp_path: Path) -> None:
    file = keep(TEXT, "Lamp").file
    (place / file).unlink()
    (tmp_path / "note.txt").write_text("mine")
    (place / file).symlink_to(tmp_path / "note.txt")
    keep(TEXT, "Lamp")
    assert (tmp_path / "note.txt").read_text() == "mine" and not (place / file).is_symlink()


def test_a_damaged_file_is_told_and_mended_by_the_same_text(place: Path) -> None:
    own = keep("One.", "A")
    (place / own.file).write_text("Another.")
    with pytest.raises(TextError, match="A.*gone or was changed"):
        own_texts.read(own)
    keep("One.", "B")
    assert own_texts.read(own) == "One."
    (place / f"{own.file}.json").write_text("[")
    assert own_texts.every() == {}
    assert keep("One.", "B").name == "B"


def test_no_room_and_no_command_takes_a_text_away(
    monkeypatch: pytest.MonkeyPatch, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = keep("One.", "A")
    monkeypatch.setattr(disk_cache, "LIMIT", 0)
    disk_cache.keep(disk_cache.key_of("a reading"), {}, {})
    assert main(["cache", "--empty"]) == 0
    assert own_texts.read(own) == "One."
    assert "1 text of your own stays" in (said := capsys.readouterr().out)
    assert str(place) in said


def test_switched_off_it_keeps_nothing(monkeypatch: pytest.MonkeyPatch, place: Path) -> None:
    monkeypatch.setenv(disk_cache.VARIABLE, "off")
    assert own_texts.keep("One.", "A") is None
    assert own_texts.every() == {}
    own_texts.delete_all()
    assert not place.exists()


def test_a_text_that_cannot_be_written_whole_leaves_nothing(monkeypatch: pytest.MonkeyPatch, place: Path) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        own_texts.keep("One.", "A")
    assert list(place.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
def test_texts_are_for_their_user_alone(place: Path) -> None:
    place.mkdir(mode=0o755)
    keep("One.", "A")
    assert place.stat().st_mode & 0o777 == 0o700
    assert {file.stat().st_mode & 0o777 for file in place.iterdir()} == {0o600}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (f"\n ***\n {'The tide rose. ' * 9}", "The tide rose. The tide rose. The tide rose. The tide rose."),
        ("word", "word"),
        ("x" * 100, "x" * 60),
        ("?!", "Text"),
    ],
)  # fmt: skip
def test_a_name_is_made_of_the_first_words(text: str, name: str) -> None:
    assert own_texts.name_from(text) == name
