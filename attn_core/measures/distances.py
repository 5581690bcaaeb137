"""How far do tokens reach? Distances of the strong pairs, head by head, against all pairs."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from attn_core.measures.frames import head_index
from attn_core.strong_pairs import StrongPairs

BINS = np.array([1, 2, *(2**k + 1 for k in range(1, 14))])  # the first distance of every doubling bin


def distance_table(windows: Sequence[StrongPairs]) -> pd.DataFrame:
    """Strong pairs by distance: layer, head, distance (tokens), pairs, chance_share; windows pooled.

    Only distances at which a head has strong pairs get a row. chance_share is the share of all pairs at that distance.
    """
    return distance_rows(distance_counts(windows), chance_shares(windows))


def distance_rows(counts: np.ndarray, chance: np.ndarray) -> pd.DataFrame:
    """`distance_table` of counts (layer, head, distance) and of the chance share of every distance."""
    layers, heads, _ = counts.shape
    flat = counts.reshape(layers * heads, -1)
    row, distance = np.nonzero(flat)
    index = head_index(layers, heads).iloc[row].reset_index(drop=True)
    return index.assign(distance=distance, pairs=flat[row, distance], chance_share=chance[distance])


def binned_distances(windows: Sequence[StrongPairs]) -> pd.DataFrame:
    """Share of each layer's strong pairs by distance: layer, distance (label), start, end, share, chance_share, ratio.

    The bins double (1, 2, 3-4, 5-8, ...), so that near and far are both seen. Bins that no pair could fall into are left out.
    """
    counts = in_bins(distance_counts(windows)).sum(axis=1)
    return bin_rows(counts / counts.sum(axis=1, keepdims=True), chance_shares(windows))


def in_bins(by_distance: np.ndarray) -> np.ndarray:
    """Sums over doubling bins: (..., distance from 0 on) -> (..., bin)."""
    size = max(by_distance.shape[-1], BINS[-1] + 1)
    padded = np.zeros((*by_distance.shape[:-1], size), dtype=by_distance.dtype)
    padded[..., : by_distance.shape[-1]] = by_distance
    return np.add.reduceat(padded, BINS, axis=-1)


def bin_rows(shares: np.ndarray, chance: np.ndarray) -> pd.DataFrame:
    """`binned_distances` of shares (layer, bin) and of the chance share of every distance."""
    longest, expected = len(chance) - 1, in_bins(chance)
    bins = [(start, min(end, longest)) for start, end in zip(BINS, [*(BINS[1:] - 1), longest], strict=True)]
    layer, at = np.indices(shares.shape).reshape(2, -1)
    table = pd.DataFrame(
        {
            "layer": layer + 1,
            "distance": np.array([f"{s}" if s == e else f"{s}-{e}" for s, e in bins], dtype=object)[at],
            "start": np.array(bins)[at, 0],
            "end": np.array(bins)[at, 1],
            "share": shares.ravel(),
            "chance_share": expected[at],
        }
    )
    possible = table[table["chance_share"] > 0].reset_index(drop=True)
    return possible.assign(ratio=possible["share"] / possible["chance_share"])


def distance_counts(windows: Sequence[StrongPairs]) -> np.ndarray:
    """Number of strong pairs of every head at every distance, (layer, head, distance from 0 on)."""
    layers, heads, _ = windows[0].shape
    longest = _longest(windows)
    counts = np.zeros((layers * heads, longest), dtype=np.int64)
    for window in windows:
        distance = (window.second - window.first).reshape(layers * heads, -1)
        keys = distance + longest * np.arange(layers * heads)[:, None]
        counts += np.bincount(keys.ravel(), minlength=counts.size).reshape(counts.shape)
    return counts.reshape(layers, heads, longest)


def chance_shares(windows: Sequence[StrongPairs]) -> np.ndarray:
    """Share of all pairs at every distance, (distance from 0 on); windows weigh by their strong pairs."""
    longest = _longest(windows)
    chance = np.zeros(longest)
    strong = sum(window.shape[2] for window in windows)
    for window in windows:
        first, second = window.all_pairs
        chance += np.bincount(second - first, minlength=longest) * (window.shape[2] / strong / len(first))
    return chance


def _longest(windows: Sequence[StrongPairs]) -> int:
    return max(len(window.passage) for window in windows)
