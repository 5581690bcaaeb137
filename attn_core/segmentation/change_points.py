"""Change points of a series of sentence vectors (ruptures' KernelCPD, Gaussian kernel)."""

import numpy as np
import ruptures

WIDTH = 64  # principal directions that are kept: KernelCPD takes time in proportion


def change_points(vectors: np.ndarray, segments: int | None, penalty: float) -> tuple[int, ...]:
    """Boundaries for sentence vectors (S, width): a given number, or those that lower the cost by more than `penalty`."""
    if len(vectors) < 2 or segments == 1:
        return ()
    # Coordinates along the principal directions.
    left, values, _ = np.linalg.svd(vectors, full_matrices=False)
    signal = (left * values)[:, :WIDTH]
    search = ruptures.KernelCPD(kernel="rbf", min_size=1, params={"gamma": _gamma(signal)}).fit(signal)
    ends = search.predict(n_bkps=segments - 1) if segments else search.predict(pen=penalty)
    return tuple(int(end) for end in ends[:-1])


def _gamma(signal: np.ndarray) -> float:
    """One over the median squared distance of two sentences (ruptures' own heuristic, without its clipping)."""
    squares = (signal**2).sum(axis=1)
    distances = squares[:, None] + squares - 2 * signal @ signal.T
    return 1 / max(float(np.median(distances[np.triu_indices(len(signal), k=1)])), 1e-9)
