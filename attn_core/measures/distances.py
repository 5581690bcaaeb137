"""How far do tokens reach? Distances of the strong pairs, head by head, against all pairs."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from attn_core.measures.frames import head_index
from attn_core.similarity import StrongPairs


def distance_table(windows: Sequence[StrongPairs]) -> pd.DataFrame:
    """Strong pairs by distance: layer, head, distance (tokens), pairs, chance_share; windows pooled.

    Only distances at which a head has strong pairs get a row. chance_share is the share of all pairs at that distance,
    windows weighing by their strong pairs.
    """
    layers, heads, _ = windows[0].shape
    longest = max(len(window.passage) for window in windows)
    counts = np.zeros((layers * heads, longest), dtype=np.int64)
    chance = np.zeros(longest)
    strong = sum(window.shape[2] for window in windows)
    for window in windows:
        distance = (window.second - window.first).reshape(layers * heads, -1)
        keys = distance + longest * np.arange(layers * heads)[:, None]
        counts += np.bincount(keys.ravel(), minlength=counts.size).reshape(counts.shape)
        first, second = window.all_pairs
        chance += np.bincount(second - first, minlength=longest) * (window.shape[2] / strong / len(first))
    row, distance = np.nonzero(counts)
    index = head_index(layers, heads).iloc[row].reset_index(drop=True)
    return index.assign(distance=distance, pairs=counts[row, distance], chance_share=chance[distance])
