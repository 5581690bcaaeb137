"""Cohesion at every gap between sentences, and from such scores to boundaries."""

import numpy as np

SPREADS = 1.0


def highest(scores: np.ndarray, segments: int) -> tuple[int, ...]:
    """The segments - 1 gaps of highest score; of equal ones the earlier."""
    order = np.argsort(-scores, kind="stable")[: segments - 1]
    return tuple(sorted(int(gap) + 1 for gap in order))


def above(scores: np.ndarray, threshold: float) -> tuple[int, ...]:
    """All gaps that score more than a threshold."""
    return tuple(int(gap) + 1 for gap in np.flatnonzero(scores > threshold))


def usual_threshold(scores: np.ndarray) -> float:
    """Mean plus one standard deviation of the scores (our choice); infinite where there is no gap."""
    return float(scores.mean() + SPREADS * scores.std()) if len(scores) else np.inf


def depths(cohesion: np.ndarray) -> np.ndarray:
    """How deep a gap's cohesion lies below the nearest peak on either side, both added (Hearst 1997); 0 off a valley."""
    depth = np.zeros(len(cohesion))
    for gap, value in enumerate(cohesion):
        left, right = _climb(cohesion[: gap + 1][::-1]), _climb(cohesion[gap:])
        depth[gap] = left + right - 2 * value
    return depth


def _climb(values: np.ndarray) -> float:
    """The height that is reached from the first value on before the values fall."""
    falls = np.flatnonzero(np.diff(values) < 0)
    return float(values[falls[0]] if len(falls) else values[-1])


BLOCK = 3  # sentences on either side; of 2, 3, 4 and 6, 2 and 3 did best on Choi's documents


def cohesion(vectors: np.ndarray) -> np.ndarray:
    """(S - 1,): cosine between the sum of up to `BLOCK` sentences before a gap and of as many after it."""
    size = len(vectors)
    sums = np.concatenate([np.zeros((1, vectors.shape[1])), np.cumsum(vectors, axis=0, dtype=np.float64)])
    gap = np.arange(1, size)
    width = np.minimum(np.minimum(BLOCK, gap), size - gap)
    before, after = sums[gap] - sums[gap - width], sums[gap + width] - sums[gap]
    lengths = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
    return (before * after).sum(axis=1) / np.maximum(lengths, 1e-9)
