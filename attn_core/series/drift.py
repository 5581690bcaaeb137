"""How far a head still is from what it becomes: 1 - the rank correlation of its similarity matrices with the last step's.

Chance level: the same against the last step's matrix with its tokens in a random order, close to 1. Both are means over
the windows. 0: the head makes the same pairs alike as at the end; 1: it has nothing in common with it; above 1: the
contrary.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from attn_core.measures.frames import head_frame, with_chance
from attn_core.numerics.ranks import correlation, permuted_pairs

Ranks = Sequence[np.ndarray]  # (layer, head, pair) for each window


def drift_table(numbers: Sequence[int], ranks: Sequence[Ranks]) -> pd.DataFrame:
    """One row a step and head: step, layer, head, drift, chance_drift. numbers, ranks: of the steps, the last one last."""
    last = ranks[-1]
    shuffled = [_tokens_shuffled(window) for window in last]
    layers, heads, _ = last[0].shape
    tables = []
    for number, step in zip(numbers, ranks, strict=True):
        columns = with_chance({"drift": _drift(step, last)}, {"drift": _drift(step, shuffled)})
        tables.append(head_frame(columns, layers, heads).assign(step=number))
    return pd.concat(tables, ignore_index=True)[["step", "layer", "head", "drift", "chance_drift"]]


def _drift(step: Ranks, last: Ranks) -> np.ndarray:
    """(layer, head)."""
    return np.mean([1 - correlation(*both) for both in zip(step, last, strict=True)], axis=0)


def _tokens_shuffled(window: np.ndarray) -> np.ndarray:
    """The pairs of a matrix, (layer, head, pair), with its tokens in a random order, the same at every call."""
    tokens = (1 + int(np.sqrt(1 + 8 * window.shape[-1]))) // 2
    return window[..., permuted_pairs(np.random.default_rng(0).permutation(tokens))]
