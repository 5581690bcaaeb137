"""What a sum over texts is told with: halves that choose for each other, and shares with 95 % intervals."""

import numpy as np

from attn_core.numerics.leave_one_out import interval, sizes, times


def halves(texts: np.ndarray) -> np.ndarray:
    """Whether each row is of the second half, (n,): every second of the texts, whose numbers these are."""
    return np.unique(texts, return_inverse=True)[1] % 2 == 1


def bounded(name: str, sums: np.ndarray, whole: np.ndarray, texts: np.ndarray, least: float = 0) -> dict[str, float]:
    """A share and the bounds of its interval as three columns of a row; NaN where there is nothing to divide by.

    sums, whole: (n,), what is divided by what. texts: (n,), their numbers, that of a long one at each of its parts. least: 0 of
    a share, -1 of a difference of two.
    """
    taken = times(texts)
    with np.errstate(invalid="ignore", divide="ignore"):
        values = (taken @ sums) / (taken @ whole)
    low, high = np.clip(interval(values, sizes(texts, whole)), least, 1)
    return {name: float(values[0]), f"{name}_low": float(low), f"{name}_high": float(high)}
