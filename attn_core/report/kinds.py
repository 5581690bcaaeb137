"""Which folders a report can be made of: what `analyze`, `study`, `compare`, `ablate`,
`reproduce` and `series` have written."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from attn_core.errors import InputError, cause
from attn_core.io.paths import shown
from attn_core.io.table_folder import checked_provenance
from attn_core.report.document import Report
from attn_core.report.of_comparison import of_comparison
from attn_core.report.of_results import of_text
from attn_core.runs.kinds import named
from attn_core.runs.results import kind_in, open_run
from attn_core.similarity.words import Unit
from attn_core.study.opened import NamedTables


@dataclass(frozen=True, eq=False)
class TextFolder(NamedTables):
    """The tables of one text as `analyze --out` has written them."""

    folder: Path
    provenance: Mapping[str, Any]

    @property
    def unit(self) -> Unit:
        """What pairs are of."""
        return self.provenance["unit"]

    @property
    def quoted(self) -> str:
        """The tokens of the text, as the model read them: of the text itself the folder has no more."""
        return " ".join(self.table("tokens")["token"].astype(str))

    def table(self, name: str) -> pd.DataFrame:
        """A table by name. Raises InputError where it is not there or cannot be read."""
        if name not in self._read:
            self._read[name] = _table(self.folder, name)
        return self._read[name]

    @cached_property
    def _read(self) -> dict[str, pd.DataFrame]:
        return {}


def report_of_folder(folder: Path, quote: bool) -> Report:
    """The report of what a command has written into a folder. quote: whether texts may be quoted.

    Raises InputError for a folder that is none of these, is not finished, or of which a file is damaged.
    """
    if kind := kind_in(folder):
        return named(kind.report)(open_run(folder), quote)
    provenance = checked_provenance(folder)
    if "subjects" in provenance:
        return _of_comparison(folder, provenance)
    if "text_sha256" in provenance:
        tables = TextFolder(folder, provenance)
        return of_text(tables, None, tables.quoted if quote else "")
    raise InputError(
        f"{shown(folder)} holds nothing that a report is made of: name a text file, or a folder that `study`, `analyze --out`, "
        "`compare --out`, `ablate`, `reproduce` or `series` has written."
    )


def _of_comparison(folder: Path, provenance: Mapping[str, Any]) -> Report:
    names = [name for name in ("findings", "causes", "best_matches") if f"{name}.parquet" in provenance["files"]]
    tables = {name: _table(folder, name) for name in ("curves", *names)}
    if "value" not in tables.get("findings", ("value",)):
        raise InputError(f"{shown(folder)} is of an earlier version, without numbers in its findings: compare again.")
    return of_comparison(tables, provenance)


def _table(folder: Path, name: str) -> pd.DataFrame:
    try:
        return pd.read_parquet(folder / f"{name}.parquet")
    except FileNotFoundError:
        raise InputError(
            f"{shown(folder)} has no {name}.parquet, which this program writes now: make the tables again."
        ) from None
    except (OSError, pa.ArrowInvalid) as error:
        raise InputError(
            f"{shown(folder / f'{name}.parquet')} cannot be read ({cause(error)}): make the tables again."
        ) from None
