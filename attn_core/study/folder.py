"""The folder of a study: what lies where, and how it is written so that nothing is ever half there.

manifest.json    model, settings, corpus, versions: what the numbers depend on
progress.json    how far it is, for whoever looks
shards/000000/   windows.parquet, texts.parquet, tokens.parquet, distances.parquet (see `shard_tables`)
examples/        pairs to read, of all shards so far (see `examples`)
tables/          the pooled tables, CSV and Parquet; there once the study is finished
lock             held by the process that works here

Whatever is written here can tell whether it is still what was written: a JSON file carries its own SHA-256, a folder has
one for each of its files in checksums.json. What fails the test counts as not there, or is refused; it is never read.
"""

import json
import os
import shutil
import socket
import sys
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from fnmatch import fnmatch
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

from attn_core.errors import InputError
from attn_core.io import atomic_files
from attn_core.io.atomic_files import sync, unfinished, write_files
from attn_core.io.paths import shown
from attn_core.study.errors import StudyError

MANIFEST, PROGRESS, LOCK, SHARDS, TABLES = "manifest.json", "progress.json", "lock", "shards", "tables"
EXAMPLES = "examples"
CHECKSUMS = "checksums.json"
ASIDE = ".old"
LEFTOVER = ".*.tmp"  # see `atomic_files.unfinished`
BEFORE_IT = (
    LOCK,
    PROGRESS,
    "command.json",
    "log.txt",
)  # before the manifest; the last two of a program that starts a study


class DamagedError(InputError):
    """A file of a study is not what was written."""


def write_file(path: Path, data: bytes) -> None:
    """Write a file whole or not at all; a folder that has taken its place goes."""
    if path.is_dir():
        shutil.rmtree(path)
    atomic_files.write_file(path, data)


def write_folder(path: Path, files: Mapping[str, bytes]) -> None:
    """Write a folder of files and their checksums whole or not at all, in place of what is there.

    That goes aside until the new one stands, so that a process killed in between loses neither: see `clear_leftovers`.
    """
    checksums = {name: sha256(data).hexdigest() for name, data in files.items()}
    files = {**files, CHECKSUMS: to_json({"folder": path.name, "files": checksums})}
    new, old = unfinished(path), path.with_name(f".{path.name}{ASIDE}")
    try:
        write_files(files, new)
        if path.exists():
            remove(old)
            path.rename(old)
        new.rename(path)
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise
    sync(path.parent)
    remove(old)


def read_folder(path: Path) -> dict[str, bytes]:
    """The files that `write_folder` has written, by name. Raises DamagedError where one is not what was written."""
    return {name: read_file(path, name) for name in _checksums(path)}


def read_file(path: Path, name: str) -> bytes:
    """One file of a folder that `write_folder` has written. Raises DamagedError."""
    try:
        data = (path / name).read_bytes()
    except OSError as error:
        raise DamagedError(f"{shown(path / name)} cannot be read ({error.strerror}).") from None
    if sha256(data).hexdigest() != _checksums(path).get(name):
        raise DamagedError(f"{shown(path / name)} is damaged: it is not what was written.")
    return data


def file_names(path: Path) -> tuple[str, ...]:
    """What `write_folder` has written into a folder. Raises DamagedError."""
    return tuple(_checksums(path))


def is_whole(path: Path) -> bool:
    """Whether a folder and each of its files are what `write_folder` has written."""
    try:
        return all(read_file(path, name) is not None for name in _checksums(path))
    except DamagedError:
        return False


def _checksums(path: Path) -> dict[str, str]:
    found = read_json(path / CHECKSUMS) or {}
    if found.get("folder") != path.name or "files" not in found:  # none, another one's, or another file altogether
        raise DamagedError(f"{shown(path)} is damaged: nothing tells what was written there.")
    return found["files"]


def remove(path: Path) -> None:
    """Remove a file or a folder, if there is one."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def refuse_others(
    folder: Path, what: str = "study", manifest: str = MANIFEST, own: Collection[str] = BEFORE_IT
) -> None:
    """Raises StudyError where a folder is somebody else's; nothing is written into it then.

    what: in words, what shall lie there. manifest: the file that tells it. own: what may lie there before that file does.
    """
    if folder.exists() and not folder.is_dir():
        raise StudyError(f"{shown(folder)} is a file: choose a folder for the {what}.")
    found = {path.name for path in folder.iterdir() if not fnmatch(path.name, LEFTOVER)} if folder.is_dir() else set()
    others = sorted(found - {*own})
    if others and not (folder / manifest).exists():
        raise StudyError(
            f"{shown(folder)} holds other files ({shown(others[0])}) and no {what}: choose an empty folder."
        )


def clear_leftovers(folder: Path) -> None:
    """Remove what a killed process left half written, and put back what it had not replaced yet."""
    for place in (folder, folder / SHARDS):
        for old in place.glob(f".*{ASIDE}"):
            path = place / old.name[1 : -len(ASIDE)]
            if not path.exists():
                old.rename(path)
        for leftover in (*place.glob(LEFTOVER), *place.glob(f".*{ASIDE}")):
            with suppress(OSError):
                remove(leftover)


def read_json(path: Path) -> dict[str, Any] | None:
    """The JSON object that `to_json` has made; None where there is none, and where it is damaged."""
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or found.pop("sha256", None) != _digest(found):
        return None
    return found


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """The manifest of a study, None where there is none. Raises DamagedError where it is not what was written."""
    found = read_json(folder / MANIFEST)
    if found is None and (folder / MANIFEST).exists():
        raise DamagedError(
            f"The manifest of the study in {shown(folder)} is damaged, or of another version of this program: nothing tells "
            "what its numbers depend on, so that it must be run again, in a new folder."
        )
    return found


def to_json(value: Mapping[str, object]) -> bytes:
    """A JSON object with the SHA-256 of what is in it."""
    signed = {**value, "sha256": _digest(value)}
    try:
        return json.dumps(signed, indent=2, ensure_ascii=False).encode()
    except UnicodeEncodeError:  # the name of a file that is no UTF-8
        return json.dumps(signed, indent=2).encode()


def _digest(value: Mapping[str, object]) -> str:
    return sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def shard_path(folder: Path, number: int) -> Path:
    return folder / SHARDS / f"{number:06d}"


def shard_paths(folder: Path) -> list[Path]:
    """The shards in their order, whole or damaged."""
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
                f"{shown(folder)} is in use: {who} is working on this study; wait for it or choose another folder."
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
    found = read_json(folder / LOCK)
    return found if found is not None and found.keys() >= {"pid", "host"} else None


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
