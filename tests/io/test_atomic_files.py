"""A file is there whole or not at all, and what cannot be replaced is left in its place."""

import errno
import os
from pathlib import Path
from threading import Thread

import pytest

from attn_core.io.atomic_files import write_file


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_without_room_the_old_file_stays_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_file(tmp_path / "new" / "a.csv", b"old")

    def without_room(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", without_room)
    with pytest.raises(OSError, match=r"No space.*a\.csv"):
        write_file(tmp_path / "new" / "a.csv", b"new")
    assert contents(tmp_path / "new") == {"a.csv": b"old"}


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "link.csv").symlink_to(tmp_path / "far" / "target.csv")
    for data in (b"1", b"2"):
        write_file(tmp_path / "link.csv", data)
        assert (tmp_path / "link.csv").is_symlink()
        assert contents(tmp_path / "far") == {"target.csv": data}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="has no named pipes")
def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    write_file(pipe, b"1")
    reader.join(10)
    assert read == [b"1"]
    assert pipe.is_fifo()
