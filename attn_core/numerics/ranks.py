"""Ranks and their correlation."""

import numpy as np


def ranks(values: np.ndarray) -> np.ndarray:
    """Ranks along the last axis, from 0, equal values sharing the mean of theirs; float32 in, float64 out."""
    return np.apply_along_axis(_ranks_of_row, -1, np.asarray(values, dtype=np.float32))


def correlation(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Pearson's correlation over the last axis; 0 where one of both is constant. Of ranks, Spearman's."""
    # Not the deviation: of equal values it is not always 0.
    varies = (np.ptp(a, axis=-1) > 0) & (np.ptp(b, axis=-1) > 0)
    x, y = (values.astype(np.float64) - values.mean(axis=-1, keepdims=True, dtype=np.float64) for values in (a, b))
    scale = np.sqrt((x * x).sum(axis=-1) * (y * y).sum(axis=-1))
    return np.divide((x * y).sum(axis=-1), scale, out=np.zeros(scale.shape), where=varies)


def _ranks_of_row(values: np.ndarray) -> np.ndarray:
    """Ranks of one row. A value and its place make one integer; numpy sorts these twice as fast as floats."""
    bits = (values + 0.0).view(np.int32)  # + 0.0: a negative zero equals zero
    ordered = bits ^ (bits >> 31 & 0x7FFFFFFF)  # as whole numbers that are equal, smaller and larger as the values are
    packed = np.sort(ordered.astype(np.int64) << 32 | np.arange(len(values)))
    level, row_ranks = packed >> 32, np.empty(len(values))
    opens = np.flatnonzero(np.diff(level, prepend=level[:1] - 1))  # of runs of equal values
    lengths = np.diff(opens, append=len(values))
    row_ranks[packed & 0xFFFFFFFF] = np.repeat(opens + (lengths - 1) / 2, lengths)
    return row_ranks
