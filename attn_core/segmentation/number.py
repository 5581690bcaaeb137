"""How many segments? As many as bring the largest advantage over the same sentences in random order.

More segments always gain more. How much of that is luck shows in the text's own sentences, shuffled: the number is the
one where the gain is furthest above the mean gain of the shuffled texts (the idea of the gap statistic, Tibshirani,
Walther & Hastie 2001).
"""

from dataclasses import dataclass

import numpy as np

from attn_core.segmentation.partition import penalised_partition, segment_gains

SHUFFLES = 5
PENALTIES = 32
LOWEST_PENALTY = 0.1  # two sentences that share nothing gain 0.17 by a boundary between them


@dataclass(frozen=True, eq=False)
class FoundNumber:
    """A partition whose number of segments was found.

    penalty: what every boundary had to gain. curve: (point, 3), for each penalty that was tried: number of segments,
    gain, and mean gain of the shuffled sentences in as many segments.
    """

    boundaries: tuple[int, ...]
    penalty: float
    curve: np.ndarray


def find_number(vectors: np.ndarray, shuffles: int = SHUFFLES, seed: int = 0) -> FoundNumber:
    """The partition (see `partition`) of sentences (S, width) that is furthest above chance."""
    gains = segment_gains(vectors)
    penalties = _penalties(gains)
    found = [penalised_partition(gains, penalty) for penalty in penalties]
    numbers = np.array([len(boundaries) + 1 for boundaries, _ in found])
    totals = np.array([gain for _, gain in found])
    rng = np.random.default_rng(seed)
    chance = np.mean(
        [_gains_at(numbers, segment_gains(vectors[rng.permutation(len(vectors))]), penalties) for _ in range(shuffles)],
        axis=0,
    )
    best = int(np.argmax(totals - chance))  # penalties fall, so of equal values the fewest segments win
    return FoundNumber(found[best][0], float(penalties[best]), np.column_stack([numbers, totals, chance]))


def _penalties(gains: np.ndarray) -> np.ndarray:
    """Falling penalties, from one that allows the fewest boundaries to one that gives almost every sentence its own segment.

    The fewest is none, or in a text longer than the longest segment as many as that demands.
    """
    sentences, longest = (length - 1 for length in gains.shape)
    fewest = -(-sentences // longest) - 1
    highest = 1.0
    while len(penalised_partition(gains, highest)[0]) > fewest:
        highest *= 2
    return np.geomspace(highest, LOWEST_PENALTY, PENALTIES)


def _gains_at(numbers: np.ndarray, gains: np.ndarray, penalties: np.ndarray) -> np.ndarray:
    """What the best partitions gain at given numbers of segments, interpolated between those that penalties reach."""
    known: dict[int, float] = {}
    for penalty in penalties:
        boundaries, gain = penalised_partition(gains, penalty)
        known[len(boundaries) + 1] = gain
    reached = sorted(known)
    return np.interp(numbers, reached, [known[number] for number in reached])
