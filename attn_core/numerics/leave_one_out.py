"""95 % intervals over texts by leaving out one group of texts at a time.

Text number i, or its work, belongs to group i mod `GROUPS`. The standard error is the spread of the statistic without
each group (Efron and Stein 1981, "The jackknife estimate of variance"); Student's t bounds the interval, with the
effective number of groups (Kish 1965) less 1 as degrees of freedom, since texts differ in size.
"""

import numpy as np

GROUPS = 200
LEAST = 4  # groups; with fewer no interval is given, since none of a useful width covers 95 % of skewed data
Bounds = tuple[np.ndarray, np.ndarray]


def times(groups: np.ndarray) -> np.ndarray:
    """How often each row takes each text, (1 + GROUPS, n): row 0 takes all, each other leaves out a group.

    groups: (n,), the numbers of the texts.
    """
    taken = np.ones((1 + GROUPS, len(groups)))
    taken[1 + groups % GROUPS, np.arange(len(groups))] = 0
    return taken


def sizes(groups: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The weight of every group, (GROUPS,), 0 for an empty one. groups: (n,), numbers of texts; weights: (n,)."""
    return np.bincount(groups % GROUPS, weights=weights, minlength=GROUPS)


def interval(values: np.ndarray, sizes: np.ndarray, other_error: float | np.ndarray = 0.0) -> Bounds:
    """The 95 % interval of a statistic; NaN for fewer than `LEAST` groups, or where a row has no value.

    values: (1 + GROUPS, ...), the statistic over all texts and without each group. sizes: (GROUPS,), weights of the
    groups, such as their strong pairs. other_error: a further standard error, independent of the texts.
    """
    return around(values[0], np.hypot(standard_error(values, sizes), other_error), effective(sizes))


def standard_error(values: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """The standard error of a statistic over texts; NaN for fewer than `LEAST` groups. Arguments as of `interval`."""
    here = np.asarray(sizes) > 0
    groups = np.count_nonzero(here)
    if groups < LEAST:
        return np.full(values.shape[1:], np.nan)
    return np.sqrt(groups - 1) * values[1:][here].std(axis=0)


def interval_of_logarithm(values: np.ndarray, sizes: np.ndarray, other_error: float | np.ndarray = 0.0) -> Bounds:
    """The interval of a positive statistic by its logarithm; NaN where a row is 0, or where all are equal."""
    possible = (values > 0).all(axis=0)
    low, high = interval(np.log(np.where(possible, values, 1.0)), sizes, other_error)
    known = possible & (low < high)
    return np.where(known, np.exp(low), np.nan), np.where(known, np.exp(high), np.nan)


def interval_of_mean(values: np.ndarray) -> Bounds:
    """The 95 % interval of the mean over n texts, (n, ...); NaN for fewer than `LEAST` texts."""
    if len(values) < LEAST:
        return np.full(values.shape[1:], np.nan), np.full(values.shape[1:], np.nan)
    return around(values.mean(axis=0), values.std(axis=0, ddof=1) / np.sqrt(len(values)), len(values))


def around(value: np.ndarray, error: np.ndarray, units: float) -> Bounds:
    """Student's 95 % interval of a value with a standard error of so many units, at least two."""
    from scipy.special import stdtrit  # scipy takes long to import, and what was seen before shows without it

    half = float(stdtrit(units - 1, 0.975)) * error
    return value - half, value + half


def effective(sizes: np.ndarray) -> float:
    """The effective number of groups of unequal size, at least two: (sum of sizes)^2 / sum of their squares."""
    return max(2.0, float(sizes.sum() ** 2 / (sizes**2).sum()))
