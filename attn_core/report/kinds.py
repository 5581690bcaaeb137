"""Which folders a report can be made of: what `analyze`, `study`, `compare`, `patterns`, `ablate`,
`reproduce` and `series` have written."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from attn_core.errors import InputError, cause
from attn_core.interventions.opened import open_ablation
from attn_core.io.paths import shown
from attn_core.io.table_folder import proved_provenance
from attn_core.patterns.opened import open_patterns
from attn_core.report.document import Report, Section
from attn_core.report.of_ablation import of_ablation
from attn_core.report.of_comparison import of_comparison
from attn_core.report.of_patterns import of_patterns
from attn_core.report.of_reproduction import of_reproduction
from attn_core.report.of_results import of_study, of_text
from attn_core.report.of_series import of_series
from attn_core.reproduction.opened import open_reproduction
from attn_core.runs.folder import MANIFEST, read_json, read_manifest
from attn_core.series.folder import MANIFEST as SERIES
from attn_core.series.opened import open_series
from attn_core.similarity.strong_pairs import Unit
from attn_core.study.opened import open_study

Chapters = Sequence[Section]


@dataclass(frozen=True)
class Kind:
    """A kind of folder. is_one: told from the folder, its manifest and its provenance, empty where there is none."""

    is_one: Callable[[Mapping[str, Any], Mapping[str, Any]], bool]
    report: Callable[[Path, bool, Chapters], Report]


@dataclass(frozen=True, eq=False)
class TextFolder:
    """The tables of one text as `analyze --out` has written them."""

    folder: Path
    provenance: Mapping[str, Any]

    @cached_property
    def heads(self) -> pd.DataFrame:
        return self.table("heads")

    @property
    def statistics(self) -> pd.DataFrame:
        return self.heads

    @cached_property
    def layers(self) -> pd.DataFrame:
        return self.table("layers")

    @property
    def uniqueness(self) -> pd.DataFrame:
        return self.layers.rename(columns={"chance_anchor_uniqueness": "own_places"})

    @cached_property
    def effects(self) -> pd.DataFrame:
        return self.table("effects")

    @cached_property
    def distance_bins(self) -> pd.DataFrame:
        return self.table("distance_bins")

    @cached_property
    def kinds(self) -> pd.DataFrame:
        return self.table("kinds")

    @cached_property
    def anchors(self) -> pd.DataFrame:
        return self.table("anchors")

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
        return _table(self.folder, name)


def report_of_folder(folder: Path, quote: bool, chapters: Chapters = ()) -> Report:
    """The report of what a command has written into a folder. quote: whether texts may be quoted. chapters: at its end.

    Raises InputError for a folder that is none of these, is not finished, or of which a file is damaged.
    """
    manifest = _manifest(folder)
    provenance = {} if manifest else proved_provenance(folder)
    for kind in KINDS:
        if kind.is_one(manifest, provenance):
            return kind.report(folder, quote, chapters)
    raise InputError(
        f"{shown(folder)} holds nothing that a report is made of: name a text file, or a folder that `study`, `analyze --out`, "
        "`compare --out`, `patterns`, `ablate`, `reproduce` or `series` has written."
    )


def _manifest(folder: Path) -> Mapping[str, Any]:
    """What a folder says of itself; empty where it says nothing."""
    if (folder / SERIES).exists():
        return read_json(folder / SERIES) or {}
    return (read_manifest(folder) if (folder / MANIFEST).exists() else None) or {}


def _of_text(folder: Path, quote: bool, chapters: Chapters) -> Report:
    tables = TextFolder(folder, proved_provenance(folder))
    return of_text(tables, None, tables.quoted if quote else "", chapters=chapters)


def _of_study(folder: Path, quote: bool, chapters: Chapters) -> Report:
    return of_study(open_study(folder), quote, chapters)


def _of_comparison(folder: Path, _quote: bool, chapters: Chapters) -> Report:
    names = ["findings", "causes", "curves"]
    provenance = proved_provenance(folder)
    if "best_matches.parquet" in provenance["files"]:
        names.append("best_matches")
    return of_comparison({name: _table(folder, name) for name in names}, provenance, chapters)


def _of_patterns(folder: Path, quote: bool, chapters: Chapters) -> Report:
    return of_patterns(open_patterns(folder), quote, chapters)


def _of_ablation(folder: Path, quote: bool, chapters: Chapters) -> Report:
    return of_ablation(open_ablation(folder), quote, chapters)


def _of_series(folder: Path, quote: bool, chapters: Chapters) -> Report:
    return of_series(open_series(folder), quote, chapters)


def _of_reproduction(folder: Path, quote: bool, chapters: Chapters) -> Report:
    return of_reproduction(open_reproduction(folder), quote, chapters)


KINDS = (
    Kind(lambda manifest, _: str(manifest.get("format", "")).startswith("reproduction"), _of_reproduction),
    Kind(lambda manifest, _: str(manifest.get("format", "")).startswith("ablation"), _of_ablation),
    Kind(lambda manifest, _: "texts" in manifest, _of_series),
    Kind(lambda manifest, _: str(manifest.get("format", "")).startswith("patterns"), _of_patterns),
    Kind(lambda manifest, _: "corpus" in manifest, _of_study),
    Kind(lambda _, provenance: "subjects" in provenance, _of_comparison),
    Kind(lambda _, provenance: "text_sha256" in provenance, _of_text),
)


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
