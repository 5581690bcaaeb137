"""What can be said of one pair of tokens. A head's statistic is the mean over its strong pairs, chance the mean over all.

To add a property of pairs, add a line to `pair_properties`: its mean and its chance level then stand in every table.
"""

from collections.abc import Sequence

import numpy as np

from attn_core.passages import Passage
from attn_core.strong_pairs import StrongPairs

NEAR = 2  # tokens; our choice


def pair_properties(passage: Passage, first: np.ndarray, second: np.ndarray) -> dict[str, np.ndarray]:
    """Properties of the pairs (first, second), first < second, in arrays of their shape, named as in the tables."""
    sentences, ids, separator = passage.sentences, passage.token_ids, passage.is_separator
    distance = second - first
    return {
        "mean_distance": distance,
        "same_sentence_share": (sentences[first] == sentences[second]) & (sentences[first] >= 0),
        "repetition_share": ids[first] == ids[second],
        "near_share": distance <= NEAR,
        "separator_share": separator[first] | separator[second],
    }


def head_means(windows: Sequence[StrongPairs]) -> dict[str, np.ndarray]:
    """Mean of every property over the strong pairs of each head, windows pooled: name -> (layer, head)."""
    sums: dict[str, np.ndarray] = {}
    for window in windows:
        for name, values in pair_properties(window.passage, window.first, window.second).items():
            sums[name] = sums.get(name, 0) + values.sum(axis=-1)
    strong = sum(window.shape[2] for window in windows)
    return {name: total / strong for name, total in sums.items()}


def chance_means(windows: Sequence[StrongPairs]) -> dict[str, float]:
    """Chance level of every property: its mean over all P pairs of a window; windows weigh by their strong pairs."""
    sums: dict[str, float] = {}
    for window in windows:
        for name, values in pair_properties(window.passage, *window.all_pairs).items():
            sums[name] = sums.get(name, 0.0) + float(values.mean()) * window.shape[2]
    strong = sum(window.shape[2] for window in windows)
    return {name: total / strong for name, total in sums.items()}
