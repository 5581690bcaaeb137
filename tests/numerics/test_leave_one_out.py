"""Intervals over texts: they hold the true value about as often as they say, from four texts on."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from attn_core.numerics.leave_one_out import (
    GROUPS,
    LEAST,
    OtherError,
    effective,
    error_of_mean,
    error_without_each,
    inclusion,
    interval,
    interval_of_logarithm,
    interval_of_mean,
    sizes,
)

# The texts' own values by their skewness, each with its mean.
DATA: dict[int, tuple[Callable[[np.random.Generator, int], np.ndarray], float]] = {
    0: (lambda rng, n: rng.normal(3, 1, n), 3.0),
    1: (lambda rng, n: rng.gamma(4, 1, n), 4.0),
    2: (lambda rng, n: rng.gamma(1, 1, n), 1.0),
}
Bounds = tuple[np.ndarray, np.ndarray]


def ratio(tops: np.ndarray, bottoms: np.ndarray) -> np.ndarray:
    """The sum of tops over that of bottoms, over all texts and without each group."""
    taken = inclusion(np.arange(len(tops)))
    with np.errstate(invalid="ignore"):  # without the only text nothing is left
        return (taken @ tops) / (taken @ bottoms)


def ratio_interval(tops: np.ndarray, bottoms: np.ndarray) -> Bounds:
    return interval(ratio(tops, bottoms), sizes(np.arange(len(tops)), bottoms))


def coverage(skewness: int, texts: int, uneven: float, corpora: int) -> float:
    """The share of corpora whose interval holds the true ratio. uneven: the spread of the log of the texts' sizes."""
    rng, covered = np.random.default_rng(17), 0
    draw, mean = DATA[skewness]
    for _ in range(corpora):
        weights = rng.lognormal(0, uneven, texts)
        low, high = ratio_interval(draw(rng, texts) * weights, weights)
        covered += bool(low <= mean <= high)
    return covered / corpora


CASES = [(skewness, texts, uneven) for skewness in (0, 1) for texts in (5, 11, 30) for uneven in (0.0, 1.0)]


@pytest.mark.parametrize(("skewness", "texts", "uneven"), CASES)
def test_intervals_hold_the_truth_in_about_95_of_100_corpora(skewness: int, texts: int, uneven: float) -> None:
    error = np.sqrt(0.95 * 0.05 / 1000)  # of the simulation
    assert 0.93 - 2 * error <= coverage(skewness, texts, uneven, 1000) <= 0.97 + 2 * error


@pytest.mark.long
def test_intervals_hold_the_truth_in_93_to_97_of_100_of_many_corpora() -> None:
    """The table is printed: `python -m pytest tests/numerics/test_leave_one_out.py -m long -s`."""
    covered = {case: coverage(*case, 20_000) for case in CASES}
    skewed = {(2, *case[1:]): coverage(2, *case[1:], 5000) for case in CASES[: len(CASES) // 2]}
    for (skewness, texts, uneven), share in (covered | skewed).items():
        print(f"skewness {skewness}, {texts} texts, sizes {uneven}: {share:.3f}")
    assert all(0.93 <= share <= 0.97 for share in covered.values()), covered
    assert all(0.86 <= share <= 0.97 for share in skewed.values()), skewed


@pytest.mark.parametrize("texts", range(1, 5))
def test_fewer_than_four_texts_have_no_interval(texts: int) -> None:
    values = np.arange(1.0, texts + 1)
    assert LEAST == 4, "the change log and the guide say so"
    assert np.isnan(ratio_interval(values, np.ones(texts))).all() == (texts < 4)
    assert np.isnan(interval_of_mean(values)).all() == (texts < 4)


@pytest.mark.parametrize("texts", [4, 9, 40])
def test_of_texts_of_one_size_the_interval_is_students(texts: int) -> None:
    values = np.random.default_rng(8).normal(5, 2, texts)
    students = stats.t.interval(0.95, texts - 1, values.mean(), stats.sem(values))
    assert interval_of_mean(values) == pytest.approx(students)
    assert ratio_interval(values, np.ones(texts)) == pytest.approx(students)


def test_texts_of_unequal_size_count_as_fewer() -> None:
    assert effective(np.ones(7)) == 7
    assert effective(np.array([1.0, 1.0, 2.0])) == pytest.approx(16 / 6)
    assert effective(np.array([1.0, 1000.0])) == 2
    values = ratio(np.random.default_rng(2).normal(0, 1, 5), np.ones(5))
    wide, narrow = (
        np.diff(interval(values, sizes(np.arange(5), weights)), axis=0)
        for weights in (np.array([9.0, 1, 1, 1, 1]), np.ones(5))
    )
    assert wide > 2 * narrow


def test_texts_beyond_the_last_group_begin_again_at_the_first() -> None:
    numbers = np.array([3, 3 + GROUPS, 4, 3, 256])
    taken = inclusion(numbers)
    assert taken.shape == (1 + GROUPS, 5) and (taken[0] == 1).all()
    assert taken[1 + 3].tolist() == [0, 0, 1, 0, 1]
    assert taken[1 + 256 % GROUPS].tolist() == [1, 1, 1, 1, 0]
    assert (taken.sum(axis=0) == GROUPS).all()
    weights = sizes(numbers, np.arange(1.0, 6))
    assert (weights[3], weights[4], weights[256 % GROUPS], weights.sum()) == (7, 3, 5, 15)


def test_groups_without_a_text_say_nothing() -> None:
    """A corpus of five groups has the interval of five texts, wherever these groups stand."""
    tops, weights = np.array([1.0, 5, 2, 8, 3]), np.array([1.0, 2, 1, 3, 2])
    numbers = np.array([150, 7, 90, 11, 199])
    taken = inclusion(numbers)
    found = interval((taken @ tops) / (taken @ weights), sizes(numbers, weights))
    assert found == pytest.approx(ratio_interval(tops, weights))


def test_a_number_that_is_lost_without_one_text_has_no_interval() -> None:
    values = np.stack([ratio(np.arange(5.0), np.ones(5)), ratio(np.arange(5.0), np.ones(5))], axis=1)
    values[1 + 2, 1] = np.nan
    low, high = interval(values, sizes(np.arange(5), np.ones(5)))
    assert low[0] < 2 < high[0]
    assert np.isnan([low[1], high[1]]).all()


def test_on_the_logarithm_a_0_or_no_spread_gives_no_interval() -> None:
    weights = sizes(np.arange(5), np.ones(5))
    spread, with_0, equal = ratio(np.arange(1.0, 6), np.ones(5)), ratio(np.eye(5)[0], np.ones(5)), np.ones(1 + GROUPS)
    low, high = interval_of_logarithm(np.stack([spread, with_0, equal], axis=1), weights)
    assert (low[0], high[0]) == pytest.approx(np.exp(interval(np.log(spread), weights)))
    assert np.isnan([low[1:], high[1:]]).all()


def test_another_error_adds_by_its_square() -> None:
    values, weights = ratio(np.arange(5.0), np.ones(5)), sizes(np.arange(5), np.ones(5))
    error = np.sqrt(2.5 / 5)  # of the texts
    half = interval(values, weights, OtherError(0.5, 2))[1] - 2
    freedom = (error**2 + 0.5**2) ** 2 / (error**4 / 4 + 0.5**4 / 2)
    assert half == pytest.approx(np.hypot(error, 0.5) * stats.t.ppf(0.975, freedom))
    assert interval(values, weights, OtherError(0.0, 2)) == pytest.approx(interval(values, weights))
    assert np.isnan(interval(values, weights, OtherError(np.nan, 2))).all()


def test_the_error_without_each_of_several_is_that_of_their_mean() -> None:
    values = np.random.default_rng(4).normal(size=(7, 3))
    without = (values.sum(axis=0) - values) / 6
    for found in (error_without_each(without), error_of_mean(values)):
        assert found.error == pytest.approx(stats.sem(values)) and found.freedom == 6
        assert all(np.isnan(of(values[:1]).error).all() for of in (error_without_each, error_of_mean))


def coverage_with_references(spread: float, texts: int, corpora: int, references: int = 20) -> float:
    """The share of corpora whose interval holds the true rate of a text and a reference drawn anew.

    A rate is the product of one of the text (standard deviation of its logarithm .5), one of the reference (`spread`)
    and one of both (.3), each with mean 1.
    """
    rng, covered = np.random.default_rng(23), 0

    def draw(spread: float, *shape: int) -> np.ndarray:
        return rng.lognormal(-(spread**2) / 2, spread, shape)

    taken, weights = inclusion(np.arange(texts)), sizes(np.arange(texts), np.ones(texts))
    for _ in range(corpora):
        rates = draw(0.5, texts, 1) * draw(spread, 1, references) * draw(0.3, texts, references)
        by_row = (taken @ rates) / taken.sum(axis=1)[:, None]
        without = (by_row[0].sum() - by_row[0]) / (references - 1)
        low, high = interval_of_logarithm(by_row.mean(axis=1), weights, error_without_each(np.log(without)))
        covered += bool(low <= 1 <= high)
    return covered / corpora


@pytest.mark.long
def test_intervals_of_noise_hold_the_truth_over_references_too() -> None:
    """The table is printed: `python -m pytest tests/numerics/test_leave_one_out.py -m long -s`."""
    covered = {
        (spread, texts): coverage_with_references(spread, texts, 5000)
        for spread in (0.5, 1.0, 1.5)
        for texts in (5, 11, 30)
    }
    for (spread, texts), share in covered.items():
        print(f"log spread {spread} between 20 references, {texts} texts: {share:.3f}")
    error = np.sqrt(0.95 * 0.05 / 5000)  # of the simulation
    for (spread, _), share in covered.items():
        assert {0.5: 0.93, 1.0: 0.9, 1.5: 0.8}[spread] - 2 * error <= share <= 0.97, covered
