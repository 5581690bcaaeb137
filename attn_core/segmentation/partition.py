"""Optimal partition of a text into segments of similar sentences, by dynamic programming.

A segment of sentences with vectors x and weights w gains |sum w x|^2 / (sum w + SHRINKAGE), and the gain of a partition
is the sum over its segments. Without the shrinkage this is the mean similarity inside a segment times its length, which
is the kernel change-point cost (Arlot, Celisse & Harchaoui 2019). The shrinkage is what a Gaussian prior on a segment's
mean adds (as in Bayesian segmentation, Eisenstein & Barzilay 2008, with fixed variances): sentences of a short segment
are similar by chance more often. The value 2 was selected from 1, 2 and 4 on half of Choi's documents.

If no number of segments is given, it is the one whose gain most exceeds that of sentences without topics.

The gain of a partition grows with its number of segments, so two terms are subtracted:

* Chance: the mean gain of two nulls, as in the gap statistic (Tibshirani, Walther & Hastie 2001). The first null is the
  text's sentences in random order. Prose gains more than this null, because a sentence resembles its neighbours. The
  second null is sentences that drift: on average as similar at every distance as those of the text, but without breaks,
  so a text gains more only by its breaks. They have the Fourier components of the text's vectors along its sentences,
  with random phases that are the same for all dimensions (Prichard & Theiler 1994).
* A share of the text's variance for every boundary, so that a boundary must matter at the scale of the whole text. The
  share has no unit, so nothing is assumed about the length of segments.

A text is one segment if its best number of segments gains no more than some draw of a null with the same number.
"""

from collections.abc import Iterator

import numpy as np

from attn_core.segmentation.vectors import unit

SHRINKAGE = 2.0
ROWS = 256  # sentences per block of the similarity matrix
LONGEST = 1000  # the default maximum length of a segment, in sentences
DRAWS = 4  # random draws of each null
SHARE = 0.004  # share of variance that a boundary must explain beyond chance; selected in docs/results.md
PENALTIES = 40
LOWEST_PENALTY = 0.1  # a boundary between two dissimilar sentences gains 0.17


def segment_gains(
    vectors: np.ndarray, longest: int = LONGEST, weights: np.ndarray | None = None, starts: np.ndarray | None = None
) -> np.ndarray:
    """The gain of every possible segment, (S + 1, longest + 1), from sentence vectors (S, width).

    [b, n] is the segment of the n sentences before sentence b; impossible ones are -inf. weights: (S,), 1 by default.
    starts: the first sentences of paragraphs; if given, paragraphs replace sentences. Only sentences less than
    `longest` apart are compared, so memory grows with S and not with S^2.
    """
    weights = np.ones(len(vectors)) if weights is None else weights
    vectors = vectors * weights[:, None].astype(vectors.dtype)
    if starts is not None:
        vectors, weights = (np.add.reduceat(each, starts, axis=0) for each in (vectors, weights))
    size = len(vectors)
    longest = min(longest, size)
    gains = np.full((size + 1, longest + 1), -np.inf)
    inside = np.zeros(1)  # sum of similarities inside the segment of n = 0, 1, ... sentences before b
    for b in range(1, size + 1):
        first, at = max(0, b - longest), (b - 1) % ROWS
        if at == 0:
            start = max(0, b - longest)
            products = vectors[b - 1 : b - 1 + ROWS] @ vectors[start : b - 1 + ROWS].T
        row = products[at, first - start : b - start][::-1].astype(np.float64)  # with itself, the one before, ...
        inside = np.concatenate([[0.0], inside[: len(row)] + 2 * np.cumsum(row) - row[0]])
        gains[b, 1 : len(inside)] = inside[1:] / (np.cumsum(weights[first:b][::-1]) + SHRINKAGE)
    return gains


def best_partition(gains: np.ndarray, segments: int) -> tuple[int, ...]:
    """The boundaries (see `segments`) of the partition of largest gain into a number of segments."""
    size, longest = gains.shape[0] - 1, gains.shape[1] - 1
    total = np.full(size + 1, -np.inf)
    total[0] = 0.0
    steps = []
    for _ in range(segments):
        before = np.concatenate([np.full(longest, -np.inf), total])
        # [b, n] is the best total of the n sentences fewer
        candidates = np.lib.stride_tricks.sliding_window_view(before, longest + 1)[:, ::-1] + gains
        steps.append(candidates.argmax(axis=1))
        total = np.take_along_axis(candidates, steps[-1][:, None], axis=1)[:, 0]
    boundaries = []
    end = size
    for step in reversed(steps):
        end -= int(step[end])
        boundaries.append(end)
    return tuple(sorted(boundaries[:-1]))


def penalised_partition(gains: np.ndarray, penalty: float) -> tuple[tuple[int, ...], float]:
    """The partition that maximises gain - penalty * boundaries, as (boundaries, gain)."""
    size, longest = gains.shape[0] - 1, gains.shape[1] - 1
    total = np.zeros(size + 1)
    total[0] = penalty  # the first segment needs no boundary
    step = np.zeros(size + 1, dtype=np.int64)
    for b in range(1, size + 1):
        n = min(b, longest)
        candidates = total[b - n : b][::-1] + gains[b, 1 : n + 1]
        step[b] = candidates.argmax() + 1
        total[b] = candidates[step[b] - 1] - penalty
    boundaries = []
    end = size - step[size]
    while end > 0:
        boundaries.append(int(end))
        end -= step[end]
    return tuple(reversed(boundaries)), float(total[size] + penalty * len(boundaries))


def find_number(vectors: np.ndarray, weights: np.ndarray) -> tuple[int, ...]:
    """The boundaries of the best partition into the best number of segments (see the module).

    vectors: (S, width), of length 1. weights: (S,), of mean 1, so that the text's variance is S. A boundary may lie at
    any sentence end. With paragraph ends only, the nulls would gain too little, since their paragraphs are not
    coherent; and if each paragraph is a topic, paragraphs in random order would gain as much as the text.
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
    """The vectors (S, width) and weights (S,) of each draw of both nulls."""
    spectrum = np.fft.rfft(vectors.astype(np.float32), axis=0)  # float32 halves the memory for a book
    for _ in range(DRAWS):
        order = rng.permutation(len(vectors))
        yield vectors[order], weights[order]
        yield _drifting(spectrum, len(vectors), rng), weights


def _drifting(spectrum: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
    """Vectors (size, width) of length 1 from Fourier components (frequency, width) with random phases."""
    phases = rng.uniform(0, 2 * np.pi, len(spectrum))
    phases[0] = 0.0  # the mean stays
    if size % 2 == 0:
        phases[-1] = 0.0  # and so does the fastest component, which is real
    turns = np.exp(1j * phases)[:, None].astype(spectrum.dtype)
    return unit(np.fft.irfft(spectrum * turns, n=size, axis=0))


def _penalties(gains: np.ndarray) -> np.ndarray:
    """Penalties in falling order, from the fewest boundaries to a segment for almost every sentence.

    The fewest is 0, or more in a text longer than the longest segment.
    """
    sentences, longest = (length - 1 for length in gains.shape)
    fewest = -(-sentences // longest) - 1
    highest = 1.0
    while len(penalised_partition(gains, highest)[0]) > fewest:
        highest *= 2
    return np.geomspace(highest, LOWEST_PENALTY, PENALTIES)


def _gains_at(numbers: np.ndarray, gains: np.ndarray, penalties: np.ndarray) -> np.ndarray:
    """The gains of the best partitions into given numbers of segments, interpolated if no penalty yields a number."""
    partitions = (penalised_partition(gains, penalty) for penalty in penalties)
    known = {len(boundaries) + 1: gain for boundaries, gain in partitions}
    reached = sorted(known)
    return np.interp(numbers, reached, [known[number] for number in reached])
