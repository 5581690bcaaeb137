"""From scores of places where a boundary may lie to boundaries, as numbers of places from 1."""

import numpy as np

SPREADS = 1.0


def highest(scores: np.ndarray, segments: int) -> tuple[int, ...]:
    """The segments - 1 places of highest score; of equal ones the earlier."""
    order = np.argsort(-scores, kind="stable")[: segments - 1]
    return tuple(sorted(int(place) + 1 for place in order))


def above(scores: np.ndarray, threshold: float) -> tuple[int, ...]:
    """All places that score more than a threshold."""
    return tuple(int(place) + 1 for place in np.flatnonzero(scores > threshold))


def usual_threshold(scores: np.ndarray) -> float:
    """Mean plus one standard deviation of the scores (our choice); infinite where there is no place."""
    return float(scores.mean() + SPREADS * scores.std()) if len(scores) else np.inf
