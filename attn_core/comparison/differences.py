"""Tables that compare two subjects: their layers at relative depth, and their heads.

A subject is a named analysis of a text by a model or a baseline, with a layout and settings.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from attn_core.analysis.one_text import Analysis
from attn_core.comparison.match import HeadMatch, match_heads
from attn_core.errors import InputError
from attn_core.io.tables import table_files
from attn_core.measures.statistics import STATISTICS, Statistic


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two subjects by name, first A, then B."""

    subjects: Mapping[str, Analysis]

    @cached_property
    def match(self) -> HeadMatch | str:
        """The match of the heads of A with those of B, or a sentence that says why there is none."""
        a, b = self.subjects.values()
        try:
            return match_heads(a.reading, b.reading, (a.settings.measure, b.settings.measure))
        except InputError as error:
            return str(error)

    def tables(self) -> dict[str, pd.DataFrame]:
        """All tables by name."""
        tables = {
            "subjects": pd.DataFrame([{"subject": name, **one.provenance} for name, one in self.subjects.items()]),
            "curves": curves(self.subjects),
            "differences": layer_differences(*self.subjects.values()),
        }
        if isinstance(self.match, HeadMatch):
            tables |= {"best_matches": self.match.table(), "head_match": self.match.matrix()}
        return tables

    @property
    def provenance(self) -> Mapping[str, Any]:
        """Everything needed to reproduce the numbers."""
        return {"subjects": {name: dict(one.provenance) for name, one in self.subjects.items()}}

    def files(self) -> dict[str, bytes]:
        """Every table as CSV and Parquet with its provenance, by file name; subjects.csv describes the subjects."""
        return table_files(self.tables(), self.provenance)


def relative_depth(layers: int) -> np.ndarray:
    """The relative depth of each layer, (L,), from 0 (first) to 1 (last); 1 for a single layer."""
    return np.linspace(0, 1, layers) if layers > 1 else np.ones(1)


def curves(subjects: Mapping[str, Analysis]) -> pd.DataFrame:
    """One row per subject, statistic and layer: subject, statistic, layer, depth, value, chance."""
    parts = []
    for name, subject in subjects.items():
        values = subject.layers.melt("layer", [one.name for one in STATISTICS], "statistic", "value")
        chance = subject.layers.melt("layer", [one.chance for one in STATISTICS])["value"]
        depth = np.tile(relative_depth(len(subject.layers)), len(STATISTICS))
        parts.append(values.assign(subject=name, depth=depth, chance=chance))
    return pd.concat(parts, ignore_index=True)[["subject", "statistic", "layer", "depth", "value", "chance"]]


def layer_differences(a: Analysis, b: Analysis) -> pd.DataFrame:
    """One row per statistic and depth, a minus b: statistic, depth, first, second, difference.

    If the numbers of layers differ, the deeper model is interpolated at the depths of the other.
    """
    depths = min((relative_depth(either.shape[0]) for either in (a, b)), key=len)
    names = [statistic.name for statistic in STATISTICS]
    first, second = (at_depths(either.layers[names].to_numpy(dtype=float).T, depths).ravel() for either in (a, b))
    return pd.DataFrame(
        {
            "statistic": np.repeat(names, len(depths)),
            "depth": np.tile(depths, len(names)),
            "first": first,
            "second": second,
            "difference": first - second,
        }
    )


def describe_difference(subjects: Mapping[str, Analysis], statistic: Statistic) -> str:
    """A sentence that says which subject has the larger statistic, in how many layers, and where they differ most.

    subjects: by names with a preposition, such as "in the untrained copy" or "without L3H10".
    """
    (name, a), (other, b) = subjects.items()
    rows = layer_differences(a, b)
    apart = rows[rows["statistic"] == statistic.name].set_index("depth")["difference"].dropna()
    if apart.empty:
        return f"{statistic.label} is not known of both."
    if not apart.any():
        return f"{statistic.label} is the same {name} and {other}."
    above, layers = int((apart > 0).sum()), len(apart)
    which, number = ("higher", above) if 2 * above >= layers else ("lower", int((apart < 0).sum()))
    where = "every layer" if number == layers else f"{number} of {layers} layers"
    most = 1 + round(float(apart.abs().idxmax()) * (a.shape[0] - 1))
    return f"{statistic.label} is {which} {name} than {other}, in {where}; they differ most in layer {most}."


def head_differences(a: Analysis, b: Analysis, statistic: Statistic) -> pd.DataFrame:
    """One row per head, a statistic of a minus that of b: layer, head, first, second, difference.

    Raises InputError if the models have different numbers of layers or heads.
    """
    if a.shape != b.shape:
        raise InputError("Heads can be subtracted where both models have the same number of layers and of heads.")
    first, second = (either.statistics[statistic.name].to_numpy() for either in (a, b))
    return a.statistics[["layer", "head"]].assign(first=first, second=second, difference=first - second)


def at_depths(values: np.ndarray, depths: np.ndarray) -> np.ndarray:
    """Values by layer, (rows, L), interpolated linearly at other relative depths, (rows, D)."""
    return np.stack([np.interp(depths, relative_depth(values.shape[-1]), row) for row in values])
