"""A reproduction is deleted as far as its files prove that this program wrote them."""

import shutil
from pathlib import Path

import pytest

from attn_core.errors import InputError
from attn_core.reproduction.deletion import delete_reproduction
from attn_core.runs import folder as files
from attn_core.runs.lock import lock


@pytest.fixture
def mine(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "mine"))


def test_nothing_is_left_of_one_that_is_only_ours(mine: Path) -> None:
    assert delete_reproduction(mine) == []
    assert not mine.exists()


def test_what_somebody_put_there_stays_and_is_named(mine: Path, tmp_path: Path) -> None:
    reading = next(path.parent for path in mine.rglob("reading.json"))
    strays = [
        mine / "notes.txt",
        mine / "corpora" / "mine.json",
        reading / "shards" / "000000" / "more.txt",
        reading / "why.txt",
    ]
    for stray in strays:
        stray.write_text("{}", encoding="utf-8")
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "reading.json").write_bytes((reading / "reading.json").read_bytes())
    (mine / "readings" / "link").symlink_to(theirs, target_is_directory=True)
    assert delete_reproduction(mine) == ["corpora", "notes.txt", "readings"]
    assert all(stray.exists() for stray in strays) and (theirs / "reading.json").exists()
    assert {path for path in mine.rglob("*") if path.is_file()} == set(strays)


def test_a_folder_that_nothing_proves_to_be_ours_is_left(mine: Path) -> None:
    before = sorted(mine.rglob("*"))
    for name in (files.MANIFEST, files.PROGRESS, files.LOCK):
        (mine / name).write_text("damaged", encoding="utf-8")
    with pytest.raises(InputError, match="Nothing in .* proves"):
        delete_reproduction(mine)
    assert sorted(mine.rglob("*")) == before


def test_one_that_is_at_work_is_left(mine: Path) -> None:
    before = sorted(mine.rglob("*"))
    with lock(mine), pytest.raises(InputError, match="at work"):
        delete_reproduction(mine)
    assert sorted(mine.rglob("*")) == before
