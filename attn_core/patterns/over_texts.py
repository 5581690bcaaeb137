"""What a sum over texts is told with: halves that choose for each other, and shares with 95 % intervals."""

import numpy as np

from attn_core.numerics.poisson_bootstrap import interval


def halves(texts: np.ndarray) -> np.ndarray:
    """Whether each row is of the second half, (n,): every second of the texts, whose numbers these are."""
    return np.unique(texts, return_inverse=True)[1] % 2 == 1


def bounded(
    name: str, times: np.ndarray, sums: np.ndarray, whole: np.ndarray, texts: np.ndarray, least: float = 0
) -> dict[str, float]:
    """A share and the bounds of its interval as three columns of a row; NaN where there is nothing to divide by.

    times: (draws + 1, n), see `poisson_bootstrap.weights`. sums, whole: (n,), what is divided by what. texts: (n,), their
    numbers, that of a long one at each of its parts. least: 0 of a share, -1 of a difference of two.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        values = (times @ sums) / (times @ whole)
    low, high = np.clip(
        interval(values, np.bincount(np.unique(texts, return_inverse=True)[1], weights=whole)), least, 1
    )
    return {name: float(values[0]), f"{name}_low": float(low), f"{name}_high": float(high)}
