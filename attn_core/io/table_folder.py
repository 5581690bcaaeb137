"""The folder that a user names for exported tables: new, empty, or one that this program has written tables into before."""

import json
from pathlib import Path

from attn_core.errors import InputError
from attn_core.io.atomic_files import UNFINISHED
from attn_core.io.paths import shown
from attn_core.io.tables import PROGRAM

PROVENANCE = "provenance.json"  # lies with all exported tables, see `export.table_files`
CHECKSUMS = "checksums.json"  # lies with the tables of a study or a series, which are not to be replaced


def refuse_others(folder: Path) -> None:
    """Raises InputError for a folder with files that this program did not export; nothing of them would be replaced then."""
    if folder.is_symlink() and not folder.exists():
        raise InputError(f"{shown(folder)} is a link that leads nowhere: name a folder.")
    names = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    others = [name for name in names if not UNFINISHED.fullmatch(name)]
    if CHECKSUMS in others:
        raise InputError(f"{shown(folder)} holds the tables of a study or a series: choose a new folder.")
    if others and not _is_ours(folder / PROVENANCE):
        raise InputError(
            f"{shown(folder)} holds other files ({shown(others[0])}), which tables could overwrite: choose a new or empty "
            "folder."
        )


def _is_ours(file: Path) -> bool:
    """Whether a file tells where tables come from that this program has exported."""
    try:
        told = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(told, dict) and told.get("program") == PROGRAM
