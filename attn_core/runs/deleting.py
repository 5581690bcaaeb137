"""The deletion of a run: all of it or, where its folder holds other files, nothing."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from attn_core.errors import InputError
from attn_core.io.atomic_files import UNFINISHED
from attn_core.io.paths import shown
from attn_core.runs import folder as files
from attn_core.runs.lock import is_locked

FEW = 5  # names that a sentence lists
WRITTEN = re.compile(  # by a run, besides its tables: paths within its folder
    rf"{files.PROGRESS}|{files.COMMAND}|{files.LOG}|{files.LOCK}|{files.MANIFEST}|(.+/)?subject\.json|"
    rf"(.+/)?{files.SHARDS}/\d{{6,}}/[^/]+\.parquet"
)


def delete_run(folder: Path) -> None:
    """Delete a run with all that was counted.

    Raises InputError, and deletes nothing, where a process works on the run, where the folder has no manifest, and
    where it holds a file that no run has written, a table that was changed, or a link.
    """
    if is_locked(folder):
        raise InputError(f"{shown(folder.name)} is at work: cancel it first.")
    if others := sorted(_other_files(folder)):
        names = ", ".join(map(shown, others[:FEW])) + (f" and {len(others) - FEW:,} more" * (len(others) > FEW))
        raise InputError(f"{shown(folder.name)} holds other files ({names}): move them elsewhere, then delete it.")
    every = [(Path(at), [Path(at, name) for name in names]) for at, _, names in os.walk(folder, topdown=False)]
    paths = [path for _, inside in every for path in inside]
    for path in sorted(paths, key=lambda path: path.name == files.MANIFEST):  # cut off, it is still a run
        path.unlink()
    for at, _ in every:
        at.rmdir()


def _other_files(folder: Path) -> Iterator[str]:
    """The paths, within the folder of a run, that no run has written. Raises InputError where there is no manifest."""
    if (manifest := files.read_manifest(folder)) is None:
        raise InputError(f"{shown(folder)} has no manifest of a run: delete it by hand.")
    tables = {
        f"{files.TABLES}/{name}" for name in {*manifest.get("tables", {})} - {*files.changed_tables(folder, manifest)}
    }
    for at, folders, names in os.walk(folder):
        here = Path(at).relative_to(folder)
        for inner in [name for name in folders if files.kind_of(files.read_json(Path(at, name, files.MANIFEST)) or {})]:
            folders.remove(inner)  # a run within the run
            yield from ((here / inner / name).as_posix() for name in _other_files(Path(at, inner)))
        for path in (Path(at, name) for name in (*names, *folders)):
            name = path.relative_to(folder).as_posix()
            ours = name in tables or WRITTEN.fullmatch(name) or any(map(UNFINISHED.fullmatch, name.split("/")))
            if path.is_symlink() or not (ours or path.is_dir()):
                yield name
