"""Distributions of the distances of strong pairs, by head and in bins of doubling width."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from attn_core.head import Head
from attn_core.measures.tally import Count
from attn_core.similarity.strong_pairs import StrongPairs

BINS = np.array([1, 2, *(2**k + 1 for k in range(1, 14))])  # the first distance of every bin

LEAST = 0.001  # share of a bin in which a copy has no strong pair; our choice


def distance_counts(pairs: StrongPairs) -> Count:
    """The number of strong pairs of one window at each distance from 0, (layer, head, distance)."""
    layers, heads, strong = pairs.shape
    longest = len(pairs.passage)
    keys = pairs.distance.reshape(layers * heads, -1) + longest * np.arange(layers * heads)[:, None]
    at_distance = np.bincount(keys.ravel(), minlength=layers * heads * longest).reshape(layers, heads, longest)
    first, second = pairs.all_pairs
    expected = np.bincount(second - first, minlength=longest) * (strong / len(first))
    return Count(at_distance, expected, strong)


def added(parts: Sequence[Count]) -> Count:
    """The sum of one or more distance counts."""
    *heads, longest = max((part.numerator.shape for part in parts), key=lambda shape: shape[-1])
    pairs, expected = np.zeros((*heads, longest), dtype=np.int64), np.zeros(longest)
    for part in parts:
        here = slice(part.numerator.shape[-1])
        pairs[..., here] += part.numerator
        expected[here] += part.chance
    return Count(pairs, expected, sum(part.weight for part in parts))


def bin_count(counts: Count) -> Count:
    """The number of strong pairs of one window in each bin, 1, 2, 3-4, 5-8, ..., (layer, head, bin)."""
    return Count(in_bins(counts.numerator), in_bins(np.asarray(counts.chance)), counts.weight)


def in_bins(by_distance: np.ndarray) -> np.ndarray:
    """Sums over each bin, (..., distance) -> (..., bin); the first distance is 0."""
    padding = max(0, BINS[-1] + 1 - by_distance.shape[-1])
    padded = np.pad(by_distance, [(0, 0)] * (by_distance.ndim - 1) + [(0, padding)])
    return np.add.reduceat(padded, BINS, axis=-1)


def distance_table(counts: Count) -> pd.DataFrame:
    """One row per head and distance that has strong pairs: layer, head, distance, pairs, chance_share."""
    layer, head, distance = found = np.nonzero(counts.numerator)
    columns = {"layer": layer + 1, "head": head + 1, "distance": distance, "pairs": counts.numerator[found]}
    return pd.DataFrame({**columns, "chance_share": np.asarray(counts.chance)[distance] / counts.weight})


def bin_table(shares: np.ndarray, chance: np.ndarray, longest: int) -> pd.DataFrame:
    """The share of each layer's strong pairs by bin: layer, distance (label), start, end, share, chance_share, ratio.

    shares: (layer, bin). chance: (bin,). longest: the largest distance. Bins in which no pair can lie are left out.
    """
    bins = [(start, min(end, longest)) for start, end in zip(BINS, [*(BINS[1:] - 1), longest], strict=True)]
    layer, at = np.indices(shares.shape).reshape(2, -1)
    table = pd.DataFrame(
        {
            "layer": layer + 1,
            "distance": np.array([f"{s}" if s == e else f"{s}-{e}" for s, e in bins], dtype=object)[at],
            "start": np.array(bins)[at, 0],
            "end": np.array(bins)[at, 1],
            "share": shares.ravel(),
            "chance_share": chance[at],
        }
    )
    possible = table[table["chance_share"] > 0].reset_index(drop=True)
    return possible.assign(ratio=possible["share"] / possible["chance_share"])


def beside_copy(bins: pd.DataFrame, copy: pd.DataFrame | None) -> pd.DataFrame:
    """A bin table whose chance level is what a copy of the model has, at least `LEAST`; unchanged without a copy."""
    if copy is None:
        return bins
    shares = copy.set_index(["layer", "start"])["share"].clip(lower=LEAST)
    chance = shares.loc[list(zip(bins["layer"], bins["start"], strict=True))].to_numpy()
    return bins.assign(chance_share=chance, ratio=bins["share"] / chance)


def bins_of_head(distances: pd.DataFrame, bins: pd.DataFrame, head: Head) -> pd.DataFrame:
    """The rows of a bin table for one head. distances: from `distance_table`. bins: from `bin_table`."""
    layer, number = head.row
    mine = distances[(distances["layer"] == layer) & (distances["head"] == number)]
    found = bins[bins["layer"] == layer]
    pairs = [mine.loc[mine["distance"].between(*ends), "pairs"].sum() for ends in found[["start", "end"]].to_numpy()]
    share = np.array(pairs) / mine["pairs"].sum()
    return found.assign(head=number, share=share, ratio=share / found["chance_share"])
