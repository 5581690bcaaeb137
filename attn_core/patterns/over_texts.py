"""What a sum over texts is told with: halves that choose for each other, and shares with 95 % intervals."""

import numpy as np

from attn_core.numerics.poisson_bootstrap import interval


def halves(texts: np.ndarray) -> np.ndarray:
    """Whether each row is of the second half, (n,): every second of the texts, whose numbers these are."""
    return np.unique(texts, return_inverse=True)[1] % 2 == 1


def estimated(values: np.ndarray, texts: np.ndarray, whole: np.ndarray, least: float = 0) -> tuple[float, float, float]:
    """A share and the bounds of its interval, of its values in all replicates, itself first.

    texts: (n,), their numbers, that of a long one at each of its parts; whole: (n,), what they are divided by. least: what
    it can be, at most 1.
    """
    sizes = np.bincount(np.unique(texts, return_inverse=True)[1], weights=whole)
    low, high = np.clip(interval(values, sizes), least, 1)
    return float(values[0]), float(low), float(high)


def bounded(name: str, values: tuple[float, float, float]) -> dict[str, float]:
    """A share and its bounds as three columns of a row."""
    return dict(zip((name, f"{name}_low", f"{name}_high"), map(float, values), strict=True))
