"""What is kept between starts: found whole or not at all, bounded, and nothing where the machine keeps nothing."""

import errno
import os
from pathlib import Path

import numpy as np
import pytest

from attn_core.__main__ import main
from attn_core.io import disk_cache
from attn_core.io.atomic_files import unfinished

ARRAYS = {"z": np.arange(24, dtype=np.float32).reshape(2, 3, 4), "special": np.array([True, False])}
FACTS = {"tokens": ["a", "é", '"'], "error": 1.5e-7}


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(disk_cache.VARIABLE, str(tmp_path))
    return tmp_path / "readings"


def keep(name: str) -> Path:
    disk_cache.keep(disk_cache.key_of(name), ARRAYS, FACTS)
    (file,) = disk_cache._place().glob(f"{disk_cache.key_of(name)}-*")  # type: ignore[union-attr]
    return file


def test_what_is_kept_is_found_again_to_the_bit() -> None:
    keep("a text")
    entry = disk_cache.find(disk_cache.key_of("a text"))
    assert entry is not None
    assert entry.facts == FACTS
    for name, array in ARRAYS.items():
        assert entry.arrays[name].dtype == array.dtype
        np.testing.assert_array_equal(entry.arrays[name], array)
    assert disk_cache.find(disk_cache.key_of("another text")) is None


def test_a_key_tells_every_part_from_every_other() -> None:
    keys = [
        disk_cache.key_of(*parts)
        for parts in [("ab", "c"), ("a", "bc"), ("abc",), ("ab", "c", None), ("ab", "c", 0), (1,), ("1",)]
    ]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("at", [0, 9, 200, -1])
def test_one_flipped_bit_anywhere_drops_the_entry(at: int) -> None:
    file = keep("a text")
    data = bytearray(file.read_bytes())
    data[at] ^= 1
    file.write_bytes(data)
    assert disk_cache.find(disk_cache.key_of("a text")) is None
    assert not file.exists()


def test_what_was_not_used_for_longest_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {name: keep(name) for name in ("first", "second", "third")}
    for age, name in enumerate(("third", "first", "second")):
        os.utime(files[name], ns=(0, 10**9 * age))
    assert disk_cache.find(disk_cache.key_of("third")) is not None  # which is using it
    monkeypatch.setattr(disk_cache, "LIMIT", 3 * files["first"].stat().st_size)
    files["fourth"] = keep("fourth")
    assert [name for name, file in files.items() if file.exists()] == ["second", "third", "fourth"]


def test_one_entry_does_not_take_all_the_room(monkeypatch: pytest.MonkeyPatch, place: Path) -> None:
    monkeypatch.setattr(disk_cache, "LARGEST", 10)
    disk_cache.keep(disk_cache.key_of("large"), ARRAYS, FACTS)
    assert not place.exists()


def test_a_gigabyte_holds_eight_entries_at_least() -> None:
    assert disk_cache.LIMIT == 2**30 >= 8 * disk_cache.LARGEST


def test_it_can_be_emptied(place: Path) -> None:
    entry = keep("a text")
    unfinished(entry).write_bytes(b"cut off")
    assert disk_cache.size() == entry.stat().st_size + len(b"cut off")
    disk_cache.empty()
    assert disk_cache.size() == 0
    assert not list(place.iterdir())
    assert disk_cache.find(disk_cache.key_of("a text")) is None


def test_files_of_others_in_its_folder_are_neither_counted_nor_dropped(
    monkeypatch: pytest.MonkeyPatch, place: Path
) -> None:
    keep("a text")
    others = ["notes.txt", "bert.safetensors", f"{'a' * 64}.safetensors", f"{'A' * 64}-{'b' * 64}.safetensors", "x.part",
              ".notes.txt.12-34-0.tmp"]  # fmt: skip
    for name in others:
        (place / name).write_bytes(b"mine")
    (place / f"{'a' * 64}-{'b' * 64}").mkdir()
    monkeypatch.setattr(disk_cache, "LIMIT", 0)
    disk_cache.keep(disk_cache.key_of("another text"), ARRAYS, FACTS)
    disk_cache.empty()
    assert disk_cache.size() == 0
    assert {path.name for path in place.iterdir()} == {*others, f"{'a' * 64}-{'b' * 64}"}


def test_what_lies_in_a_folder_that_can_only_be_read_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    keep("a text")

    def refused(*_: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(os, "utime", refused)
    assert disk_cache.find(disk_cache.key_of("a text")) is not None


def test_what_is_found_cannot_be_changed_under_another_reader() -> None:
    keep("a text")
    entry = disk_cache.find(disk_cache.key_of("a text"))
    assert entry is not None
    with pytest.raises(ValueError, match="read-only"):
        entry.arrays["z"][0, 0, 0] = 1.0


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
def test_the_words_of_a_text_are_for_their_user_alone(place: Path) -> None:
    keep("a text")
    assert place.stat().st_mode & 0o777 == 0o700


def test_it_can_be_switched_off_and_misses_no_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for value in ("off", str(tmp_path / "file" / "below")):
        (tmp_path / "file").write_text("no folder")
        monkeypatch.setenv(disk_cache.VARIABLE, value)
        disk_cache.keep(disk_cache.key_of("a text"), ARRAYS, FACTS)
        assert disk_cache.find(disk_cache.key_of("a text")) is None
        assert disk_cache.size() == 0
        disk_cache.empty()


def test_it_lies_in_the_user_s_cache_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(disk_cache.VARIABLE)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert disk_cache.folder() == tmp_path / "cache" / "attn_core"


def test_the_command_says_how_much_is_kept_and_empties_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = keep("a text")
    assert main(["cache"]) == 0
    assert str(tmp_path) in capsys.readouterr().out
    assert file.exists()
    assert main(["cache", "--empty"]) == 0
    assert not file.exists()
    assert capsys.readouterr().out.startswith("0.0 MB")
