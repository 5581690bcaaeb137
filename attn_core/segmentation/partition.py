"""Optimal partition of a text into segments of similar sentences, by dynamic programming.

A segment of sentences with vectors x and weights w gains |sum w x|^2 / (sum w + SHRINKAGE), and the gain of a partition
is the sum over its segments. Without the shrinkage this is the mean similarity inside a segment times its length, which
is the kernel change-point cost (Arlot, Celisse & Harchaoui 2019). The shrinkage is what a Gaussian prior on a segment's
mean adds (as in Bayesian segmentation, Eisenstein & Barzilay 2008, with fixed variances): sentences of a short segment
are similar by chance more often. The value 2 was selected from 1, 2 and 4 on half of Choi's documents.
"""

import numpy as np

SHRINKAGE = 2.0
ROWS = 256  # sentences per block of the similarity matrix
LONGEST = 1000  # the default maximum length of a segment, in sentences


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
