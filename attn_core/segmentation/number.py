"""How many segments? The number whose gain is largest beyond that of sentences without topics.

More segments always gain more, so two things are subtracted:

* Chance, the mean gain of two nulls (the idea of the gap statistic, Tibshirani, Walther & Hastie 2001). One is the
  text's own sentences in random order, which are not coherent: prose gains more, because a sentence resembles
  its neighbours. The other are drifting sentences, as alike at every distance as the text's own on average but without
  breaks: a text gains more by its breaks alone. They have the Fourier components of the text's vectors along its
  sentences, in random phases that are the same for all dimensions (Prichard & Theiler 1994).
* A share of the text's variance for every boundary, so that a boundary must show at the scale of the whole text. The
  share has no unit, so that nothing is assumed about the length of segments.

A text is one segment if its best number of segments gains no more than the luckiest draw of a null in as many.
"""

from collections.abc import Iterator

import numpy as np

from attn_core.segmentation.partition import penalised_partition, segment_gains
from attn_core.segmentation.vectors import unit

DRAWS = 4  # of each null
SHARE = 0.004  # of the text's variance that a boundary must explain beyond chance; chosen in docs/results.md
PENALTIES = 40
LOWEST_PENALTY = 0.1  # two sentences that share nothing gain 0.17 by a boundary between them


def find_number(vectors: np.ndarray, weights: np.ndarray) -> tuple[int, ...]:
    """The boundaries of the best partition in the best number of segments (see the module).

    vectors: (S, width), of length 1. weights: (S,), of mean 1, so that the text's variance is S. Boundaries lie at any
    sentence end: at paragraph ends alone, the nulls would gain too little, because their paragraphs are not coherent,
    and paragraphs in random order would gain as much as the text where each is a topic.
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
    """Vectors (S, width) and weights (S,) of each draw of both nulls."""
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
    """Falling penalties: the first allows the fewest boundaries, the last makes almost every sentence a segment.

    The fewest is none, or more in a text longer than the longest segment.
    """
    sentences, longest = (length - 1 for length in gains.shape)
    fewest = -(-sentences // longest) - 1
    highest = 1.0
    while len(penalised_partition(gains, highest)[0]) > fewest:
        highest *= 2
    return np.geomspace(highest, LOWEST_PENALTY, PENALTIES)


def _gains_at(numbers: np.ndarray, gains: np.ndarray, penalties: np.ndarray) -> np.ndarray:
    """The gains of the best partitions into these numbers of segments, interpolated where no penalty gives one."""
    known: dict[int, float] = {}
    for penalty in penalties:
        boundaries, gain = penalised_partition(gains, penalty)
        known[len(boundaries) + 1] = gain
    reached = sorted(known)
    return np.interp(numbers, reached, [known[number] for number in reached])
