"""95 % intervals over texts by leaving out one group of texts at a time.

Text (or work) number i belongs to group i mod `GROUPS`. The standard error is computed from the values of the statistic
without each group (Efron and Stein 1981, "The jackknife estimate of variance"). The interval is Student's t interval
with the effective number of groups (Kish 1965) minus 1 as degrees of freedom, since texts differ in size. Where a
second source of error is independent of the texts, such as the choice of reference texts, the squared errors are added,
and the degrees of freedom are those of Welch and Satterthwaite (Satterthwaite 1946).
"""

from typing import NamedTuple

import numpy as np

GROUPS = 200
NO_WIDTH = 1e-9  # an interval that is narrower is none: all texts have the same value
LEAST = 4  # groups; no interval is given with fewer, since one of useful width would not cover 95 % of skewed data
Bounds = tuple[np.ndarray, np.ndarray]


class OtherError(NamedTuple):
    """A standard error that is independent of the texts, and its degrees of freedom."""

    error: np.ndarray | float
    freedom: float


def inclusion(groups: np.ndarray) -> np.ndarray:
    """How often each row includes each text, (1 + GROUPS, n): row 0 has all texts, every other row lacks one group.

    groups: (n,), the numbers of the texts.
    """
    taken = np.ones((1 + GROUPS, len(groups)))
    taken[1 + groups % GROUPS, np.arange(len(groups))] = 0
    return taken


def distinct_rows(groups: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct rows of `inclusion`, (r, n), and which of them each row is, (1 + GROUPS,)."""
    here, rows = 1 + np.unique(groups % GROUPS), np.zeros(1 + GROUPS, dtype=np.int64)
    rows[here] = np.arange(1, 1 + len(here))  # a row that lacks a group which is not here is row 0
    return inclusion(groups)[np.concatenate([[0], here])], rows


def sizes(groups: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The weight of each group, (GROUPS,), 0 for an empty one. groups: (n,), numbers of texts. weights: (n,)."""
    return np.bincount(groups % GROUPS, weights=weights, minlength=GROUPS)


def interval(values: np.ndarray, sizes: np.ndarray, other: OtherError | None = None) -> Bounds:
    """The 95 % interval of a statistic, (low, high); NaN for fewer than `LEAST` groups or if a row is NaN.

    values: (1 + GROUPS, ...), the statistic over all texts and without each group. sizes: (GROUPS,), weights of the
    groups, such as their strong pairs. other: a second source of error.
    """
    here = np.asarray(sizes) > 0
    groups = np.count_nonzero(here)
    if groups < LEAST:
        return np.full(values.shape[1:], np.nan), np.full(values.shape[1:], np.nan)
    error = np.sqrt(groups - 1) * values[1:][here].std(axis=0)
    return t_interval(values[0], *_joined(error, effective(sizes) - 1, other))


def interval_of_logarithm(values: np.ndarray, sizes: np.ndarray, other: OtherError | None = None) -> Bounds:
    """The 95 % interval of a positive statistic on a logarithmic scale; NaN if a row is 0. other: of the logarithm."""
    possible = (values > 0).all(axis=0)
    low, high = interval(np.log(np.where(possible, values, 1.0)), sizes, other)
    return np.where(possible, np.exp(low), np.nan), np.where(possible, np.exp(high), np.nan)


def error_without_each(values: np.ndarray) -> OtherError:
    """The error over n units from a statistic without each of them, (n, ...); NaN for fewer than two units."""
    n = len(values)
    error = np.sqrt(n - 1) * values.std(axis=0) if n > 1 else np.full(values.shape[1:], np.nan)
    return OtherError(error, max(n - 1, 1))


def error_of_mean(values: np.ndarray) -> OtherError:
    """The error of the mean of n values, (n, ...); NaN for fewer than two."""
    n = len(values)
    error = values.std(axis=0, ddof=1) / np.sqrt(n) if n > 1 else np.full(values.shape[1:], np.nan)
    return OtherError(error, max(n - 1, 1))


def rule_of_three(share: float, texts: int) -> tuple[float, float]:
    """The 95 % interval of a share that is 0, or 1, in every one of n texts, (low, high).

    It is NaN for another share and for fewer than `LEAST` texts. A share above 1 - 0.05^(1/n), about 3 / n, is 0 in all
    of n texts in at most 5 of 100 cases.
    """
    if texts < LEAST or NO_WIDTH < share < 1 - NO_WIDTH:
        return np.nan, np.nan
    reach = 1 - 0.05 ** (1 / texts)
    return (0.0, reach) if share < NO_WIDTH else (1 - reach, 1.0)


def interval_of_mean(values: np.ndarray) -> Bounds:
    """The 95 % interval of the mean over n texts, (n, ...); NaN for fewer than `LEAST` texts."""
    if len(values) < LEAST:
        return np.full(values.shape[1:], np.nan), np.full(values.shape[1:], np.nan)
    return t_interval(values.mean(axis=0), *error_of_mean(values))


def means_of_groups(groups: np.ndarray, values: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct groups, (g,), and the weighted mean of their values, (g, width).

    groups, weights: (n,). values: (n, width).
    """
    names, at = np.unique(groups, return_inverse=True)
    sums = np.zeros((len(names), values.shape[1]))
    np.add.at(sums, at, values * weights[:, None])
    return names, sums / np.bincount(at, weights=weights)[:, None]


def t_interval(value: np.ndarray, error: np.ndarray | float, freedom: np.ndarray | float) -> Bounds:
    """Student's 95 % interval of a value, (low, high); NaN if it is narrower than `NO_WIDTH`.

    error: its standard error. freedom: the degrees of freedom, at least 1.
    """
    from scipy.special import stdtrit  # imported here, since scipy would delay pages that need no interval

    half = np.asarray(stdtrit(freedom, 0.975) * error)
    half = np.where(2 * half < NO_WIDTH, np.nan, half)
    return value - half, value + half


def _joined(error: np.ndarray, freedom: float, other: OtherError | None) -> tuple[np.ndarray, np.ndarray | float]:
    """The standard error of two independent sources and its degrees of freedom."""
    if other is None:
        return error, freedom
    both = np.hypot(error, other.error)
    with np.errstate(invalid="ignore"):  # without any error there is no interval
        return both, both**4 / (error**4 / freedom + np.asarray(other.error) ** 4 / other.freedom)


def effective(sizes: np.ndarray) -> float:
    """The effective number of groups of unequal size, (sum of sizes)^2 / sum of squared sizes, at least 2."""
    return max(2.0, float(sizes.sum() ** 2 / (sizes**2).sum()))
