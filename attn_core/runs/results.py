"""The tables of a finished run, opened for reading: the base class of studies and ablations."""

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

import pandas as pd
import pyarrow as pa

from attn_core.errors import InputError, cause
from attn_core.io.exports import to_csv
from attn_core.io.paths import printable, typed_path
from attn_core.runs import folder as run_folder
from attn_core.runs.folder import KINDS, Kind, kind_of, read_tables


@dataclass(frozen=True, eq=False, repr=False)
class Results:
    """The tables of a run. stored: the files of the tables by name, as of the opening of the folder."""

    kind: ClassVar[str]

    folder: Path
    manifest: Mapping[str, Any]
    stored: Mapping[str, bytes]
    _tables: dict[str, pd.DataFrame] = field(default_factory=dict)  # those that were read

    @classmethod
    def open(cls, folder: str | Path) -> Self:
        """The results in the folder of a finished run of this kind. Raises InputError if it is missing or damaged."""
        kind = KINDS[cls.kind]
        if not isinstance(folder, str | Path):
            raise InputError(f"A run is opened by its folder, not by a value of type {type(folder).__name__}.")
        folder = typed_path(str(folder))
        manifest = run_folder.read_manifest(folder)
        if manifest is None or kind_of(manifest) != kind:
            raise InputError(
                f"{printable(folder)} holds no {kind.name}, as `python -m attn_core {kind.command}` makes."
            )
        if manifest.get("format") != kind.format:
            raise InputError(f"{printable(folder)} holds {other_version(kind)}")
        if not (tables := read_tables(folder, manifest)):
            raise InputError(f"The {kind.name} in {printable(folder)} is not finished: its command goes on with it.")
        return cls(folder, manifest, tables)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.folder})"

    @property
    def shape(self) -> tuple[int, int]:
        """(layers, heads per layer) of the model."""
        return self.manifest["model"]["layers"], self.manifest["model"]["heads"]

    @cached_property
    def provenance(self) -> dict[str, Any]:
        """The facts that reproduce the numbers, as in every exported file."""
        return json.loads(self.stored["provenance.json"])

    def has(self, name: str) -> bool:
        """Whether there is a table of this name."""
        return f"{name}.parquet" in self.stored

    def table(self, name: str) -> pd.DataFrame:
        """A table by name. Raises InputError if it cannot be read."""
        if name not in self._tables:
            try:
                self._tables[name] = pd.read_parquet(io.BytesIO(self.stored[f"{name}.parquet"]))
            except (KeyError, OSError, pa.ArrowInvalid) as error:
                raise InputError(f"{printable(self.folder)} has no table {name} ({cause(error)}).") from None
        return self._tables[name]

    def files(self) -> dict[str, bytes]:
        """Every table as CSV and Parquet, the provenance and the manifest, by file name.

        The studies packaged with the project have Parquet files alone; their CSV is made here.
        """
        names = [name.removesuffix(".parquet") for name in self.stored if name.endswith(".parquet")]
        missing = [name for name in names if f"{name}.csv" not in self.stored]
        made = {f"{name}.csv": to_csv(self.table(name)) for name in missing}
        return {**self.stored, **made, run_folder.MANIFEST: run_folder.manifest_for_export(self.manifest)}


def other_version(kind: Kind) -> str:
    """The end of a message about a folder with a run of another version of this program."""
    return f"the {kind.name} of another version of this program: run it again, in a new folder."


def open_run(folder: Path) -> Results | None:
    """The results of a run of any kind in a folder; None if there is no run. Raises InputError like `Results.open`."""
    manifest = run_folder.read_manifest(folder)
    kind = None if manifest is None else kind_of(manifest)
    return None if kind is None else kind.opener().open(folder)
