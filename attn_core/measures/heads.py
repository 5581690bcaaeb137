"""What does each head do? One row a head with every statistic and its chance level; one row a layer with their means."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from attn_core.measures.frames import head_frame, with_chance
from attn_core.measures.pair_properties import chance_means, head_means
from attn_core.strong_pairs import StrongPairs


def pair_columns(windows: Sequence[StrongPairs]) -> pd.DataFrame:
    """Properties of the strong pairs, and how concentrated they are on few tokens; windows pooled."""
    layers, heads, _ = windows[0].shape
    means, chance = head_means(windows), chance_means(windows)
    means["concentration"], chance["concentration"] = concentration(windows)
    pairs = {"pairs": np.int64(sum(window.shape[2] for window in windows))}
    return head_frame(pairs | with_chance(means, chance), layers, heads)


def concentration(windows: Sequence[StrongPairs]) -> tuple[np.ndarray, float]:
    """How unevenly the ends of strong pairs fall on the tokens, (layer, head), and its chance level.

    With c_t pair ends on token t of n tokens and K pairs, it is n * sum(c_t^2) / (2K)^2: 1 where all tokens are used
    alike, about n / 4 where one token is in every pair; n and K count the tokens and pairs of all windows. Chance: K of
    the P pairs of a window drawn without replacement make c_t hypergeometric, with mean 2K/n and variance
    K p (1 - p) (P - K) / (P - 1) for p = 2/n.
    """
    layers, heads, _ = windows[0].shape
    squares, expected = np.zeros(layers * heads), 0.0
    for window in windows:
        size = len(window.passage)
        row = size * np.arange(layers * heads)[:, None]
        ends = np.concatenate([window.first, window.second], axis=-1).reshape(layers * heads, -1)
        counts = np.bincount((row + ends).ravel(), minlength=row.size * size).reshape(-1, size)
        squares += (counts.astype(float) ** 2).sum(axis=1)
        n, strong, pairs = int(window.eligible.sum()), window.shape[2], len(window.all_pairs[0])
        variance = strong * (2 / n) * (1 - 2 / n) * (pairs - strong) / max(pairs - 1, 1)
        expected += n * (variance + (2 * strong / n) ** 2)
    tokens = sum(int(window.eligible.sum()) for window in windows)
    scale = tokens / sum(2 * window.shape[2] for window in windows) ** 2
    return (squares * scale).reshape(layers, heads), expected * scale


def layer_table(heads: pd.DataFrame) -> pd.DataFrame:
    """Every statistic with a chance level as its mean over the heads of each layer, and the layer's anchor uniqueness.

    anchor_uniqueness: distinct anchors / heads.
    """
    statistics = [c for name in heads for c in (name, f"chance_{name}") if f"chance_{name}" in heads]
    means = heads.groupby("layer")[statistics].mean().reset_index()
    uniqueness = heads.groupby("layer")["anchor_id"].agg(lambda ids: ids.nunique() / len(ids))
    return means.assign(anchor_uniqueness=uniqueness.to_numpy())
