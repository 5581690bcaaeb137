"""All pairs i < j, in the order of `numpy.triu_indices`."""

from functools import lru_cache

import numpy as np

CACHED_UP_TO = (
    1024  # items; their pairs are cached, at most 8 MB, since computing them takes longer than counting over them
)

Pairs = tuple[np.ndarray, np.ndarray]  # (first, second), (P,) each


def every_pair(number: int) -> Pairs:
    """The pairs of `number` items; read-only arrays for up to `KEPT` items."""
    return _kept(number) if number <= CACHED_UP_TO else np.triu_indices(number, k=1)


def pairs_among(positions: np.ndarray) -> Pairs:
    """The pairs of positions, which are sorted."""
    first, second = every_pair(len(positions))
    if len(positions) and positions[-1] == len(positions) - 1:
        return first, second
    return positions[first], positions[second]


def permuted_pairs(order: np.ndarray) -> np.ndarray:
    """The index of each pair of N items after a permutation of the items, (P,). order: (N,)."""
    i, j = every_pair(len(order))
    place = np.zeros((len(order), len(order)), dtype=np.int64)
    place[i, j] = place[j, i] = np.arange(len(i))
    return place[order[i], order[j]]


@lru_cache(maxsize=4)
def _kept(number: int) -> Pairs:
    first, second = np.triu_indices(number, k=1)
    first.flags.writeable = second.flags.writeable = False
    return first, second
