"""What in a folder is ours: no run begins in the folder of somebody else, and none of their files is deleted with a run."""

from contextlib import suppress
from pathlib import Path
from stat import S_ISREG
from typing import Any

from attn_core.errors import InputError, RunError
from attn_core.io.atomic_files import UNFINISHED
from attn_core.io.paths import shown
from attn_core.runs import folder as files
from attn_core.runs.kinds import KINDS, Kind
from attn_core.runs.lock import is_locked

SUBCOMMANDS = [kind.command for kind in KINDS.values()]
BELOW = ("readings", "corpora")  # of a reproduction
BEFORE_THE_MANIFEST = (files.LOCK, files.PROGRESS, files.COMMAND, files.LOG)
LAST = (files.LOG, files.PROGRESS, files.LOCK, files.COMMAND, files.MANIFEST)  # cut off, it is still a study till then


def refuse_others(folder: Path, kind: Kind = KINDS["study"]) -> None:
    """Raises RunError where a folder is somebody else's and no run of this kind can be in it; nothing is written then."""
    what, manifest = kind.noun, kind.manifest
    if folder.exists() and not folder.is_dir():
        raise RunError(f"{shown(folder)} is a file: choose a folder for the {what}.")
    if folder.is_symlink() and not folder.exists():
        raise RunError(f"{shown(folder)} is a link that leads nowhere: choose a folder for the {what}.")
    if not folder.is_dir() or files.read_json(folder / manifest) is not None:
        return
    ours = own_files(folder).intersection(BEFORE_THE_MANIFEST)
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


def delete_run(folder: Path) -> list[str]:
    """Delete a run with all that was counted. Returns the names of what stays.

    Raises InputError where a process works on it, and where no file of the folder says that it is a run's.
    """
    if is_locked(folder):
        raise InputError(f"{shown(folder.name)} is at work: cancel it first.")
    ours = own_files(folder)
    if not ours - {files.LOCK}:
        raise InputError(f"Nothing in {shown(folder)} proves that this program wrote it: delete it by hand.")
    for name in BELOW:
        if not (folder / name).is_symlink():
            _remove_below(folder / name)
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


def _remove_below(place: Path) -> None:
    """Remove what a reproduction wrote below a folder, and the folders that this leaves empty. A link is somebody else's."""
    if not place.is_dir():
        return
    for path in [path for path in place.iterdir() if not path.is_symlink()]:
        if path.is_dir() and path.name != files.SHARDS:
            _remove_below(path)
        elif (
            path.is_file()
            and (path.name == "reading.json" or place.name == "corpora")
            and files.read_json(path) is not None
        ):
            path.unlink()
    files.clear_leftovers(place)
    remove_shards(place)
    with suppress(OSError):
        place.rmdir()


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
