"""A file is there whole or not at all, and what cannot be replaced is left in its place."""

import errno
import os
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest

from attn_core.errors import InputError
from attn_core.io.atomic_files import unfinished, write_file
from attn_core.io.exports import check_folder
from attn_core.runs.folder import read_manifest
from attn_core.study import text_files, text_tables
from attn_core.texts import documents
from tests.io.test_table_folder import contents


def test_without_room_the_old_file_stays_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_file(tmp_path / "new" / "a.csv", b"old")

    def without_room(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", without_room)
    with pytest.raises(OSError, match=r"No space.*a\.csv"):
        write_file(tmp_path / "new" / "a.csv", b"new")
    assert contents(tmp_path / "new") == {"a.csv": b"old"}


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_bytes(b"mine")
    for name in ("mine.csv", "nowhere.csv"):
        link = tmp_path / f"link to {name}"
        link.symlink_to(tmp_path / name)
        unfinished(tmp_path / "new.csv").symlink_to(tmp_path / name)
        with pytest.raises(InputError, match="is a link, and nothing is written through it"):
            write_file(link, b"1")
        write_file(tmp_path / "new.csv", b"1")
        assert link.is_symlink() and not (tmp_path / "new.csv").is_symlink()
    assert (tmp_path / "mine.csv").read_bytes() == b"mine" and not (tmp_path / "nowhere.csv").exists()


with_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="has no named pipes")
READERS: dict[str, Callable[[Path], object]] = {
    "text.txt": documents.read_file,
    "corpus.txt": text_files.read_whole,
    "rows.csv": text_tables.columns_of,
    "rows.jsonl": text_tables.columns_of,
    "rows.parquet": text_tables.columns_of,
    "provenance.json": lambda file: check_folder(file.parent),
    "manifest.json": lambda file: read_manifest(file.parent),
}


@with_pipes
@pytest.mark.parametrize("name", READERS)
def test_a_pipe_in_the_place_of_a_file_is_refused_before_it_is_opened(name: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / name)
    with pytest.raises((InputError, OSError), match="a pipe or a device|holds other files|is damaged"):
        READERS[name](tmp_path / name)


@with_pipes
def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    write_file(pipe, b"1")
    reader.join(10)
    assert read == [b"1"]
    assert pipe.is_fifo()
