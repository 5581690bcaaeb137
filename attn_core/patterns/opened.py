"""The scores of patterns over texts, opened for reading: what `patterns` has written into a folder."""

from pathlib import Path

from attn_core.errors import InputError
from attn_core.io.paths import shown
from attn_core.runs import folder as files
from attn_core.runs.results import Stored

FORMAT = "patterns 1"


class PatternScores(Stored):
    """Finished scores; the tables are those of `pooled.pooled_tables`."""


def open_patterns(folder: Path) -> PatternScores:
    """Open finished scores. Raises InputError where the folder holds none, and where a file of it is damaged."""
    manifest = files.read_manifest(folder)
    if manifest is None or manifest.get("format") != FORMAT:
        raise InputError(
            f"{shown(folder)} holds no patterns: choose a folder that `python -m attn_core patterns` has written."
        )
    if not (folder / files.TABLES).exists():
        raise InputError(f"The patterns in {shown(folder)} are not finished: give the same command again, it goes on.")
    return PatternScores(folder, manifest, files.read_folder(folder / files.TABLES))
