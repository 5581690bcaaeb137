"""Pooled tables in a folder, opened for reading: what a study and scores of patterns have in common."""

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from attn_core.errors import InputError, cause
from attn_core.in_brief import InBrief
from attn_core.io.paths import shown


@dataclass(frozen=True, eq=False, repr=False)
class Stored(InBrief):
    """stored: the files of the tables by name, as they were when the folder was opened and found whole."""

    folder: Path
    manifest: dict[str, Any]
    stored: Mapping[str, bytes]

    def brief(self) -> dict[str, object]:
        tables = sorted(name.removesuffix(".parquet") for name in self.stored if name.endswith(".parquet"))
        return {"folder": self.folder, "model": self.provenance.get("model"), "tables": ", ".join(tables)}

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
        """A table by name, see `pooled`. Raises InputError where it cannot be read."""
        if name not in self._tables:
            try:
                self._tables[name] = pd.read_parquet(io.BytesIO(self.stored[f"{name}.parquet"]))
            except (KeyError, OSError, pa.ArrowInvalid) as error:
                raise InputError(f"{shown(self.folder)} has no table {name} ({cause(error)}).") from None
        return self._tables[name]

    @cached_property
    def _tables(self) -> dict[str, pd.DataFrame]:
        return {}
