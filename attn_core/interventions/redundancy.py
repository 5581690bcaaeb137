"""Redundancy of a head: how far it makes the same pairs of words alike as the other head that is most like it."""

import numpy as np

from attn_core.analysis.reading import Reading
from attn_core.comparison.match import match_heads

DRAWS = 9  # permutations of the words, each of which tells a chance level for every head


def redundancy(reading: Reading, seed: int = 0) -> tuple[np.ndarray, float]:
    """The rank correlation of each head's similarity matrix over words with that of the head most like it, (H,), and its chance.

    Chance is the mean of that where the words of the other head change places. Raises InputError where no window has five words.
    """
    match = match_heads(reading, reading, draws=DRAWS, seed=seed)
    return _of_others(match.correlation), float(np.mean([_of_others(one) for one in match.by_chance]))


def _of_others(correlation: np.ndarray) -> np.ndarray:
    """The best correlation of each head with another one, (H,)."""
    return np.where(np.eye(len(correlation), dtype=bool), -np.inf, correlation).max(axis=1)
