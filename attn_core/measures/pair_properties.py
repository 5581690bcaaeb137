"""What can be said of one pair of tokens. A head's statistic is the mean over its strong pairs, chance the mean over all.

To add a property, write a function of pairs and give it a line in `statistics.STATISTICS`.
"""

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from attn_core.measures.tally import Count
from attn_core.measures.window import Window
from attn_core.numerics.pairs import pairs_among
from attn_core.texts.passages import Passage

NEAR = 2  # tokens; our choice
Property = Callable[[Passage, np.ndarray, np.ndarray], np.ndarray]  # of pairs first < second, in arrays of one shape


def distance(_passage: Passage, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """How many tokens apart."""
    return second - first


def same_sentence(passage: Passage, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Whether both lie in one sentence; a special token that belongs to none is in none."""
    sentence = passage.sentences.take(first)
    return (sentence == passage.sentences.take(second)) & (sentence >= 0)


def repetition(passage: Passage, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Whether both are one token."""
    return passage.token_ids[first] == passage.token_ids[second]


def near(_passage: Passage, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Whether they are neighbours."""
    return second - first <= NEAR


def separator(passage: Passage, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Whether one of them is a separator."""
    return passage.is_separator[first] | passage.is_separator[second]


def at_anchor(passage: Passage, first: np.ndarray, second: np.ndarray, anchors: np.ndarray | int) -> np.ndarray:
    """Whether one of them is the anchor, given by its token id; anchors are broadcast against the pairs."""
    return (passage.token_ids[first] == anchors) | (passage.token_ids[second] == anchors)


def mean_of(of_pairs: Property) -> Callable[[Window], Count]:
    """A property as a statistic: its mean over the strong pairs of each head; chance, over all P pairs of the window."""

    def count(window: Window) -> Count:
        pairs = window.pairs
        strong = pairs.shape[2]
        shown = of_pairs(pairs.passage, pairs.first, pairs.second).sum(axis=-1)
        chance = _over_all_pairs(of_pairs, pairs.passage, pairs.eligible.tobytes())
        return Count(shown, chance * strong, strong)

    return count


@lru_cache(maxsize=16)  # a window is counted under many settings
def _over_all_pairs(of_pairs: Property, passage: Passage, eligible: bytes) -> float:
    return float(of_pairs(passage, *pairs_among(np.flatnonzero(np.frombuffer(eligible, dtype=bool)))).mean())
