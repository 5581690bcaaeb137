"""Tidy tables of removals, against scipy and numbers worked out by hand."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from attn_core.interventions.tables import curve_table, heads_that_can_go_table, importance_table

RNG = np.random.default_rng(0)


def test_importance_is_the_mean_over_texts_with_its_interval() -> None:
    effects, estimated = RNG.gamma(1, 0.01, (6, 2, 3)), RNG.gamma(1, 0.01, (6, 2, 3))
    heads = pd.DataFrame({"layer": [2, 2, 2, 1, 1, 1], "head": [1, 2, 3, 1, 2, 3], "role": list("abcdef")})
    found = importance_table(effects, estimated, (np.arange(6) / 10, 0.05), heads)
    assert found[["layer", "head"]].to_numpy().tolist() == [[1, 1], [1, 2], [1, 3], [2, 1], [2, 2], [2, 3]]
    row, of_head = found.iloc[4], effects[:, 1, 1]
    low, high = stats.t.interval(0.95, 5, loc=of_head.mean(), scale=stats.sem(of_head))
    assert row[["effect", "low", "high"]].tolist() == pytest.approx([of_head.mean(), low, high])
    assert row["estimated"] == pytest.approx(estimated[:, 1, 1].mean())
    assert (row["redundancy"], row["chance_redundancy"], row["role"]) == (0.4, 0.05, "b")


def test_fewer_than_four_texts_have_no_interval() -> None:
    found = importance_table(np.ones((3, 1, 2)))
    assert found["effect"].tolist() == [1, 1]
    assert found[["low", "high"]].isna().all(axis=None)
    assert "estimated" not in found and "redundancy" not in found


def test_curves_stand_beside_the_band_of_random_orders() -> None:
    counts, least = [1, 2, 4], RNG.gamma(1, 0.01, (5, 3))
    random = RNG.gamma(1, 0.1, (20, 5, 3))
    found = curve_table({"least important": least}, counts, random)
    assert found["order"].tolist() == ["least important"] * 3 + ["random"] * 3
    assert found["removed"].tolist() == counts * 2
    assert found["effect"][:3].to_numpy() == pytest.approx(least.mean(axis=0))
    assert found["low"][5] == pytest.approx(np.percentile(random.mean(axis=1)[:, 2], 2.5))
    assert found["high"][5] == pytest.approx(np.percentile(random.mean(axis=1)[:, 2], 97.5))


def test_heads_can_go_as_long_as_the_mean_and_surely_as_long_as_the_bound_allows() -> None:
    curve = pd.DataFrame(
        {"order": "x", "removed": [1, 2, 4], "effect": [0.004, 0.009, 0.04], "low": 0.0, "high": [0.006, 0.012, np.nan]}
    )
    found = heads_that_can_go_table(curve)
    assert found.to_numpy().tolist() == [["x", 0.01, 2, 1], ["x", 0.05, 4, 2]]
