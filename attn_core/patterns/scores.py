"""How much more alike the pairs of a pattern are than pairs of the same text at like distance.

The score of a head is the mean percentile of the pattern's pairs, each among the pairs of its text whose distance, in the
same direction, differs by at most a fifth; where these are fewer than 50, ever further ones are taken in. A percentile counts
half of what is equal, the pair itself included, so that chance is 0.5 exactly. p: of so many pairs drawn anew, each from its
own set.
"""

from functools import lru_cache

import numpy as np
from scipy.stats import false_discovery_control

TOLERANCE = 0.2  # of a distance
FEWEST = 50  # pairs that a pair is held against
DRAWS = 9999
TOO_FEW = 5  # pairs of a pattern that tell nothing yet
CHANCE = 0.5
AT_ONCE = 2**22  # random numbers


def like_distances(distance: int, words: int) -> tuple[int, int]:
    """The least and the largest distance that count as like one, in a text of so many words."""
    low, high = int(np.ceil(distance * (1 - TOLERANCE))), int(distance * (1 + TOLERANCE))
    low, high = max(low, 1), min(high, words - 1)
    while _pairs_at(low, high, words) < FEWEST and (low > 1 or high < words - 1):
        low, high = max(low - 1, 1), min(high + 1, words - 1)
    return low, high


def set_sizes(pairs: np.ndarray, words: int) -> np.ndarray:
    """How many pairs each pair is held against, itself among them, (n,). pairs: (n, 2)."""
    distances = np.abs(pairs[:, 1] - pairs[:, 0])
    return np.array([_pairs_at(*like_distances(int(distance), words), words) for distance in distances], dtype=np.int64)


def percentiles(maps: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """The percentile of each pair among those of like distance and direction, (rows, n), between 0 and 1.

    maps: (rows, word, word). pairs: (n, 2), no word with itself.
    """
    words = maps.shape[-1]
    near, far, starts = _by_distance(words)
    found = np.empty((len(maps), len(pairs)))
    bands = [like_distances(distance, words) for distance in np.abs(pairs[:, 1] - pairs[:, 0]).tolist()]
    ranges = [(starts[low], starts[high + 1]) for low, high in bands]
    for ahead in (True, False):
        chosen = np.flatnonzero((pairs[:, 1] > pairs[:, 0]) == ahead).tolist()
        places = near * words + far if ahead else far * words + near
        for row, one in enumerate(maps if chosen else ()):  # row by row: one fits the cache
            along, values = one.take(places), one[pairs[:, 0], pairs[:, 1]]
            for at in chosen:
                begin, end = ranges[at]
                alike, value = along[begin:end], values[at]
                below = np.count_nonzero(alike < value) + np.count_nonzero(alike <= value)
                found[row, at] = below / (2 * (end - begin))
    return found


def p_values(scores: np.ndarray, sizes: np.ndarray, draws: int = DRAWS, seed: int = 0) -> np.ndarray:
    """How often pairs drawn from the same sets score at least as high, (heads,); least 1 / (draws + 1).

    scores: (heads,), means of n percentiles. sizes: (n,), of `set_sizes`.
    """
    generator = np.random.default_rng(seed)
    sums = np.zeros(draws)
    for few in np.array_split(sizes, max(1, len(sizes) * draws // AT_ONCE)):
        sums += ((generator.integers(0, few, (draws, len(few))) + 0.5) / few).sum(axis=1)
    null = np.sort(sums / len(sizes))
    reached = draws - np.searchsorted(null, scores - 1e-9, side="left")
    return (1 + reached) / (draws + 1)


def adjusted(p: np.ndarray) -> np.ndarray:
    """Benjamini and Hochberg's p over all heads, of the same shape."""
    return false_discovery_control(p.ravel()).reshape(p.shape)


def _pairs_at(low: int, high: int, words: int) -> int:
    """Pairs i < j of so many words whose distance is between low and high."""
    number = high - low + 1
    return number * words - number * (low + high) // 2


@lru_cache(maxsize=8)
def _by_distance(words: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All pairs i < j by rising distance, (P,) each, and where each distance begins, (words + 1,)."""
    near, far = np.triu_indices(words, k=1)
    order = np.argsort(far - near, kind="stable")
    starts = np.concatenate([[0, 0], np.cumsum(words - np.arange(1, words))])
    return near[order], far[order], starts
