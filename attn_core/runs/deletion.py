"""A study deleted: what this program can prove it wrote, file by file; what somebody else has put there stays."""

from contextlib import suppress
from pathlib import Path

from attn_core.errors import InputError
from attn_core.io.atomic_files import UNFINISHED
from attn_core.io.paths import shown
from attn_core.runs import folder as files

LAST = (files.LOG, files.PROGRESS, files.LOCK, files.COMMAND, files.MANIFEST)  # cut off, it is still a study till then


def delete_study(folder: Path) -> list[str]:
    """Delete a study with all that was counted. Returns the names of what stays.

    Raises InputError as `proved_files` does.
    """
    ours = proved_files(folder)
    files.clear_leftovers(folder)
    for name in (files.TABLES, files.EXAMPLES):
        files.remove_folder(folder / name)
    remove_shards(folder)
    for name in LAST:
        if name in ours:
            (folder / name).unlink(missing_ok=True)
    stays = others_in(folder)
    with suppress(OSError):  # somebody keeps notes in it
        folder.rmdir()
    return stays


def proved_files(folder: Path) -> set[str]:
    """The files by which a folder proves that this program wrote it.

    Raises InputError where a process works on it, and where no file of the folder says that it is a study's.
    """
    if files.is_locked(folder):
        raise InputError(f"{shown(folder.name)} is at work: cancel it first.")
    ours = files.own_files(folder)
    if not ours - {files.LOCK}:
        raise InputError(f"Nothing in {shown(folder)} proves that this program wrote it: delete it by hand.")
    return ours


def remove_shards(folder: Path) -> None:
    """Remove what `write_folder` has written into the shards of a folder, and their folder where nothing else is in it."""
    shards = folder / files.SHARDS
    if shards.is_symlink():
        shards.unlink()
        return
    files.remove_shards(folder)
    with suppress(OSError):
        shards.rmdir()


def others_in(folder: Path) -> list[str]:
    """What would stay of a study that is deleted, by its path in the folder."""
    ours, others = files.own_files(folder), list[str]()
    for path in sorted(folder.iterdir()):
        if path.name in ours or UNFINISHED.fullmatch(path.name):
            continue
        if path.name in (files.TABLES, files.EXAMPLES, files.SHARDS) and path.is_dir():
            others += _others_below(folder, path)
        else:
            others.append(path.name)
    return others


def _others_below(folder: Path, part: Path) -> list[str]:
    """The same of tables, examples, or shards."""
    if part.name != files.SHARDS or part.is_symlink():
        return [f"{part.name}/{name}" for name in files.others_in(part)]
    shards = files.shard_paths(folder)
    strays = [f"{part.name}/{path.name}" for path in sorted(part.iterdir()) if path not in shards]
    return strays + [f"{part.name}/{shard.name}/{name}" for shard in shards for name in files.others_in(shard)]
