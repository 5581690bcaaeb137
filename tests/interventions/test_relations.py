"""Importance against statistics: scipy's rank correlation, and chance levels that hold."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from attn_core.interventions.relations import relations

SHAPE = (4, 6)


def made_up(seed: int) -> tuple[np.ndarray, pd.DataFrame]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=SHAPE), pd.DataFrame(rng.normal(size=(24, 5)).round(1), columns=list("abcde"))


def test_correlations_are_those_of_ranks_over_all_heads_and_within_layers() -> None:
    importance, statistics = made_up(0)
    found = relations(importance, statistics, draws=50).set_index("statistic")
    for name in statistics:
        values = statistics[name].to_numpy()
        assert found.loc[name, "correlation"] == pytest.approx(spearmanr(importance.ravel(), values).statistic)
        ranked = [pd.DataFrame(x.reshape(SHAPE)).rank(axis=1).to_numpy().ravel() for x in (importance, values)]
        assert found.loc[name, "correlation_within"] == pytest.approx(np.corrcoef(ranked)[0, 1])


def test_p_counts_what_was_found_among_the_draws() -> None:
    """99 draws, none of which puts 24 heads into their very order: 1 of 100."""
    importance, _ = made_up(0)
    found = relations(importance, pd.DataFrame({"same": importance.ravel()}), draws=99)
    assert found["p_adjusted"].tolist() == [0.01]


def test_what_only_grows_with_depth_is_not_within_layers() -> None:
    depth = np.repeat(np.arange(4.0), 6)
    noise = np.random.default_rng(1).normal(size=24)
    importance = (10 * depth + noise).reshape(SHAPE)
    (row,) = relations(importance, pd.DataFrame({"deep": 10 * depth - noise})).itertuples()
    assert row.correlation > 0.8 and row.p_adjusted < 0.01
    assert row.correlation_within == pytest.approx(-1)


def test_without_a_relation_any_of_the_statistics_is_above_chance_in_a_twentieth_of_cases() -> None:
    found = [relations(*made_up(seed), draws=199, seed=seed) for seed in range(200)]
    for column in ("p_adjusted", "p_adjusted_within"):
        assert np.mean([one[column].min() <= 0.05 for one in found]) == pytest.approx(0.05, abs=0.045)
    beyond = np.mean([(one["correlation"].abs() > one["chance_correlation"]).mean() for one in found])
    assert beyond == pytest.approx(0.05, abs=0.03)


def test_nothing_varies_within_layers_of_one_head_and_nothing_correlates_with_a_constant() -> None:
    importance = np.arange(5.0)[:, None]
    found = relations(importance, pd.DataFrame({"same": np.ones(5), "own": np.arange(5.0)}), draws=50)
    assert found["correlation"].tolist() == pytest.approx([0, 1])
    assert found["correlation_within"].isna().all()


def test_a_statistic_that_lacks_a_heads_number_has_no_correlation_and_moves_no_other() -> None:
    importance, statistics = made_up(0)
    gap = statistics.assign(gap=[np.nan, *range(23)])
    found, alone = relations(importance, gap, draws=50), relations(importance, statistics, draws=50)
    assert found.iloc[-1].drop("statistic").isna().all()
    pd.testing.assert_frame_equal(found.iloc[:-1], alone)
