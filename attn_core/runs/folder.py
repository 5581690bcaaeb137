"""The folder of a study: what lies where, and how it is written so that nothing is ever half there.

manifest.json    model, settings, corpus, versions: what the numbers depend on
progress.json    how far it is, for whoever looks
shards/000000/   windows.parquet, texts.parquet, tokens.parquet, distances.parquet (see `shard_tables`)
examples/        pairs to read, of all shards so far (see `examples`)
tables/          the pooled tables, CSV and Parquet; there once the study is finished
lock             held by the process that works here

Whatever is written here can tell whether it is still what was written: a JSON file carries its own SHA-256, a folder has
one for each of its files in checksums.json. What fails the test counts as not there, or is refused; it is never read.
What is removed is removed by the same proof, file by file: what somebody else has put between is left.
"""

import os
import re
import socket
import sys
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from stat import S_ISREG
from typing import IO, Any

from attn_core.errors import InputError
from attn_core.io import atomic_files
from attn_core.io.atomic_files import UNFINISHED, naming, sync, unfinished, write_files
from attn_core.io.paths import shown
from attn_core.io.signed_json import read_json as read_json
from attn_core.io.signed_json import to_json as to_json
from attn_core.runs.errors import RunError

MANIFEST, PROGRESS, LOCK, SHARDS, TABLES = "manifest.json", "progress.json", "lock", "shards", "tables"
EXAMPLES = "examples"
CHECKSUMS = "checksums.json"
COMMAND, LOG = "command.json", "log.txt"  # of a program that starts a study
SUBCOMMANDS = ("study", "patterns", "reproduce")  # what it starts
BEFORE_IT = (LOCK, PROGRESS, COMMAND, LOG)  # what lies there before the manifest
ASIDE = ".old"
SHARD = re.compile(r"\d{6,}")
REPLACED = re.compile(rf"\.({TABLES}|{EXAMPLES}|{SHARD.pattern}){re.escape(ASIDE)}")


class DamagedError(InputError):
    """A file of a study is not what was written."""


def write_file(path: Path, data: bytes) -> None:
    """Write a file whole or not at all; an empty folder that has taken its place goes. Raises DamagedError for a full one."""
    _make_way(path)
    atomic_files.write_file(path, data)


def write_folder(path: Path, files: Mapping[str, bytes]) -> None:
    """Write a folder of files and their checksums whole or not at all, in place of what is there.

    That goes aside until the new one stands, so that a process killed in between loses neither: see `clear_leftovers`.
    What somebody else has put into it moves along. Raises DamagedError where a full folder has the name of a file.
    """
    checksums = {name: sha256(data).hexdigest() for name, data in files.items()}
    files = {**files, CHECKSUMS: to_json({"folder": path.name, "files": checksums})}
    new, old = unfinished(path), path.with_name(f".{path.name}{ASIDE}")
    if not path.is_symlink():
        for name in files:
            _make_way(path / name)
    try:
        write_files(files, new)
        if os.path.lexists(path):
            _settle(old, path)
            path.rename(old)
        new.rename(path)
    except BaseException:
        _remove_files(new, files)
        raise
    sync(path.parent)
    _settle(old, path)


def _make_way(path: Path) -> None:
    """Remove folders with nothing in them from the place of a file."""
    if path.is_dir() and not path.is_symlink() and not _removed(path):
        raise DamagedError(f"{shown(path)} is a folder, where a file belongs: move it elsewhere.")


def _settle(old: Path, path: Path) -> None:
    """Remove what was replaced; what in it is not ours moves into the folder that has its place now."""
    if not old.is_dir() or old.is_symlink():
        old.unlink(missing_ok=True)
        return
    ours = {*_names(old), *_names(path)}
    for file in old.iterdir():
        if file.name not in ours and not os.path.lexists(path / file.name):
            file.rename(path / file.name)
    _remove_files(old, ours)


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
    written = read_json(path / CHECKSUMS) or {}
    if written.get("folder") != path.name or "files" not in written:  # none, another one's, or another file altogether
        raise DamagedError(f"{shown(path)} is damaged: nothing tells what was written there.")
    return written["files"]


def remove_folder(path: Path) -> bool:
    """Remove the files that `write_folder` has written, and the folder where nothing else is in it; whether it is gone."""
    if path.is_symlink():
        path.unlink()
    else:
        _remove_files(path, _names(path))
    return not os.path.lexists(path)


def remove_shards(folder: Path) -> None:
    """Remove all shards, as `remove_folder` does."""
    for shard in shard_paths(folder):
        remove_folder(shard)


def others_in(path: Path) -> list[str]:
    """What `remove_folder` leaves of a folder: the names of what `write_folder` has not written."""
    if path.is_symlink():
        return []
    ours = _names(path)
    return sorted(one.name for one in path.iterdir() if one.name not in ours and not UNFINISHED.fullmatch(one.name))


def _names(path: Path) -> tuple[str, ...]:
    """The names of the files that `write_folder` has written, here or elsewhere; none where nothing tells them."""
    told = (read_json(path / CHECKSUMS) or {}).get("files")
    return (*told, CHECKSUMS) if isinstance(told, dict) else ()


def _remove_files(folder: Path, names: Collection[str]) -> None:
    """Remove files of these names, and those that were never finished; the folder too, if nothing is left in it."""
    if not folder.is_dir():
        return
    for file in folder.iterdir():
        if file.name in names or UNFINISHED.fullmatch(file.name):
            _removed(file)
    with suppress(OSError):
        folder.rmdir()


def _removed(path: Path) -> bool:
    """Remove a file, a link, or a folder in which there are only folders; whether it is gone."""
    if not path.is_dir() or path.is_symlink():
        path.unlink(missing_ok=True)
    elif all(map(_removed_folder, path.iterdir())):
        path.rmdir()
    return not os.path.lexists(path)


def _removed_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink() and _removed(path)


def refuse_others(
    folder: Path, what: str = "study", manifest: str = MANIFEST, own: Collection[str] = BEFORE_IT
) -> None:
    """Raises RunError where a folder is somebody else's; nothing is written into it then.

    what: in words, what shall lie there. manifest: the file that tells it. own: what may lie there before that file does.
    """
    if folder.exists() and not folder.is_dir():
        raise RunError(f"{shown(folder)} is a file: choose a folder for the {what}.")
    if folder.is_symlink() and not folder.exists():
        raise RunError(f"{shown(folder)} is a link that leads nowhere: choose a folder for the {what}.")
    if not folder.is_dir() or read_json(folder / manifest) is not None:
        return
    ours = own_files(folder).intersection(own)
    others = sorted(
        path.name for path in folder.iterdir() if path.name not in ours and not UNFINISHED.fullmatch(path.name)
    )
    if manifest in others:
        raise DamagedError(
            f"The manifest of the {what} in {shown(folder)} ({manifest}) is damaged, or another program's: choose a new folder."
        )
    if others:
        raise RunError(f"{shown(folder)} holds other files ({shown(others[0])}) and no {what}: choose an empty folder.")


def own_files(folder: Path) -> set[str]:
    """The files of a study, shards and tables apart, whose content says that we wrote them."""
    ours = {name for name in (MANIFEST, PROGRESS, LOCK) if read_json(folder / name) is not None}
    with suppress(OSError):
        state = (folder / LOCK).stat()
        ours |= {LOCK} if S_ISREG(state.st_mode) and not state.st_size else set()  # nobody works there
    return ours | ({COMMAND, LOG} if read_command(folder) is not None else set())


def read_command(folder: Path) -> dict[str, Any] | None:
    """What a page has started in a folder: subcommand, and command, its arguments; None where none did."""
    told = read_json(folder / COMMAND)
    if told is None or told.get("subcommand", SUBCOMMANDS[0]) not in SUBCOMMANDS:
        return None
    command = told.get("command")
    ours = isinstance(command, list) and command and all(isinstance(part, str) for part in command)
    return told if ours else None


def clear_leftovers(folder: Path) -> None:
    """Remove what a killed process left half written, and put back what it had not replaced yet."""
    for place in (folder, folder / SHARDS):
        for entry in [*place.iterdir()] if place.is_dir() else ():
            with suppress(OSError):
                if UNFINISHED.fullmatch(entry.name):
                    _clear_unfinished(entry)
                elif replaced := REPLACED.fullmatch(entry.name):
                    _put_back(entry, place / replaced[1])


def _clear_unfinished(path: Path) -> None:
    """A file, or a folder of files that `write_folder` had not named yet: nobody else writes under such a name."""
    if path.is_dir() and not path.is_symlink():
        _remove_files(path, [file.name for file in path.iterdir() if file.is_file()])
    else:
        path.unlink(missing_ok=True)


def _put_back(old: Path, path: Path) -> None:
    if os.path.lexists(path):
        _settle(old, path)
    else:
        old.rename(path)


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """The manifest of a study, None where there is none. Raises DamagedError where it is not what was written."""
    manifest = read_json(folder / MANIFEST)
    if manifest is None and (folder / MANIFEST).exists():
        raise DamagedError(
            f"The manifest of the study in {shown(folder)} is damaged, or of another version of this program: nothing tells "
            "what its numbers depend on, so that it must be run again, in a new folder."
        )
    return manifest


def shard_path(folder: Path, number: int) -> Path:
    return folder / SHARDS / f"{number:06d}"


def shard_paths(folder: Path) -> list[Path]:
    """The shards in their order, whole or damaged."""
    return sorted(path for path in (folder / SHARDS).glob("[0-9]*") if SHARD.fullmatch(path.name) and path.is_dir())


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
                f"{shown(folder)} is in use: {who} is at work there; wait for it or choose another folder."
            )
        with naming(folder / LOCK):
            file.truncate(0)
            file.write(to_json({"pid": os.getpid(), "host": socket.gethostname()}))
            file.flush()
        try:
            yield
        finally:
            file.truncate(0)


def holder(folder: Path) -> dict[str, Any] | None:
    """Process and machine that work in a folder, as they wrote it down."""
    held_by = read_json(folder / LOCK)
    return held_by if held_by is not None and held_by.keys() >= {"pid", "host"} else None


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
