"""How many segments? As many as pay, beyond what sentences gain that have no topics.

More segments always gain more. Two things are taken off before the best number is looked for:

* Chance. It lies between two nulls, and is the mean of what both gain (the idea of the gap statistic, Tibshirani, Walther &
  Hastie 2001). The text's own sentences in random order are not coherent at all: beyond them, real prose gains by every
  sentence that resembles its neighbours. Drifting sentences are as alike at every distance as the text's own, on average,
  and break nowhere: beyond them, a text gains by breaks alone, as pasted texts do. They have the Fourier components of the
  text's vectors along its sentences, with phases drawn anew, the same for all dimensions (Prichard & Theiler 1994).
* A share of the text's variance, for every boundary. Topics have parts, and parts have parts: a boundary counts that
  shows at the scale of the whole text. The share has no unit, so that nothing is assumed on the length of segments.

A text that gains no more, in its best number of segments, than the luckiest draw of the nulls does in as many is one segment.
"""

from collections.abc import Iterator

import numpy as np

from attn_core.segmentation.partition import penalised_partition, segment_gains
from attn_core.segmentation.vectors import unit

DRAWS = 4  # of each null
SHARE = 0.004  # of the text's variance, that a boundary has to explain beyond chance; docs/results.md says how it was chosen
PENALTIES = 40
LOWEST_PENALTY = 0.1  # two sentences that share nothing gain 0.17 by a boundary between them


def find_number(vectors: np.ndarray, weights: np.ndarray) -> tuple[int, ...]:
    """The boundaries of the partition (see `partition`) that is worth most, for sentence vectors (S, width) of length 1 and
    weights (S,) of mean 1, so that their variance is S.

    Boundaries lie at any sentence end. At paragraph ends only, the nulls, whose sentences are not coherent inside paragraphs,
    would gain too little; and paragraphs in random order gain as much as the text where each is a topic.
    """
    gains = segment_gains(vectors, weights=weights)
    penalties = _penalties(gains)
    partitions = [penalised_partition(gains, penalty) for penalty in penalties]
    numbers = np.array([len(boundaries) + 1 for boundaries, _ in partitions])
    totals = np.array([gain for _, gain in partitions])
    nulls = np.array(
        [
            _gains_at(numbers, segment_gains(null, weights=weighing), penalties)
            for null, weighing in _nulls(vectors, weights, np.random.default_rng(0))
        ]
    )
    chance = nulls.mean(axis=0)
    worth = totals - chance - SHARE * len(vectors) * (numbers - 1)
    best = int(np.argmax(worth))  # penalties fall, so of equal values the fewest segments win
    if totals[best] <= nulls[:, best].max():
        best = 0
    return partitions[best][0]


def _nulls(
    vectors: np.ndarray, weights: np.ndarray, rng: np.random.Generator
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Vectors (S, width) and weights (S,) without topics, as many in random order as drifting."""
    spectrum = np.fft.rfft(vectors.astype(np.float32), axis=0)  # half the memory, which a book needs
    for _ in range(DRAWS):
        order = rng.permutation(len(vectors))
        yield vectors[order], weights[order]
        yield _drifting(spectrum, len(vectors), rng), weights


def _drifting(spectrum: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
    """Vectors (size, width) of length 1 from Fourier components (frequency, width) in random phases."""
    phases = rng.uniform(0, 2 * np.pi, len(spectrum))
    phases[0] = 0.0  # the mean stays
    if size % 2 == 0:
        phases[-1] = 0.0  # and so does the fastest component, which is real
    turns = np.exp(1j * phases)[:, None].astype(spectrum.dtype)
    return unit(np.fft.irfft(spectrum * turns, n=size, axis=0))


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
