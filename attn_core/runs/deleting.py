"""What a run has written is deleted; what else is in its folder is named, and stays."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from attn_core.errors import InputError
from attn_core.io.atomic_files import UNFINISHED
from attn_core.io.paths import shown
from attn_core.runs import folder as files
from attn_core.runs.lock import is_locked
from attn_core.runs.pooled import edited
from attn_core.runs.shards import SHARD

OF_A_RUN = (files.PROGRESS, files.COMMAND, files.LOG, files.LOCK, files.MANIFEST)
RECORD = "subject.json"  # of each subject of a study


def delete_run(folder: Path) -> list[str]:
    """Delete a run with all that was counted. Returns what stays, by its path in the folder: whatever no run writes, and tables
    that somebody has edited.

    Raises InputError where a process works on it, and where the folder has no manifest of ours.
    """
    if is_locked(folder):
        raise InputError(f"{shown(folder.name)} is at work: cancel it first.")
    if files.read_manifest(folder) is None:
        raise InputError(f"{shown(folder)} has no manifest of a run: delete it by hand.")
    last = [folder / name for name in OF_A_RUN]  # cut off, it is still a run till then
    for path in (*[path for path in _written(folder) if path not in last], *last):
        path.unlink(missing_ok=True)
    return _stays(folder)


def _written(folder: Path) -> Iterator[Path]:
    """The files that a run has written, and links in place of its folders."""
    manifest = files.read_manifest(folder) or {}
    tables = set(manifest.get("tables", {})) - set(edited(folder, manifest))
    for at, folders, names in os.walk(folder):
        place = Path(at)
        of_shard = place.parent.name == files.SHARDS and SHARD.fullmatch(place.name)
        for name in (*names, *(one for one in folders if (place / one).is_symlink())):
            ours = (
                UNFINISHED.fullmatch(name)
                or name in (files.SHARDS, RECORD)
                or (place == folder and name in (*OF_A_RUN, files.TABLES))
                or (place == folder / files.TABLES and name in tables)
                or (place.name == files.SHARDS and SHARD.fullmatch(name))
                or (of_shard and name.endswith(".parquet"))
            )
            if ours:
                yield place / name


def _stays(folder: Path) -> list[str]:
    """What is left in a folder after the empty folders in it are gone, itself too where nothing is left."""
    left = list[str]()
    for at, folders, names in os.walk(folder, topdown=False):
        place = Path(at)
        links = (name for name in folders if (place / name).is_symlink())
        left += [(place / name).relative_to(folder).as_posix() for name in (*names, *links)]
        with suppress(OSError):  # something is left in it
            place.rmdir()
    return sorted(left)
