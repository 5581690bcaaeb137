"""95 % intervals over texts, in one pass and constant memory.

Each of B replicates draws every text a Poisson(1) number of times and adds its sums so often; the 2.5 and 97.5 % points
of the replicates' statistics bound the interval. A ratio of such sums has the distribution of the ordinary bootstrap's
(texts drawn with replacement) but for the number of texts drawn, which cancels (Chamandy et al. 2012, "Estimating
Uncertainty for Massive Data Streams", Google). scipy.stats.bootstrap needs all texts in memory at once and calls the
statistic once a replicate; the tests hold the two against each other. The draws of a text depend on its number and the
seed alone, so that parts of one text in different shards are drawn alike.
"""

import warnings
from functools import lru_cache

import numpy as np

BLOCK = 256  # texts that are drawn together
LEVEL = 95.0


def weights(texts: np.ndarray, draws: int, seed: int) -> np.ndarray:
    """How often each replicate takes each text, (1 + draws, n): row 0 takes every text once. texts: (n,) numbers."""
    found = np.ones((1 + draws, len(texts)))
    for block in np.unique(texts // BLOCK).tolist():
        here = np.flatnonzero(texts // BLOCK == block)
        found[1:, here] = _block(block, draws, seed)[:, texts[here] % BLOCK]
    return found


def interval(replicates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Bounds of the 95 % interval over axis 0. Replicates that drew nothing (NaN) are left out."""
    tail = (100 - LEVEL) / 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a statistic that no replicate has stays NaN
        low, high = np.nanpercentile(replicates, [tail, 100 - tail], axis=0)
    return low, high


@lru_cache(maxsize=2)
def _block(block: int, draws: int, seed: int) -> np.ndarray:
    generator = np.random.Generator(np.random.Philox(key=np.array([seed, block], dtype=np.uint64)))
    return generator.poisson(1.0, (draws, BLOCK)).astype(np.float64)
