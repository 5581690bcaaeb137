"""Intervals: they cover what they should, and agree with scipy's."""

import numpy as np
from scipy import stats

from attn_core.numerics.poisson_bootstrap import interval, weights


def ratio_interval(top: np.ndarray, bottom: np.ndarray, draws: int = 1000, seed: int = 0) -> tuple[float, float]:
    weight = weights(np.arange(len(top)), draws, seed)
    low, high = interval((weight @ top)[1:] / (weight @ bottom)[1:])
    return float(low), float(high)


def test_intervals_cover_the_truth_in_about_95_of_100_corpora() -> None:
    rng = np.random.default_rng(3)
    covered = 0
    for seed in range(400):
        strong = rng.integers(50, 1500, size=60)
        shares = rng.beta(2, 6, size=60)  # the texts' own shares; their mean is 0.25
        low, high = ratio_interval(rng.binomial(strong, shares).astype(float), strong.astype(float), 400, seed)
        covered += low <= 0.25 <= high
    assert 0.90 <= covered / 400 <= 0.98


def test_intervals_agree_with_scipy() -> None:
    rng = np.random.default_rng(5)
    bottom = rng.integers(100, 1000, size=150).astype(float)
    top = bottom * rng.normal(120, 30, size=150)
    low, high = ratio_interval(top, bottom, 4000)
    theirs = stats.bootstrap(
        (top, bottom), lambda t, b, axis: t.sum(axis=axis) / b.sum(axis=axis), paired=True, vectorized=True,
        n_resamples=4000, method="percentile", rng=np.random.default_rng(1),
    ).confidence_interval  # fmt: skip
    width = theirs.high - theirs.low
    assert abs(low - theirs.low) < 0.08 * width
    assert abs(high - theirs.high) < 0.08 * width


def test_the_draws_of_a_text_depend_on_its_number_alone() -> None:
    numbers = np.array([3, 700, 4, 3, 256])
    together = weights(numbers, 30, seed=9)
    for at, number in enumerate(numbers):
        np.testing.assert_array_equal(together[:, [at]], weights(np.array([number]), 30, seed=9))
    assert (together[0] == 1).all()
    assert (weights(numbers, 30, seed=10)[1:] != together[1:]).any()


def test_replicates_without_any_text_are_left_out() -> None:
    replicates = np.array([[1.0, np.nan], [2.0, np.nan], [np.nan, np.nan]])
    low, high = interval(replicates)
    assert 1 <= low[0] < high[0] <= 2
    assert np.isnan(low[1])
