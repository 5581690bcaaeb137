"""Differences of two subjects by layer, at relative depth, and by head.

A subject is the analysis of a text by a model or a baseline, with a layout and settings; here it has a name.
"""

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from attn_core.analysis.one_text import Analysis
from attn_core.errors import InputError
from attn_core.measures.statistics import STATISTICS, Statistic


def relative_depth(layers: int) -> np.ndarray:
    """The depth of each layer, (L,): 0 the first, 1 the last; of a single layer 1."""
    return np.linspace(0, 1, layers) if layers > 1 else np.ones(1)


def curves(subjects: Mapping[str, Analysis]) -> pd.DataFrame:
    """Every statistic of every layer: subject, statistic, layer, depth, value, chance."""
    return pd.concat([_curves_of(name, one) for name, one in subjects.items()], ignore_index=True)


def layer_differences(a: Analysis, b: Analysis) -> pd.DataFrame:
    """Every statistic of a minus b by depth: statistic, depth, first, second, difference.

    Where the numbers of layers differ, the deeper one is interpolated at the depths of the other.
    """
    depths = min((relative_depth(either.shape[0]) for either in (a, b)), key=len)
    names = [statistic.name for statistic in shared(a, b)]
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
    """A sentence: in which of two subjects a statistic is larger, in how many layers, and where they differ most."""
    (name, a), (other, b) = subjects.items()
    rows = layer_differences(a, b)
    apart = rows[rows["statistic"] == statistic.name].set_index("depth")["difference"].dropna()
    if apart.empty:
        return f"{statistic.label} is not known of both."
    if not apart.any():
        return f"{statistic.label} is the same in {name} and in {other}."
    above, layers = int((apart > 0).sum()), len(apart)
    which, number = ("higher", above) if 2 * above >= layers else ("lower", int((apart < 0).sum()))
    where = "every layer" if number == layers else f"{number} of {layers} layers"
    most = 1 + round(float(apart.abs().idxmax()) * (a.shape[0] - 1))
    return f"{statistic.label} is {which} in {name} than in {other}, in {where}; they differ most in layer {most}."


def head_differences(a: Analysis, b: Analysis, statistic: Statistic) -> pd.DataFrame:
    """A statistic of every head of a minus that of the same head of b: layer, head, first, second, difference.

    Raises InputError where the models have different numbers of layers or heads.
    """
    if a.shape != b.shape:
        raise InputError("Heads can be subtracted where both models have the same number of layers and of heads.")
    first, second = (either.statistics[statistic.name].to_numpy() for either in (a, b))
    return a.statistics[["layer", "head"]].assign(first=first, second=second, difference=first - second)


def shared(*results: Analysis) -> list[Statistic]:
    """The statistics that all of them have."""
    return [one for one in STATISTICS if all(one.name in each.layers for each in results)]


def at_depths(values: np.ndarray, depths: np.ndarray) -> np.ndarray:
    """Values by layer, (..., L), interpolated linearly at other relative depths, (..., D)."""
    place = depths * (values.shape[-1] - 1)
    below = np.floor(place).astype(int)
    above, part = np.minimum(below + 1, values.shape[-1] - 1), place - below
    # exactly at a layer its neighbours do not count, so that they may be NaN
    between = np.where(part > 0, part * values[..., above], 0.0)
    return np.where(part < 1, (1 - part) * values[..., below], 0.0) + between


def _curves_of(name: str, subject: Analysis) -> pd.DataFrame:
    layers = subject.layers
    chosen = shared(subject)

    def column(names: Iterable[str]) -> np.ndarray:
        """Statistic by statistic, NaN for a missing column."""
        return layers.reindex(columns=list(names)).to_numpy(dtype=float).T.ravel()

    return pd.DataFrame(
        {
            "subject": name,
            "statistic": np.repeat([one.name for one in chosen], len(layers)),
            "layer": np.tile(layers["layer"], len(chosen)),
            "depth": np.tile(relative_depth(len(layers)), len(chosen)),
            "value": column(one.name for one in chosen),
            "chance": column(one.chance for one in chosen),
        }
    )
