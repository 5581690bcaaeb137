"""Folders of exported tables, with the SHA-256 of each file in provenance.json.

Tables are written into a new or empty folder, or overwrite one that holds only exported tables.
"""

import json
import os
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from attn_core.errors import InputError
from attn_core.io.atomic_files import TABLE, are_digests, read_json, read_written, write_file
from attn_core.io.paths import shown, without_places
from attn_core.io.tables import PROGRAM

PROVENANCE = "provenance.json"
UNFINISHED = ".unfinished-"  # prefix of a temporary folder, which a killed process leaves behind


def check_folder(folder: Path, overwrite: bool = False) -> None:
    """Raise InputError for a folder with other files, or with tables and no permission to overwrite them."""
    if os.path.lexists(folder) and not folder.is_dir():
        raise InputError(f"{shown(folder)} is no folder, or a link that leads nowhere: choose a new folder.")
    found = [path for path in folder.iterdir() if not path.name.startswith(UNFINISHED)] if folder.is_dir() else []
    about = read_provenance(folder)
    ours = {PROVENANCE, *about["files"]} if about else set()
    if others := sorted(path.name for path in found if path.name not in ours or path.is_symlink() or path.is_dir()):
        raise InputError(f"{shown(folder)} holds other files ({shown(others[0])}): choose a new or empty folder.")
    if found and not overwrite:
        raise InputError(f"{shown(folder)} holds tables: choose a new folder, or overwrite them with --overwrite.")


def write_tables(
    files: Mapping[str, bytes], folder: Path, overwrite: bool = False, argv: Sequence[str] | None = None
) -> None:
    """Write tables and provenance.json into a folder, all or none of them. Raises InputError as in `check_folder`.

    If the process is killed in between, the tables are not taken for whole, and can be overwritten. argv: the command
    that made them; provenance.json records it with paths reduced to their last part.
    """
    check_folder(folder, overwrite)
    folder.mkdir(parents=True, exist_ok=True)
    old = read_provenance(folder).get("files", {})
    tables = {name: data for name, data in files.items() if name != PROVENANCE}
    about = json.loads(files[PROVENANCE]) | {"argv": None if argv is None else without_places(argv)}
    about["files"] = {name: sha256(data).hexdigest() for name, data in tables.items()}
    tables[PROVENANCE] = json.dumps(about, indent=2).encode()  # renamed last
    with TemporaryDirectory(prefix=UNFINISHED, dir=folder) as place:
        for name, data in tables.items():
            Path(place, name).write_bytes(data)
        write_file(folder / PROVENANCE, json.dumps(about | {"files": {**old, **about["files"]}}).encode())
        for name in old.keys() - files:
            (folder / name).unlink(missing_ok=True)
        for name in tables:
            Path(place, name).replace(folder / name)


def read_provenance(folder: Path) -> dict[str, Any]:
    """The provenance of exported tables; empty for any other folder."""
    about = read_json(folder / PROVENANCE) or {}
    return about if about.get("program") == PROGRAM and are_digests(about.get("files"), TABLE) else {}


def checked_provenance(folder: Path) -> dict[str, Any]:
    """The provenance of exported tables. Raises DamagedError if a table is missing or was changed."""
    about = read_provenance(folder)
    for name, digest in about.get("files", {}).items():
        read_written(folder / name, digest)
    return about
