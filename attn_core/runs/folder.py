"""The folder of a run: what is stored where, and how it is written so that nothing is ever half there.

manifest.json    what the numbers depend on: kind, program, model, corpus, settings; and the SHA-256 of the tables
progress.json    how far it is, for whoever looks
shards/000000/   what was counted (see `shards`)
tables/          the pooled tables, CSV and Parquet; there once the run is finished (see `pooled`)
lock             held by the process that works here
command.json     what a page has started here, and log.txt, what that has printed

A run writes only into a new or an empty folder, or into one that has its manifest.
"""

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attn_core import __version__
from attn_core.errors import InputError, RunError
from attn_core.io import atomic_files
from attn_core.io.atomic_files import UNFINISHED, unfinished
from attn_core.io.paths import last_part, shown
from attn_core.io.tables import software
from attn_core.runs.kinds import Kind, kind_of

MANIFEST, PROGRESS, LOCK, SHARDS, TABLES = "manifest.json", "progress.json", "lock", "shards", "tables"
COMMAND, LOG = "command.json", "log.txt"
PLACES = ("source", "place")  # of corpus and model, where they lie: of no account for the numbers


class DamagedError(InputError):
    """A file of a run is not what was written."""


def write_file(path: Path, data: bytes, within: Path | None = None) -> None:
    """Write a file whole or not at all. A link in its place goes, or in that of a folder above it within the folder of a run."""
    clear_way(path, within or path.parent)
    atomic_files.write_file(path, data)


def write_folder(path: Path, files: Mapping[str, bytes]) -> None:
    """Write a folder of files whole or not at all, where there is none."""
    new = unfinished(path)
    try:
        for name, data in files.items():
            atomic_files.write_file(new / name, data)
        new.rename(path)
    finally:
        shutil.rmtree(new, ignore_errors=True)


def clear_way(path: Path, within: Path) -> None:
    """Remove links in place of a path and of the folders above it, up to the folder that it lies in."""
    for part in (path, *path.parents):
        if part == within:
            return
        if part.is_symlink():
            part.unlink()


def clear_leftovers(folder: Path) -> None:
    """Remove what a killed process has left half written: nobody else writes under such a name."""
    for place in (folder, folder / SHARDS, folder / TABLES):
        for path in place.iterdir() if place.is_dir() else ():
            if UNFINISHED.fullmatch(path.name):
                remove(path)


def remove(path: Path) -> None:
    """Remove a file, a folder with all that is in it, or a link itself."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def read_json(path: Path) -> dict[str, Any] | None:
    """A JSON object; None where there is none."""
    try:
        facts = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return facts if isinstance(facts, dict) else None


def to_json(value: Mapping[str, object]) -> bytes:
    """A JSON object in lines; in ASCII, since the name of a file may be no UTF-8."""
    return json.dumps(value, indent=2).encode()


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """The manifest of a run, None where there is none. Raises DamagedError where it cannot be one of ours."""
    manifest = read_json(folder / MANIFEST)
    if manifest is not None and kind_of(manifest) is not None:
        return manifest
    if os.path.lexists(folder / MANIFEST):
        raise DamagedError(
            f"{shown(folder / MANIFEST)} is damaged, of another program or of another version: nothing tells what the numbers "
            "here depend on, so that they must be made again, in a new folder."
        )
    return None


def begin_manifest(folder: Path, kind: Kind) -> None:
    """Make a folder that of a run, before anything is known of it."""
    if read_manifest(folder) is None:
        write_file(folder / MANIFEST, to_json(made_by(kind)))


def made_by(kind: Kind) -> dict[str, Any]:
    """What a manifest says of the run and the program: kind, format, version, the libraries."""
    program = {"version": __version__}
    return {"kind": kind.name, "format": kind.format, "program": program, "software": software()}


def refuse_others(folder: Path, kind: Kind) -> None:
    """Raises RunError for a folder that is not new, not empty, and not that of a run of this kind. Writes nothing."""
    if os.path.lexists(folder) and not folder.is_dir():
        raise RunError(f"{shown(folder)} is a file, or a link that leads nowhere: choose a folder for the {kind.name}.")
    manifest = read_manifest(folder)
    if manifest is not None and kind_of(manifest) != kind:
        raise RunError(f"{shown(folder)} holds no {kind.name} but another run: choose a new folder.")
    found = sorted(folder.iterdir()) if folder.is_dir() and manifest is None else []
    if others := [path for path in found if not (UNFINISHED.fullmatch(path.name) or _is_free_lock(path))]:
        raise RunError(
            f"{shown(folder)} holds other files ({shown(others[0].name)}) and no {kind.name}: choose an empty folder."
        )


def _is_free_lock(path: Path) -> bool:
    return path.name == LOCK and path.is_file() and not path.stat().st_size


def to_hand_on(manifest: Mapping[str, Any]) -> bytes:
    """The manifest as an export takes it, without where model and corpus lie: those find them on this machine alone."""
    parts = {part: {**manifest[part]} for part in ("model", "corpus") if part in manifest}
    parts.get("model", {}).pop("place", None)
    if "source" in parts["corpus"]:
        parts["corpus"]["source"] = last_part(parts["corpus"]["source"])
    return to_json({**manifest, **parts})
