"""How many segments? As many as pay, beyond what sentences gain that only keep to their neighbours.

More segments always gain more. Two things are taken off before the best number is looked for:

* Luck and local coherence. Sentences of real prose resemble their neighbours where no topic changes, so that the text is
  compared with its own sentences in random order, in blocks of two and of four neighbours, which keep that resemblance
  and lose the topics (the idea of the gap statistic, Tibshirani, Walther & Hastie 2001, with a block null).
* A share of the text's variance, for every boundary. Topics have parts, and parts have parts: a boundary counts that
  shows at the scale of the whole text. The share has no unit, so that nothing is assumed on the length of segments.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from attn_core.segmentation.partition import penalised_partition, segment_gains

BLOCKS = (2, 4)  # sentences that stay together in a random order
ORDERS = 2  # random orders with each
SHARE = 0.005  # of the text's variance, that a boundary has to explain beyond chance; the README says how it was chosen
PENALTIES = 40
LOWEST_PENALTY = 0.1  # two sentences that share nothing gain 0.17 by a boundary between them


@dataclass(frozen=True, eq=False)
class FoundNumber:
    """A partition whose number of segments was found.

    penalty: what every boundary had to gain. curve: (point, 3), for each penalty that was tried: number of segments,
    gain, and mean gain of the sentences in random order in as many segments.
    """

    boundaries: tuple[int, ...]
    penalty: float
    curve: np.ndarray


def find_number(vectors: np.ndarray, weights: np.ndarray | None = None, seed: int = 0) -> FoundNumber:
    """The partition (see `partition`) that is worth most, for sentence vectors (S, width) of length 1 and weights (S,) of
    mean 1, so that their variance is S."""
    weights = np.ones(len(vectors)) if weights is None else weights
    gains = segment_gains(vectors, weights=weights)
    penalties = _penalties(gains)
    found = [penalised_partition(gains, penalty) for penalty in penalties]
    numbers = np.array([len(boundaries) + 1 for boundaries, _ in found])
    totals = np.array([gain for _, gain in found])
    orders = _random_orders(len(vectors), np.random.default_rng(seed))
    mixed = (segment_gains(vectors[order], weights=weights[order]) for order in orders)
    chance = np.mean([_gains_at(numbers, each, penalties) for each in mixed], axis=0)
    worth = totals - chance - SHARE * len(vectors) * (numbers - 1)
    best = int(np.argmax(worth))  # penalties fall, so of equal values the fewest segments win
    return FoundNumber(found[best][0], float(penalties[best]), np.column_stack([numbers, totals, chance]))


def _random_orders(sentences: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Orders of the sentences in which blocks of neighbours stay together; where blocks begin is random too."""
    for block in BLOCKS:
        for _ in range(ORDERS):
            edges = np.arange(rng.integers(block) or block, sentences, block)
            blocks = np.split(np.arange(sentences), edges)
            yield np.concatenate([blocks[each] for each in rng.permutation(len(blocks))])


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
