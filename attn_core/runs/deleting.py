"""What a run has written is deleted; what else is in its folder is named, and stays."""

import os
import re
from contextlib import suppress
from pathlib import Path

from attn_core.errors import InputError
from attn_core.io.atomic_files import UNFINISHED
from attn_core.io.paths import shown
from attn_core.runs import folder as files
from attn_core.runs.kinds import kind_of
from attn_core.runs.lock import is_locked
from attn_core.runs.pooled import edited

LAST = (files.PROGRESS, files.COMMAND, files.LOG, files.LOCK, files.MANIFEST)  # cut off, it is still a run till then
# Files, and links in place of folders, by their path in the folder of a run.
WRITTEN = re.compile(r"tables|subjects|(.+/)?subject\.json|(.+/)?shards(/\d{6,}(/[^/]+\.parquet)?)?")


def delete_run(folder: Path) -> list[str]:
    """Delete a run with all that was counted. Returns what stays, by its path in the folder: whatever no run writes, and tables
    that somebody has edited.

    Raises InputError where a process works on it, and where the folder has no manifest of ours.
    """
    if is_locked(folder):
        raise InputError(f"{shown(folder.name)} is at work: cancel it first.")
    if (manifest := files.read_manifest(folder)) is None:
        raise InputError(f"{shown(folder)} has no manifest of a run: delete it by hand.")
    tables = {f"{files.TABLES}/{name}" for name in {*manifest.get("tables", {})} - {*edited(folder, manifest)}}
    for inner in folder.glob(f"*/{files.MANIFEST}"):  # of a run within the run
        if kind_of(files.read_json(inner) or {}) and not inner.parent.is_symlink():
            delete_run(inner.parent)
    stays = list[str]()
    for at, folders, names in os.walk(folder, topdown=False):
        for path in (Path(at, name) for name in (*names, *folders)):
            name = path.relative_to(folder).as_posix()
            if path.is_dir() and not path.is_symlink():
                with suppress(OSError):  # something is left in it
                    path.rmdir()
            elif name in tables or WRITTEN.fullmatch(name) or any(map(UNFINISHED.fullmatch, name.split("/"))):
                path.unlink()
            elif name not in LAST:
                stays.append(name)
    for name in LAST:
        (folder / name).unlink(missing_ok=True)
    with suppress(OSError):
        folder.rmdir()
    return sorted(stays)
