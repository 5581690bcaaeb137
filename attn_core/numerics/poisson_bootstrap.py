"""95 % intervals over texts, in one pass and constant memory.

Each of B replicates draws every text a Poisson(1) number of times and adds its sums so often (Chamandy et al. 2012,
"Estimating Uncertainty for Massive Data Streams", Google). The spread of the replicates, brought to that of a mean of n
texts, is the standard error, and Student's t bounds the interval: percentiles of the replicates cover 49 % for two texts,
85 % for five. Texts differ in size, so t has the degrees of freedom of the effective number of texts (Kish 1965).
`tests/numerics/test_poisson_bootstrap.py` simulates what the intervals cover. The draws of a text depend on its number and
the seed alone, so that parts of one text in different shards are drawn alike.
"""

import warnings
from functools import lru_cache

import numpy as np

BLOCK = 256  # texts that are drawn together
LEVEL = 95.0
Bounded = tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]  # a value, and the bounds of its interval
LEAST = 4  # texts: with fewer no interval is given, since none of a useful width covers 95 % of skewed data


def weights(texts: np.ndarray, draws: int, seed: int) -> np.ndarray:
    """How often each replicate takes each text, (1 + draws, n): row 0 takes every text once. texts: (n,) numbers."""
    drawn = np.ones((1 + draws, len(texts)))
    for block in np.unique(texts // BLOCK).tolist():
        here = np.flatnonzero(texts // BLOCK == block)
        drawn[1:, here] = _block(block, draws, seed)[:, texts[here] % BLOCK]
    return drawn


def interval(values: np.ndarray, sizes: np.ndarray, other_error: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Bounds of the 95 % interval of a statistic; NaN for fewer than `LEAST` texts.

    values: (1 + draws, ...), the statistic and its replicates; those that drew nothing (NaN) are left out. sizes: (n,),
    what each text weighs in it, such as its strong pairs. other_error: a standard error of something else than texts, which
    adds to theirs.
    """
    sizes = np.asarray(sizes, dtype=np.float64)
    sizes = sizes[sizes > 0]
    texts = len(sizes)
    if texts < LEAST:
        return np.full(values.shape[1:], np.nan), np.full(values.shape[1:], np.nan)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a statistic that no replicate has stays NaN
        error = np.nanstd(values[1:], axis=0) / np.sqrt((texts - 1) * _inverse_of_drawn(texts))
    return around(values[0], np.hypot(error, other_error), effective(sizes))


def interval_of_mean(values: np.ndarray) -> tuple[float, float]:
    """The same of the mean of some numbers, one a text, (n,): where all are at hand nothing need be drawn."""
    if len(values) < LEAST:
        return np.nan, np.nan
    low, high = around(values.mean(), values.std(ddof=1) / np.sqrt(len(values)), len(values))
    return float(low), float(high)


def around(value: np.ndarray, error: np.ndarray, units: float) -> tuple[np.ndarray, np.ndarray]:
    """Student's 95 % interval of a value with a standard error that rests on so many units, more than one."""
    from scipy.special import stdtrit  # scipy takes long to import, and what was seen before shows without it

    half = float(stdtrit(units - 1, 0.5 + LEVEL / 200)) * error
    return value - half, value + half


def effective(sizes: np.ndarray) -> float:
    """The effective number of texts of unequal size, at least two: (sum of sizes)^2 / sum of their squares."""
    return max(2.0, float(sizes.sum() ** 2 / (sizes**2).sum()))


def apart(first: Bounded, second: Bounded) -> tuple[np.ndarray, np.ndarray]:
    """Bounds of first - second, each a value and the bounds of its own interval, of texts that have nothing in common.

    Zou and Donner 2008, "Construction of confidence limits about effect measures: a general approach".
    """
    (a, (a_low, a_high)), (b, (b_low, b_high)) = first, second
    return a - b - np.hypot(a - a_low, b_high - b), a - b + np.hypot(a_high - a, b - b_low)


@lru_cache(maxsize=16)
def _inverse_of_drawn(texts: int) -> float:
    """Mean of 1 / T where T > 0 texts are drawn, Poisson(n): the variance of a mean of T draws is that of one over T."""
    from scipy.special import gammaln

    drawn = np.arange(1, texts + 20 + 12 * int(np.sqrt(texts)))
    chance = np.exp(drawn * np.log(texts) - texts - gammaln(drawn + 1))
    return float((chance / drawn).sum() / chance.sum())


@lru_cache(maxsize=2)
def _block(block: int, draws: int, seed: int) -> np.ndarray:
    generator = np.random.Generator(np.random.Philox(key=np.array([seed, block], dtype=np.uint64)))
    return generator.poisson(1.0, (draws, BLOCK)).astype(np.float64)
