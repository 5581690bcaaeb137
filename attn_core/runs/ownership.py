"""What in a folder is ours: no run begins in the folder of somebody else, and none of their files is deleted with a run."""

from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from stat import S_ISREG
from typing import Any

from attn_core.errors import InputError
from attn_core.io.atomic_files import UNFINISHED
from attn_core.io.paths import shown
from attn_core.runs import folder as files
from attn_core.runs.errors import RunError
from attn_core.runs.lock import is_locked

SUBCOMMANDS = ("study", "patterns", "reproduce")  # what a page starts
BEFORE_THE_MANIFEST = (files.LOCK, files.PROGRESS, files.COMMAND, files.LOG)
LAST = (files.LOG, files.PROGRESS, files.LOCK, files.COMMAND, files.MANIFEST)  # cut off, it is still a study till then


def refuse_others(
    folder: Path, what: str = "study", manifest: str = files.MANIFEST, own: Collection[str] = BEFORE_THE_MANIFEST
) -> None:
    """Raises RunError where a folder is somebody else's; nothing is written into it then.

    what: in words, what shall lie there. manifest: the file that tells it. own: what may lie there before that file does.
    """
    if folder.exists() and not folder.is_dir():
        raise RunError(f"{shown(folder)} is a file: choose a folder for the {what}.")
    if folder.is_symlink() and not folder.exists():
        raise RunError(f"{shown(folder)} is a link that leads nowhere: choose a folder for the {what}.")
    if not folder.is_dir() or files.read_json(folder / manifest) is not None:
        return
    ours = own_files(folder).intersection(own)
    others = sorted(
        path.name for path in folder.iterdir() if path.name not in ours and not UNFINISHED.fullmatch(path.name)
    )
    if manifest in others:
        raise files.DamagedError(
            f"The manifest of the {what} in {shown(folder)} ({manifest}) is damaged, or another program's: choose a new folder."
        )
    if others:
        raise RunError(f"{shown(folder)} holds other files ({shown(others[0])}) and no {what}: choose an empty folder.")


def own_files(folder: Path) -> set[str]:
    """The files of a study, shards and tables apart, whose content says that we wrote them."""
    ours = {name for name in (files.MANIFEST, files.PROGRESS, files.LOCK) if files.read_json(folder / name) is not None}
    with suppress(OSError):
        state = (folder / files.LOCK).stat()
        ours |= {files.LOCK} if S_ISREG(state.st_mode) and not state.st_size else set()  # nobody works there
    return ours | ({files.COMMAND, files.LOG} if read_command(folder) is not None else set())


def read_command(folder: Path) -> dict[str, Any] | None:
    """What a page has started in a folder: subcommand, and command, its arguments; None where none did."""
    told = files.read_json(folder / files.COMMAND)
    if told is None or told.get("subcommand", SUBCOMMANDS[0]) not in SUBCOMMANDS:
        return None
    command = told.get("command")
    ours = isinstance(command, list) and command and all(isinstance(part, str) for part in command)
    return told if ours else None


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
    if is_locked(folder):
        raise InputError(f"{shown(folder.name)} is at work: cancel it first.")
    ours = own_files(folder)
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
    ours, others = own_files(folder), list[str]()
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
