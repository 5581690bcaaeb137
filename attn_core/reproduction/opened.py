"""A reproduction, opened for reading, finished or not: its tables, and one claim under every choice."""

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from attn_core.errors import InputError
from attn_core.in_brief import InBrief
from attn_core.io.paths import shown, typed_path
from attn_core.models.files import ModelSpec
from attn_core.reproduction.folder import FORMAT, OTHER_VERSION, read_corpora, read_readings
from attn_core.reproduction.named_models import spec_of
from attn_core.runs import folder as files

SAMPLES = Path(__file__).parent / "sample"  # what comes with the project
TABLES = ("verdicts", "curves", "corpora", "readings")


@dataclass(frozen=True, eq=False, repr=False)
class Reproduction(InBrief):
    """The tables of a reproduction. stored: its files by name, as they were when the folder was opened and found whole.

    verdicts: a row a corpus, model, control, effect of a claim and combination, see `verdict_rows`. curves: a row an
    effect, its curve as a whole, see `whole_curves`. corpora, readings: what was read, by which model, and what failed.
    """

    folder: Path
    manifest: Mapping[str, Any]
    stored: Mapping[str, bytes]

    def brief(self) -> dict[str, object]:
        return {
            "folder": self.folder,
            "corpora": ", ".join(self.corpora["corpus"]),
            "models": ", ".join(self.models),
            "verdicts": f"{len(self.verdicts):,}",
        }

    @property
    def models(self) -> list[str]:
        """Their names."""
        return list(dict.fromkeys(self.readings["model"]))

    @cached_property
    def verdicts(self) -> pd.DataFrame:
        return self._table("verdicts")

    @cached_property
    def curves(self) -> pd.DataFrame:
        return self._table("curves")

    @cached_property
    def corpora(self) -> pd.DataFrame:
        return self._table("corpora")

    @cached_property
    def readings(self) -> pd.DataFrame:
        return self._table("readings")

    @cached_property
    def provenance(self) -> dict[str, Any]:
        """Where the numbers come from, as it stands in every exported file."""
        return json.loads(self.stored["provenance.json"])

    @property
    def settings(self) -> Mapping[str, Any]:
        """What decided the numbers, choices apart: windows, draws, flips, seed."""
        return self.manifest["settings"]

    @property
    def failed(self) -> pd.DataFrame:
        """The readings that could not be made, each with its problem."""
        return self.readings[self.readings["problem"] != ""]

    def source(self, corpus: str) -> str:
        """Where the texts of a corpus lay when they were read."""
        return next((one.source for one in read_corpora(self.folder) if one.name == corpus), "")

    def spec(self, model: str, revision: str | None = None) -> ModelSpec:
        """A model by its name here; a local one from the folder where it lay when it was read."""
        spec = spec_of(model, revision)
        known = (
            reading.facts.place for _, reading in read_readings(self.folder) if reading.model == model and reading.facts
        )
        return replace(spec, name=next(filter(None, known), spec.name))

    def claim(
        self, claim: str, corpus: str | None = None, model: str | None = None, control: str | None = None
    ) -> pd.DataFrame:
        """The verdicts on a claim under every combination, by effect: what a specification curve shows.

        corpus, model, control: only theirs, where they are named.
        """
        rows = self.verdicts[self.verdicts["claim"] == claim]
        for column, wanted in {"corpus": corpus, "model": model, "control": control}.items():
            rows = rows if wanted is None else rows[rows[column] == wanted]
        return rows.sort_values(["effect_name", "effect"], kind="stable", ignore_index=True)

    def tables(self) -> dict[str, pd.DataFrame]:
        """All of them by name."""
        return {name: getattr(self, name) for name in TABLES}

    def files(self) -> dict[str, bytes]:
        """Every table as CSV and Parquet, where they come from, and the manifest, by file name."""
        return {**self.stored, files.MANIFEST: files.to_hand_on(self.manifest)}

    def _table(self, name: str) -> pd.DataFrame:
        return pd.read_parquet(io.BytesIO(self.stored[f"{name}.parquet"]))


def open_reproduction(folder: str | Path) -> Reproduction:
    """Open the folder of a reproduction. While it is counted on, its tables are those of the last run that came to its end.

    Returns a `Reproduction`, whose tables are pandas frames. Raises InputError where the folder holds none, or none that has
    tables yet, and where one of them is damaged.

    >>> attn_core.open_reproduction("nowhere")
    Traceback (most recent call last):
    attn_core.errors.InputError: nowhere holds no reproduction: choose a folder that `python -m attn_core reproduce` has written.
    """
    if not isinstance(folder, str | Path):
        raise InputError(f"A reproduction is opened by its folder, not by a value of type {type(folder).__name__}.")
    folder = typed_path(str(folder))
    manifest = files.read_json(folder / files.MANIFEST)
    if manifest is None or not str(manifest.get("format")).startswith("reproduction"):
        raise InputError(
            f"{shown(folder)} holds no reproduction: choose a folder that `python -m attn_core reproduce` has written."
        )
    if manifest["format"] != FORMAT:
        raise InputError(OTHER_VERSION.format(shown(folder)))
    if not (folder / files.TABLES).exists():
        raise InputError(f"The reproduction in {shown(folder)} has no tables yet: start it again, it goes on.")
    try:
        return Reproduction(folder, manifest, files.read_folder(folder / files.TABLES))
    except files.DamagedError as error:
        raise files.DamagedError(f"{error} Start the reproduction again, and its tables are made again.") from None
