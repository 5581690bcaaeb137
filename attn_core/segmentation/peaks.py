"""From scores of places where a boundary may lie to boundaries, as numbers of places from 1."""

import numpy as np


def highest(scores: np.ndarray, segments: int) -> tuple[int, ...]:
    """The segments - 1 places of highest score; of equal ones the earlier."""
    order = np.argsort(-scores, kind="stable")[: segments - 1]
    return tuple(sorted(int(place) + 1 for place in order))


def high(scores: np.ndarray) -> tuple[int, ...]:
    """All places that score more than one standard deviation above the mean (our choice)."""
    return tuple(int(place) + 1 for place in np.flatnonzero(scores > scores.mean() + scores.std()))
