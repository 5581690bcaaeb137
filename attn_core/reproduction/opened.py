"""A reproduction, opened for reading, finished or not: its tables, and one claim under every choice."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from attn_core.io.tables import markdown
from attn_core.models.files import ModelSpec
from attn_core.reproduction.conclusions import SUBJECTS, claims_of, standings
from attn_core.reproduction.folder import read_corpora, read_readings
from attn_core.reproduction.named_models import spec_of
from attn_core.runs.results import Results

SAMPLES = Path(__file__).parent / "sample"  # what comes with the project
TABLES = ("verdicts", "curves", "corpora", "readings")


class Reproduction(Results):
    """The tables of a reproduction.

    verdicts: a row a corpus, model, control, effect of a claim and combination, see `verdict_rows`. curves: a row an
    effect, its curve as a whole, see `verdict_rows`. corpora, readings: what was read, by which model, and what failed.
    """

    kind = "reproduction"

    @property
    def models(self) -> list[str]:
        """Their names."""
        return list(dict.fromkeys(self.readings["model"]))

    @property
    def verdicts(self) -> pd.DataFrame:
        return self.table("verdicts")

    @property
    def curves(self) -> pd.DataFrame:
        return self.table("curves")

    @property
    def corpora(self) -> pd.DataFrame:
        return self.table("corpora")

    @property
    def readings(self) -> pd.DataFrame:
        return self.table("readings")

    @property
    def settings(self) -> Mapping[str, Any]:
        """What decided the numbers, choices apart: windows, and how much text is read at once."""
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

    @property
    def claims(self) -> pd.DataFrame:
        """The claims in its first model on its first corpus, see `claims_of`: what their picture is drawn from."""
        rows = self.verdicts[self.verdicts["corpus"] == self.verdicts["corpus"].iloc[0]]
        return claims_of(standings(rows[rows["model"] == self.models[0]], ("none",)))

    def tables(self) -> dict[str, pd.DataFrame]:
        """All of them by name."""
        return {name: self.table(name) for name in TABLES}


def open_reproduction(folder: str | Path) -> Reproduction:
    """Open the folder of a reproduction. While it is counted on, its tables are those of the last run that came to its end.

    Returns a `Reproduction`, whose tables are pandas frames. Raises InputError where the folder holds none, or none that has
    tables yet, and where one of them is damaged.

    >>> attn_core.open_reproduction("nowhere")
    Traceback (most recent call last):
    attn_core.errors.InputError: nowhere holds no reproduction: choose a folder that `python -m attn_core reproduce` has written.
    """
    return Reproduction.open(folder)


def printed(reproduction: Reproduction) -> str:
    """A row a corpus, model or control, and row of a claim; the combinations of the paper's measure alone."""
    rows = [
        [str(corpus), one.model, SUBJECTS[one.control], one.bars.name, f"{one.verdict} ({one.how_many})", one.number]
        for corpus, verdicts in reproduction.verdicts.groupby("corpus", sort=False)
        for one in standings(verdicts)
    ]
    return markdown(["corpus", "model", "control", "row", "verdict", "usual choice [95%]"], rows)
