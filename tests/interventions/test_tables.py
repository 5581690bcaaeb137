"""Tidy tables of removals, against scipy and numbers worked out by hand."""

import numpy as np
import pytest
from scipy import stats

from attn_core.interventions.tables import accuracy_table, curve_table, effect_row, importance_table

RNG = np.random.default_rng(0)


def test_importance_is_the_mean_over_texts_with_its_interval() -> None:
    effects, estimated = RNG.gamma(1, 0.01, (6, 2, 3)), RNG.gamma(1, 0.01, (6, 2, 3))
    found = importance_table(effects, estimated, np.arange(6) / 10, 0.05)
    assert found[["layer", "head"]].to_numpy().tolist() == [[1, 1], [1, 2], [1, 3], [2, 1], [2, 2], [2, 3]]
    row, of_head = found.iloc[4], effects[:, 1, 1]
    low, high = stats.t.interval(0.95, 5, loc=of_head.mean(), scale=stats.sem(of_head))
    assert row[["effect", "low", "high"]].tolist() == pytest.approx([of_head.mean(), low, high])
    assert row["estimated"] == pytest.approx(estimated[:, 1, 1].mean())
    assert (row["redundancy"], row["chance_redundancy"]) == (0.4, 0.05)


def test_curves_stand_beside_the_band_of_random_orders() -> None:
    counts, least = [1, 2, 4], RNG.gamma(1, 0.01, (5, 3))
    random = RNG.gamma(1, 0.1, (20, 5, 3))
    found = curve_table({"least important": least}, counts, random)
    assert found["order"].tolist() == ["least important"] * 3 + ["random"] * 3
    assert found["removed"].tolist() == counts * 2
    assert found["effect"][:3].to_numpy() == pytest.approx(least.mean(axis=0))
    assert found["low"][5] == pytest.approx(random.mean(axis=1)[:, 2].min())
    assert found["high"][5] == pytest.approx(random.mean(axis=1)[:, 2].max())


def test_the_effect_of_some_heads_stands_beside_that_of_random_ones() -> None:
    by_text = RNG.gamma(1, 0.1, (5, 21))
    row = effect_row("x", by_text)
    assert row["effect"] == pytest.approx(by_text[:, 0].mean())
    assert row["chance_effect"] == pytest.approx(by_text[:, 1:].mean())
    assert row["chance_high"] == pytest.approx(by_text[:, 1:].mean(axis=0).max())
    alone = effect_row("x", by_text[:, :1])
    assert np.isnan([alone["chance_effect"], alone["chance_low"], alone["chance_high"]]).all()


def test_where_no_text_changes_nothing_tells_how_many_others_would() -> None:
    row = effect_row("x", np.zeros((5, 21)))
    assert row["effect"] == 0 and np.isnan([row["low"], row["high"]]).all()


def test_accuracy_falls_where_embeddings_no_longer_tell_the_labels() -> None:
    labels = np.tile([0, 1], 40)
    told = np.where(labels == 0, 3.0, -3.0)[:, None] + RNG.normal(size=(80, 4))
    found = accuracy_table(np.stack([told, told, RNG.normal(size=(80, 4))]), [0, 1, 2], labels)
    assert found["removed"].tolist() == [0, 1, 2]
    assert found["accuracy"][0] > 0.9 and abs(found["accuracy"][2] - 0.5) < 0.25
    assert found["change"][:2].tolist() == [0, 0] and found["change_high"][2] < 0
    assert (found["chance_accuracy"] == 0.5).all()
