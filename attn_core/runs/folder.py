"""The folder of a run: what is stored where, and how it is written so that nothing is ever half there.

manifest.json    model, settings, corpus, versions: what the numbers depend on
progress.json    how far it is, for whoever looks
shards/000000/   texts.parquet, windows.parquet and others (as its kind counts them)
examples/        of a study: pairs to read, of all shards so far
tables/          the pooled tables, CSV and Parquet; there once the run is finished
lock             held by the process that works here

Whatever is written here can tell whether it is still what was written: a JSON file carries its own SHA-256, a folder has
one for each of its files in checksums.json. What fails the test counts as not there, or is refused; it is never read.
What is removed is removed by the same proof, file by file (see `ownership`): what somebody else has put between is left.
"""

import json
import os
import re
from collections.abc import Collection, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from attn_core.errors import InputError
from attn_core.io import atomic_files
from attn_core.io.atomic_files import UNFINISHED, unfinished
from attn_core.io.paths import last_part, shown
from attn_core.io.signed_json import read_json as read_json
from attn_core.io.signed_json import to_json as to_json

MANIFEST, PROGRESS, LOCK, SHARDS, TABLES = "manifest.json", "progress.json", "lock", "shards", "tables"
EXAMPLES = "examples"
CHECKSUMS = "checksums.json"
COMMAND, LOG = "command.json", "log.txt"  # of a program that starts a run
ASIDE = ".old"
PLACES = ("source", "place")  # of corpus and model, where they lie: of no account for the numbers
SHARD = re.compile(r"\d{6,}")
REPLACED = re.compile(rf"\.({TABLES}|{EXAMPLES}|{SHARD.pattern}){re.escape(ASIDE)}")


class DamagedError(InputError):
    """A file of a run is not what was written."""


def write_file(path: Path, data: bytes) -> None:
    """Write a file whole or not at all; an empty folder that has taken its place goes. Raises DamagedError for a full one."""
    _make_way(path)
    atomic_files.write_file(path, data)


def write_folder(path: Path, files: Mapping[str, bytes], of: str = "") -> None:
    """Write a folder of files and their checksums whole or not at all, in place of what is there.

    of: the run that they belong to (`asked_of`), where another run's would be mistaken for them.

    That goes aside until the new one stands, so that a process killed in between loses neither: see `clear_leftovers`.
    What somebody else has put into it moves along. Raises DamagedError where a full folder has the name of a file.
    """
    checksums = {name: sha256(data).hexdigest() for name, data in files.items()}
    told = {"folder": path.name, "files": checksums} | ({"of": of} if of else {})
    files = {**files, CHECKSUMS: to_json(told)}
    new, old = unfinished(path), path.with_name(f".{path.name}{ASIDE}")
    if not path.is_symlink():
        for name in files:
            _make_way(path / name)
    try:
        for name, data in files.items():
            atomic_files.write_file(new / name, data)
        if os.path.lexists(path):
            _settle(old, path)
            path.rename(old)
        new.rename(path)
    except BaseException:
        _remove_files(new, files)
        raise
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


def read_folder(path: Path, of: str = "") -> dict[str, bytes]:
    """The files that `write_folder` has written, by name. Raises DamagedError where one is not what was written.

    of: the run that they must belong to, where the folder tells; those of 0.2.0 do not.
    """
    return {name: read_file(path, name) for name in _checksums(path, of)}


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


def is_whole(path: Path, of: str = "") -> bool:
    """Whether a folder and each of its files are what `write_folder` has written, for that run."""
    try:
        return all(read_file(path, name) is not None for name in _checksums(path, of))
    except DamagedError:
        return False


def _checksums(path: Path, of: str = "") -> dict[str, str]:
    written = read_json(path / CHECKSUMS) or {}
    if written.get("folder") != path.name or "files" not in written:  # none, another one's, or another file altogether
        raise DamagedError(f"{shown(path)} is damaged: nothing tells what was written there.")
    if of and written.get("of", of) != of:
        raise DamagedError(f"{shown(path)} is damaged: it belongs to another run.")
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


def read_manifest(folder: Path, name: str = MANIFEST) -> dict[str, Any] | None:
    """The manifest of a run, None where there is none. Raises DamagedError where it is not what was written."""
    manifest = read_json(folder / name)
    if manifest is None and (folder / name).exists():
        raise DamagedError(
            f"The manifest of the run in {shown(folder)} is damaged, or of another version of this program: nothing tells "
            "what its numbers depend on, so that it must be run again, in a new folder."
        )
    return manifest


def asked_of(manifest: Mapping[str, Any]) -> str:
    """A digest of what a run was asked: of which texts, of which model, under which settings, wherever those lie."""
    parts = [manifest.get(part) for part in ("model", "corpus", "texts", "settings")]
    told = [
        {name: value for name, value in part.items() if name not in PLACES} if isinstance(part, dict) else part
        for part in parts
    ]
    return sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def to_hand_on(manifest: Mapping[str, Any]) -> bytes:
    """The manifest as an export takes it, without where model and corpus lie: those find them on this machine alone."""
    parts = {part: {**manifest[part]} for part in ("model", "corpus") if part in manifest}
    parts.get("model", {}).pop("place", None)
    if "source" in parts["corpus"]:
        parts["corpus"]["source"] = last_part(parts["corpus"]["source"])
    return to_json({**manifest, **parts})


def shard_path(folder: Path, number: int) -> Path:
    return folder / SHARDS / f"{number:06d}"


def shard_paths(folder: Path) -> list[Path]:
    """The shards in their order, whole or damaged."""
    return sorted(path for path in (folder / SHARDS).glob("[0-9]*") if SHARD.fullmatch(path.name) and path.is_dir())
