"""Effects of removing heads, opened for reading: what `ablate` has written into a folder."""

from pathlib import Path

from attn_core.errors import InputError
from attn_core.io.paths import shown
from attn_core.runs import folder as files
from attn_core.runs.results import Stored

FORMAT = "ablation 1"


class Ablation(Stored):
    """Finished effects; the tables are those of `tables`."""


def open_ablation(folder: Path) -> Ablation:
    """Open finished effects. Raises InputError where the folder holds none, and where a file of it is damaged."""
    manifest = files.read_manifest(folder)
    if manifest is None or manifest.get("format") != FORMAT:
        raise InputError(
            f"{shown(folder)} holds no effects of removing heads: choose a folder that `python -m attn_core ablate` has "
            "written."
        )
    if not (folder / files.TABLES).exists():
        raise InputError(f"What {shown(folder)} holds is not finished: give the same command again, it goes on.")
    return Ablation(folder, manifest, files.read_folder(folder / files.TABLES))
