"""The scores of patterns over annotated texts, opened for reading: what `patterns` has written into a folder."""

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from attn_core.errors import InputError
from attn_core.paths import shown
from attn_core.study import folder as files

FORMAT = "patterns 1"


@dataclass(frozen=True, eq=False)
class PatternScores:
    """Finished scores; the tables are those of `pooled.pooled_tables`. stored: their files by name."""

    folder: Path
    manifest: dict[str, Any]
    stored: Mapping[str, bytes]

    @property
    def shape(self) -> tuple[int, int]:
        """(layers, heads a layer) of the model."""
        return self.manifest["model"]["layers"], self.manifest["model"]["heads"]

    @cached_property
    def provenance(self) -> dict[str, Any]:
        """Where the numbers come from, as it stands in every exported file."""
        return json.loads(self.stored["provenance.json"])

    def has(self, name: str) -> bool:
        """Whether there is a table of that name."""
        return f"{name}.parquet" in self.stored

    def table(self, name: str) -> pd.DataFrame:
        """A table by name. Raises InputError where there is none."""
        if not self.has(name):
            raise InputError(f"The patterns in {shown(self.folder)} have no table {name}.")
        if name not in self._tables:
            self._tables[name] = pd.read_parquet(io.BytesIO(self.stored[f"{name}.parquet"]))
        return self._tables[name]

    @cached_property
    def _tables(self) -> dict[str, pd.DataFrame]:
        return {}


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
