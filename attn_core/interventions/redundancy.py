"""Heads held against each other by the pairs of words they make alike: which are redundant?

The measure is that of `comparison.match`, the rank correlation of similarity matrices over words.
"""

from dataclasses import dataclass

import numpy as np

from attn_core.analysis.reading import Reading
from attn_core.comparison.match import match_heads
from attn_core.similarity.strong_pairs import Measure

DRAWS = 9  # permutations of the words, each of which tells a chance level for every head


@dataclass(frozen=True, eq=False)
class Redundancy:
    """How alike the H heads of a reading are.

    correlation: (H, H), layer by layer. best: (H,), of each head with the other that is most like it. chance: the mean of
    that where the words of the other change places.
    """

    correlation: np.ndarray
    best: np.ndarray
    chance: float


def redundancy(reading: Reading, measure: Measure = "dot", draws: int = DRAWS, seed: int = 0) -> Redundancy:
    """Of every head of a reading. Raises InputError where no window has five words."""
    match = match_heads(reading, reading, (measure, measure), draws, seed)
    return Redundancy(
        match.correlation, _of_others(match.correlation), float(np.mean([_of_others(one) for one in match.by_chance]))
    )


def _of_others(correlation: np.ndarray) -> np.ndarray:
    """The best correlation of each head with another one, (H,)."""
    return np.where(np.eye(len(correlation), dtype=bool), -np.inf, correlation).max(axis=1)
