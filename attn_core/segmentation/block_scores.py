"""Cohesion at every gap: how alike the sentences just before and just after it are (TextTiling's block comparison,
Hearst 1997, with head outputs in place of word counts)."""

import numpy as np

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
