"""The folder that a user names for exported tables: new, empty, or one whose tables this program can prove it wrote.

provenance.json lies with all exported tables. In a folder it names each file with its SHA-256, and carries its own.
"""

import json
import os
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from attn_core.errors import InputError
from attn_core.io.atomic_files import UNFINISHED, whole_files
from attn_core.io.file_digest import sha256_of
from attn_core.io.paths import shown
from attn_core.io.signed_json import read_json, to_json
from attn_core.io.tables import PROGRAM

PROVENANCE = "provenance.json"
CHECKSUMS = "checksums.json"  # lies with the tables of a study or a series, which are not to be replaced


def write_tables(files: Mapping[str, bytes], folder: Path) -> None:
    """Write tables, provenance.json among them, into a folder: all of them, or none. Raises InputError as `whole_tables`."""
    with whole_tables(folder) as opened:
        for name, data in files.items():
            opened(name).write(data)


@contextmanager
def whole_tables(folder: Path) -> Iterator[Callable[[str], BinaryIO]]:
    """As `atomic_files.whole_files`, for tables and their provenance.json.

    Raises InputError as `refuse_others` does, and replaces nothing then.
    """
    with whole_files(folder) as opened:
        provenance, sinks = BytesIO(), dict[str, BinaryIO]()

        def noted(name: str) -> BinaryIO:
            if name == PROVENANCE:
                return provenance
            sinks[name] = opened(name)
            return sinks[name]

        yield noted
        refuse_others(folder, sinks)
        for sink in sinks.values():
            sink.flush()
        written = {name: sha256_of(Path(sink.name)) for name, sink in sinks.items()}
        opened(PROVENANCE).write(to_json({**json.loads(provenance.getvalue()), "files": written}))


def signed_provenance(told: Mapping[str, object], files: Mapping[str, bytes]) -> bytes:
    """provenance.json of files that leave the program together, as `whole_tables` writes it."""
    return to_json({**told, "files": {name: sha256(data).hexdigest() for name, data in files.items()}})


def proved_provenance(folder: Path) -> dict[str, Any]:
    """What lies with exported tables, each of which was found to be what was written; empty where there are none.

    Raises InputError for a table that is missing or not what was written.
    """
    if not (folder / PROVENANCE).is_file() or (folder / CHECKSUMS).exists():
        return {}
    if not (written := _proved(folder)):
        raise InputError(
            f"{PROVENANCE} in {shown(folder)} is damaged or another program's, and nothing else proves tables: make them again."
        )
    for name, digest in written.items():
        if not (folder / name).is_file():
            raise InputError(f"{shown(folder)} lacks {shown(name)}, which was written there: make the tables again.")
        if sha256_of(folder / name) != digest:
            raise InputError(f"{shown(folder / name)} is not what was written: make the tables again.")
    return read_json(folder / PROVENANCE) or {}


def refuse_others(folder: Path, names: Collection[str] = ()) -> None:
    """Raises InputError for a folder in which tables would replace a file, or part it from its provenance, that is not proved
    to be an exported table as it was written.

    names: of the files that are going to be written, where they are known.
    """
    if folder.is_symlink() and not folder.exists():
        raise InputError(f"{shown(folder)} is a link that leads nowhere: name a folder.")
    found = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    there = [name for name in found if not UNFINISHED.fullmatch(name)]
    if CHECKSUMS in there:
        raise InputError(f"{shown(folder)} holds the tables of a study or a series: choose a new folder.")
    written = _proved(folder)
    if there and not written:
        raise InputError(
            f"{shown(folder)} holds other files ({shown(there[0])}), which tables could overwrite: choose a new or empty "
            "folder."
        )
    for name in sorted({*written, *names}):
        path = folder / name
        if not os.path.lexists(path):
            continue
        if not path.is_file() or sha256_of(path) != written.get(name):
            raise InputError(
                f"{shown(folder)} holds a file ({shown(name)}) that is not as this program wrote it: move it elsewhere, or "
                "choose a new folder."
            )
        if names and name not in names:
            raise InputError(
                f"{shown(folder)} holds other tables ({shown(name)}), which would lose their provenance: choose a new or "
                "empty folder."
            )


def _proved(folder: Path) -> dict[str, str]:
    """Name -> SHA-256 of the tables that were exported into a folder; empty where nothing proves that any were."""
    told = read_json(folder / PROVENANCE) or {}
    files = told.get("files")
    return files if told.get("program") == PROGRAM and isinstance(files, dict) else {}
