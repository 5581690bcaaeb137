"""A reproduction deleted, as studies are: what this program can prove it wrote, file by file."""

from contextlib import suppress
from pathlib import Path

from attn_core.reproduction.folder import CORPORA, READING, READINGS
from attn_core.runs import folder as files
from attn_core.runs.ownership import delete_study, proved_files, remove_shards


def delete_reproduction(folder: Path) -> list[str]:
    """Delete a reproduction with all that was counted. Returns the names of what stays.

    Raises InputError where a process works on it, and where no file of the folder says that it is ours.
    """
    proved_files(folder)
    for place in (READINGS, CORPORA):
        if not (folder / place).is_symlink():
            _remove(folder / place)
    return delete_study(folder)


def _remove(place: Path) -> None:
    """What we wrote below a folder, and the folders that this leaves empty. A link is somebody else's, and stays."""
    if not place.is_dir():
        return
    for path in [path for path in place.iterdir() if not path.is_symlink()]:
        if path.is_dir() and path.name != files.SHARDS:
            _remove(path)
        elif path.is_file() and (path.name == READING or place.name == CORPORA) and files.read_json(path) is not None:
            path.unlink()
    files.clear_leftovers(place)
    remove_shards(place)
    with suppress(OSError):
        place.rmdir()
