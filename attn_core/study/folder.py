"""The folder of a study: what lies where, and how it is written so that nothing is ever half there.

manifest.json    model, settings, corpus, versions: what the numbers depend on
progress.json    how far it is, for whoever looks
shards/000000/   windows.parquet, texts.parquet, tokens.parquet, distances.parquet (see `counts`)
tables/          the pooled tables, CSV and Parquet; there once the study is finished
lock             held by the process that works here
"""

import json
import os
import shutil
import socket
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from attn_core.errors import InputError

MANIFEST, PROGRESS, LOCK, SHARDS, TABLES = "manifest.json", "progress.json", "lock", "shards", "tables"


def write_file(path: Path, data: bytes) -> None:
    """Write a file whole or not at all: a temporary file beside it, flushed to the disk, then renamed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        _write_through(temporary, data)
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
    _sync(path.parent)


def write_folder(path: Path, files: Mapping[str, bytes]) -> None:
    """Write a folder of files whole or not at all; one that is there is replaced."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.mkdir()
        for name, data in files.items():
            _write_through(temporary / name, data)
        _sync(temporary)
        if path.exists():
            shutil.rmtree(path)
        temporary.rename(path)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    _sync(path.parent)


def clear_leftovers(folder: Path) -> None:
    """Remove what a killed process left half written."""
    for place in (folder, folder / SHARDS):
        for leftover in place.glob(".*.tmp"):
            if leftover.is_dir():
                shutil.rmtree(leftover, ignore_errors=True)
            else:
                leftover.unlink(missing_ok=True)


def read_json(path: Path) -> dict[str, Any] | None:
    """A JSON object, None where there is none (or half of one, from another program)."""
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def to_json(value: Mapping[str, object]) -> bytes:
    try:
        return json.dumps(value, indent=2, ensure_ascii=False).encode()
    except UnicodeEncodeError:  # the name of a file that is no UTF-8
        return json.dumps(value, indent=2).encode()


def shard_path(folder: Path, number: int) -> Path:
    return folder / SHARDS / f"{number:06d}"


def shard_paths(folder: Path) -> list[Path]:
    """The finished shards in their order."""
    return sorted(path for path in (folder / SHARDS).glob("[0-9]*") if path.is_dir())


@contextmanager
def lock(folder: Path) -> Iterator[None]:
    """Be the only process that works in a folder. The operating system drops the lock of a process that died.

    Raises InputError where another process holds it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / LOCK).open("a+b") as file:
        if not _try_lock(file, patience=1.0):
            owner = holder(folder)
            who = f"process {owner['pid']} on {owner['host']}" if owner else "another process"
            raise InputError(
                f"{folder} is in use: {who} is working on this study; wait for it or choose another folder."
            )
        file.truncate(0)
        file.write(to_json({"pid": os.getpid(), "host": socket.gethostname()}))
        file.flush()
        try:
            yield
        finally:
            file.truncate(0)


def holder(folder: Path) -> dict[str, Any] | None:
    """Process and machine that work in a folder, as they wrote it down."""
    return read_json(folder / LOCK)


def is_locked(folder: Path) -> bool:
    """Whether a process of this machine works in a folder right now."""
    try:
        with (folder / LOCK).open("r+b") as file:
            return not _try_lock(file, patience=0.0)
    except OSError:
        return False


def _try_lock(file: IO[bytes], patience: float) -> bool:
    """Lock an open file, waiting a moment, since whoever asks `is_locked` holds it for an instant."""
    end = time.monotonic() + patience
    while True:
        try:
            _lock_now(file)
        except OSError:
            if time.monotonic() >= end:
                return False
            time.sleep(0.05)
        else:
            return True


if sys.platform == "win32":
    import msvcrt

    def _lock_now(file: IO[bytes]) -> None:
        file.seek(1 << 30)  # Windows locks bytes, not files: one far behind the text, which others may then read
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        file.seek(0)

else:
    import fcntl

    def _lock_now(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _write_through(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync(folder: Path) -> None:
    """Make a rename last through a power cut; not every system lets a folder be opened for it."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
