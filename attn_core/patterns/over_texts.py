"""What a sum over texts is reported with: halves that choose for each other, and shares with 95 % intervals."""

import numpy as np

from attn_core.numerics.leave_one_out import interval, sizes, times


def halves(texts: np.ndarray) -> np.ndarray:
    """Whether each row is of the second half, (n,): every second of the texts, whose numbers these are."""
    return np.unique(texts, return_inverse=True)[1] % 2 == 1


def shares(sums: np.ndarray, whole: np.ndarray, texts: np.ndarray) -> np.ndarray:
    """A share over all texts and without each group of them, (1 + GROUPS, ...); NaN where there is nothing to divide by.

    sums, whole: (n, ...) and (n,), what is divided by what. texts: (n,), their numbers, that of a long one at each of its parts.
    """
    taken = times(texts)
    with np.errstate(invalid="ignore", divide="ignore"):
        return (np.tensordot(taken, sums, axes=1).T / (taken @ whole)).T


def bounded(name: str, sums: np.ndarray, whole: np.ndarray, texts: np.ndarray) -> dict[str, float]:
    """A share and the bounds of its interval as three columns of a row. The others: as of `shares`, (n,)."""
    values = shares(sums, whole, texts)
    low, high = np.clip(interval(values, sizes(texts, whole)), 0, 1)
    return {name: float(values[0]), f"{name}_low": float(low), f"{name}_high": float(high)}
