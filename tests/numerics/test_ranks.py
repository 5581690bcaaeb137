"""Ranks and the largest values, against scipy's and numpy's own."""

import numpy as np
import pytest
from scipy import stats

from attn_core.numerics.ranks import correlation, ranks

# With ties, zeros of both signs, and what is neither finite nor a number of ordinary size.
VALUES = np.array([[0.5, -1, 0.0, 0.5, -0.0, 3e38, -1], [2, 2, 2, 2, 2, 1, -np.inf]], dtype=np.float32)


def test_equal_values_share_the_mean_of_their_ranks() -> None:
    np.testing.assert_array_equal(ranks(VALUES), stats.rankdata(VALUES, axis=-1) - 1)


def test_the_correlation_of_ranks_is_spearmans() -> None:
    a, b = np.random.default_rng(1).integers(0, 9, (2, 40)).astype(np.float32)
    assert correlation(ranks(a), ranks(b)) == pytest.approx(stats.spearmanr(a, b).statistic)
    assert correlation(a, np.full(40, 0.1)) == 0, "its deviation is rounding"
