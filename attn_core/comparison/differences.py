"""Tables that compare two subjects, a with b: their layers at relative depth, and their heads.

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
from attn_core.io.exports import table_files
from attn_core.measures.statistics import STATISTICS, Statistic


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two subjects by name."""

    subjects: Mapping[str, Analysis]

    @cached_property
    def match(self) -> HeadMatch | str:
        """The match of the heads of the first with those of the second, or a sentence that says why there is none."""
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
    """One row per statistic and depth: statistic, depth, the values and chance levels of both, and a minus b.

    The columns first_over_chance and second_over_chance are values over their chance levels, NaN where one of these is
    0. If the numbers of layers differ, the deeper model is interpolated at the depths of the other.
    """
    depths = min((relative_depth(either.shape[0]) for either in (a, b)), key=len)
    names = [statistic.name for statistic in STATISTICS]
    table = pd.DataFrame({"statistic": np.repeat(names, len(depths)), "depth": np.tile(depths, len(names))})
    levels = [statistic.chance for statistic in STATISTICS]
    for which, either in (("first", a), ("second", b)):
        for column, of in ((which, names), (f"chance_{which}", levels)):
            table[column] = at_depths(either.layers[of].to_numpy(dtype=float).T, depths).ravel()
    above = table[["chance_first", "chance_second"]].gt(0).all(axis=1)
    for which in ("first", "second"):
        table[f"{which}_over_chance"] = (table[which] / table[f"chance_{which}"]).where(above)
    return table.assign(difference=table["first"] - table["second"])


def describe_difference(subjects: Mapping[str, Analysis], statistic: Statistic) -> str:
    """A sentence that says where a statistic is larger relative to chance, in how many layers, and where most so.

    A statistic is compared as a multiple of chance, which texts of other lengths do not change; as it is where chance
    is 0. subjects: by names with a preposition, such as "in the untrained copy" or "without L3H10".
    """
    (name, a), (other, b) = subjects.items()
    rows = layer_differences(a, b).set_index("depth")
    rows = rows[rows["statistic"] == statistic.name]
    over = rows[["first_over_chance", "second_over_chance"]]
    both = over if over.notna().any(axis=None) else rows[["first", "second"]]
    apart = (both.iloc[:, 0] - both.iloc[:, 1]).dropna()
    if apart.empty:
        return f"{statistic.label} is not known of both."
    label = f"Relative to chance, {statistic.label[0].lower()}{statistic.label[1:]}"
    if not apart.any():
        return f"{label} is the same {name} and {other}."
    above, depths, most = int((apart > 0).sum()), len(apart), float(apart.abs().idxmax())
    which, number = ("higher", above) if 2 * above >= depths else ("lower", int((apart < 0).sum()))
    alike = a.shape[0] == b.shape[0]
    layers = "layer" if alike else "depth"
    where = f"every {layers}" if number == depths else f"{number} of {depths} {layers}s"
    place = f"in layer {1 + round(most * (depths - 1))}" if alike else f"at depth {most:.2f}"
    first, second = (f"{value:z.2f}" if both is over else statistic.text(value) for value in both.loc[most])
    times = " times chance" if both is over else ""
    return f"{label} is {which} {name} than {other}, in {where}; they differ most {place}: {first} and {second}{times}."


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
