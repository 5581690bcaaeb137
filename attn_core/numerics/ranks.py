"""Ranks and rank correlation."""

import numpy as np


def ranks(values: np.ndarray) -> np.ndarray:
    """The float64 ranks of float32 values along the last axis, from 0; ties get their mean rank."""
    return np.apply_along_axis(_ranks_of_row, -1, np.asarray(values, dtype=np.float32))


def correlation(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Pearson's correlation over the last axis, Spearman's if given ranks; 0 if either is constant."""
    # The standard deviation of equal values is not always 0, so their range is used.
    varies = (np.ptp(a, axis=-1) > 0) & (np.ptp(b, axis=-1) > 0)
    x, y = (values.astype(np.float64) - values.mean(axis=-1, keepdims=True, dtype=np.float64) for values in (a, b))
    scale = np.sqrt((x * x).sum(axis=-1) * (y * y).sum(axis=-1))
    return np.divide((x * y).sum(axis=-1), scale, out=np.zeros(scale.shape), where=varies)


def _ranks_of_row(values: np.ndarray) -> np.ndarray:
    """The ranks of one row. Each value and its index are packed into an integer, which numpy sorts twice as fast."""
    bits = (values + 0.0).view(np.int32)  # + 0.0: a negative zero equals zero
    ordered = bits ^ (bits >> 31 & 0x7FFFFFFF)  # integers in the order of the values
    packed = np.sort(ordered.astype(np.int64) << 32 | np.arange(len(values)))
    level, row_ranks = packed >> 32, np.empty(len(values))
    opens = np.flatnonzero(np.diff(level, prepend=level[:1] - 1))  # the starts of runs of equal values
    lengths = np.diff(opens, append=len(values))
    row_ranks[packed & 0xFFFFFFFF] = np.repeat(opens + (lengths - 1) / 2, lengths)
    return row_ranks
