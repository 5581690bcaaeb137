"""The folder of a run and its files, each of which is written completely or not at all.

manifest.json    all that the numbers depend on: kind, program, model, corpus, settings; and the SHA-256 of the tables
                 and of the shards that they are made of
progress.json    its progress, for pages and other programs
shards/000000/   counts, and shards.json, their SHA-256 (see `shards`)
tables/          the pooled tables, CSV and Parquet, of a finished run
lock             held by the process that works here
command.json     the command that a page started; log.txt has its output

A run writes only into a new or an empty folder, or into one that has its manifest and no links. Whatever a file here
says, nothing outside the folder is written or removed.
"""

import json
import os
import re
import shutil
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from attn_core import __version__
from attn_core.errors import InputError, RunError
from attn_core.io.atomic_files import (
    TABLE,
    UNFINISHED,
    DamagedError,
    are_digests,
    read_json,
    read_written,
    unfinished,
    write_file,
)
from attn_core.io.exports import software
from attn_core.io.paths import last_part, printable

MANIFEST, PROGRESS, LOCK, SHARDS, TABLES = "manifest.json", "progress.json", "lock", "shards", "tables"
COMMAND, LOG, RECORD = "command.json", "log.txt", "subject.json"
RECORDED, FACTS = "shards.json", "shard.json"
WRITTEN = (MANIFEST, PROGRESS, LOCK, COMMAND, LOG)  # files of a run besides records of subjects, shards and tables
PATIENCE = 1.0  # seconds to wait for the lock: `is_locked` takes it for an instant
PLACE = re.compile(r"[\w-]+(/[\w-]+)*", re.ASCII)  # of shards, in the folder of the run
PARTS = ("program", "software", "model", "corpus", "settings")  # of a manifest, objects
PLAIN = {"tables": TABLE, "shards": PLACE}  # digests by plain names
PLACES = ("source", "place")  # paths of corpus and model: the numbers do not depend on them


@dataclass(frozen=True)
class Kind:
    """A kind of run.

    folders: the name of the folder that contains its runs. format: the version of its files. results: the class that
    opens a folder, as module:name in the package.
    """

    name: str
    folders: str
    command: str
    format: int | str
    results: str

    def opener(self) -> Any:
        """The class that opens a folder of this kind, imported on first use."""
        module, _, attribute = self.results.partition(":")
        return getattr(import_module(f"attn_core.{module}"), attribute)


KINDS = {
    "study": Kind("study", "studies", "study", 12, "study.opened:Study"),
    "ablation": Kind("ablation", "ablations", "ablate", "ablation 5", "interventions.ablation:Ablation"),
}


def kind_of(manifest: Mapping[str, Any]) -> Kind | None:
    """The kind that a manifest names."""
    return KINDS.get(str(manifest.get("kind")))


def write_folder(path: Path, files: Mapping[str, bytes]) -> None:
    """Write a new folder of files that only this user can read, all of them or none."""
    new = unfinished(path)
    try:
        for name, data in files.items():
            write_file(new / name, data, private=True)
        new.rename(path)
    finally:
        shutil.rmtree(new, ignore_errors=True)


def clear_leftovers(folder: Path) -> None:
    """Remove unfinished files of a killed process."""
    for place in (folder, folder / SHARDS, folder / TABLES):
        for path in place.iterdir() if place.is_dir() else ():
            if UNFINISHED.fullmatch(path.name):
                remove(path)


def remove(path: Path) -> None:
    """Remove a file, a folder with its content, or a link but not its target."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def to_json(value: Mapping[str, object]) -> bytes:
    """A JSON object as indented ASCII, since a file name may not be valid UTF-8."""
    return json.dumps(value, indent=2).encode()


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """The manifest of a run; None if there is none. Raises DamagedError if it cannot be read."""
    manifest = read_json(folder / MANIFEST)
    if manifest is not None and kind_of(manifest) is not None:
        objects = all(isinstance(manifest.get(part, {}), dict) for part in PARTS)
        if objects and all(are_digests(manifest.get(part, {}), names) for part, names in PLAIN.items()):
            return manifest
    if os.path.lexists(folder / MANIFEST):
        raise DamagedError(
            f"{printable(folder / MANIFEST)} is damaged, or of another program or version, so that the settings of the "
            "numbers here are unknown: make them again, in a new folder."
        )
    return None


def begin_manifest(folder: Path, kind: Kind) -> None:
    """Write the first manifest of a run, with the facts that are known before it starts."""
    if read_manifest(folder) is None:
        write_file(folder / MANIFEST, to_json(made_by(kind)))


def made_by(kind: Kind) -> dict[str, Any]:
    """The part of a manifest that describes the program: kind, format, version, libraries."""
    program = {"version": __version__}
    return {"kind": kind.name, "format": kind.format, "program": program, "software": software()}


def refuse_others(folder: Path, kind: Kind) -> None:
    """Raise RunError unless the folder is new, empty or that of a run of this kind. Writes nothing."""
    if os.path.lexists(folder) and not folder.is_dir():
        raise RunError(f"{printable(folder)} is a file, or a link to nothing: choose a folder for the {kind.name}.")
    manifest = read_manifest(folder)
    if manifest is not None and kind_of(manifest) != kind:
        raise RunError(f"{printable(folder)} holds no {kind.name} but another run: choose a new folder.")
    found = sorted(folder.iterdir()) if folder.is_dir() and manifest is None else []
    empty = [path for path in found if path.name == LOCK and path.is_file() and not path.stat().st_size]
    if others := [path for path in found if not (UNFINISHED.fullmatch(path.name) or path in empty)]:
        raise RunError(
            f"{printable(folder)} holds files ({printable(others[0].name)}), no {kind.name}: take an empty folder."
        )
    refuse_links(folder)


def refuse_links(folder: Path) -> None:
    """Raise RunError if the folder of a run has a link, a pipe or a device, which no run makes."""
    for parent, folders, names in os.walk(folder):
        for path in (Path(parent, name) for name in (*folders, *names)):
            if not stat.S_ISREG(mode := path.lstat().st_mode) and not stat.S_ISDIR(mode):
                raise RunError(f"{printable(path)} is a link, a pipe or a device: move it out of the run's folder.")


def manifest_for_export(manifest: Mapping[str, Any]) -> bytes:
    """The manifest as a file to export, without the paths of model and corpus on this machine."""
    parts = {part: {**manifest[part]} for part in ("model", "corpus") if part in manifest}
    parts.get("model", {}).pop("place", None)
    if "source" in parts["corpus"]:
        parts["corpus"]["source"] = last_part(parts["corpus"]["source"])
    return to_json({**manifest, **parts})


def read_tables(folder: Path, manifest: Mapping[str, Any]) -> dict[str, bytes]:
    """The files of the tables by name. Raises DamagedError if one is missing or differs from what was written."""
    return {name: read_written(folder / TABLES / name, digest) for name, digest in manifest.get("tables", {}).items()}


def replace_tables(folder: Path, manifest: Mapping[str, Any], tables: Mapping[str, bytes]) -> Mapping[str, Any]:
    """Write tables in place of those in the manifest, and return the new manifest.

    If the process is killed at any moment, every table agrees with the manifest or is missing. Raises RunError for a
    folder in the place of a table.
    """
    old = [folder / TABLES / name for name in manifest.get("tables", {})]
    for path in (*old, *(folder / TABLES / name for name in tables)):
        if path.is_dir():
            raise RunError(f"{printable(path)} is a folder in the place of a table: move it elsewhere.")
    for path in old:
        path.unlink(missing_ok=True)
    manifest = {**manifest, "tables": {name: sha256(data).hexdigest() for name, data in tables.items()}}
    write_file(folder / MANIFEST, to_json(manifest))
    for name, data in tables.items():
        write_file(folder / TABLES / name, data, private=True)  # examples quote texts
    return manifest


@contextmanager
def lock(folder: Path) -> Iterator[None]:
    """Context manager that locks a folder for this process. Raises InputError if another process has locked it.

    The operating system releases the lock of a process that died.
    """
    folder.mkdir(0o700, parents=True, exist_ok=True)
    try:
        own = FileLock(folder / LOCK).acquire(timeout=PATIENCE, poll_interval=0.05)
    except Timeout:
        raise InputError(
            f"{printable(folder)} is in use, another process is at work there: wait for it or choose another folder."
        ) from None
    with own:
        yield


def is_locked(folder: Path) -> bool:
    """Whether a process has locked a folder."""
    if not (folder / LOCK).is_file() or (folder / LOCK).is_symlink():
        return False
    try:
        with FileLock(folder / LOCK).acquire(timeout=0):
            return False
    except Timeout:
        return True
    except OSError:  # a read-only folder
        return False


def delete_run(folder: Path) -> None:
    """Delete the folder of a run with all its files.

    Raises InputError, and deletes nothing, if a process works on it, if it has no manifest, or if it has a file that
    no run writes.
    """
    if is_locked(folder):
        raise InputError(f"{printable(folder.name)} is at work: cancel it first.")
    if read_manifest(folder) is None:
        raise InputError(f"{printable(folder)} has no manifest of a run: delete it by hand.")
    every = sorted(folder.rglob("*"))
    runs = {path.parent: read_manifest(path.parent) or {} for path in every if path.name == MANIFEST}
    for path in every:
        if path.is_symlink() or not (path.is_dir() or _is_of_run(path, runs)):
            name = printable(path.relative_to(folder))
            raise InputError(f"{printable(folder.name)} holds other files ({name}): move them, then delete it.")
    for path in sorted(every, key=lambda path: (path.name == MANIFEST, -len(path.parts))):  # cut off, it is still a run
        if not path.is_dir():
            path.unlink()
    for path in (*reversed([path for path in every if path.is_dir()]), folder):
        path.rmdir()  # which refuses a folder with a file that came meanwhile


def _is_of_run(path: Path, runs: Mapping[Path, Mapping[str, Any]]) -> bool:
    """Whether a run writes a file of this name in this place. runs: folder of a run, or of a run in it -> manifest."""
    parent, name = path.parent, path.name
    return (
        (parent in runs and name in WRITTEN)
        or name in (RECORD, RECORDED)
        or (parent.name == TABLES and name in runs.get(parent.parent, {}).get("tables", {}))
        or (parent.parent.name == SHARDS and parent.name.isdecimal() and is_of_shard(path))
        or any(UNFINISHED.fullmatch(part) for part in (parent.name, name))
    )


def is_of_shard(path: Path) -> bool:
    """Whether a file in the folder of a shard has a name that a run gives."""
    return path.suffix == ".parquet" or path.name == FACTS
