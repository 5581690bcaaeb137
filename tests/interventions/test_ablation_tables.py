"""Tidy tables of removals, against scipy and numbers worked out by hand."""

import numpy as np
import pytest
from scipy import stats

from attn_core.interventions.ablation_tables import accuracy_table, effect_table, importance_table

RNG = np.random.default_rng(0)


def test_importance_is_the_mean_over_texts_with_its_interval() -> None:
    effects, estimated = RNG.gamma(1, 0.01, (6, 2, 3)), RNG.gamma(1, 0.01, (6, 2, 3))
    found = importance_table(effects, estimated)
    assert found[["layer", "head"]].to_numpy().tolist() == [[1, 1], [1, 2], [1, 3], [2, 1], [2, 2], [2, 3]]
    row, of_head = found.iloc[4], effects[:, 1, 1]
    low, high = stats.t.interval(0.95, 5, loc=of_head.mean(), scale=stats.sem(of_head))
    assert row[["effect", "low", "high"]].tolist() == pytest.approx([of_head.mean(), low, high])
    assert row["estimated"] == pytest.approx(estimated[:, 1, 1].mean())


def test_an_effect_has_the_mean_and_the_range_of_random_sets() -> None:
    by_text = RNG.gamma(1, 0.1, (5, 21))
    row = effect_table(by_text).iloc[0]
    means = by_text.mean(axis=0)
    expected = [means[0], means[1:].mean(), means[1:].max()]
    assert row[["effect", "chance_effect", "chance_high"]].tolist() == pytest.approx(expected)
    assert effect_table(by_text[:, :1]).filter(like="chance").isna().all(axis=None)
    unchanged = effect_table(np.zeros((5, 21))).iloc[0]
    assert unchanged["effect"] == 0 and np.isnan([unchanged["low"], unchanged["high"]]).all()


def test_accuracy_falls_where_embeddings_do_not_hold_the_labels() -> None:
    labels = np.tile([0, 1], 40)
    shown = np.where(labels == 0, 3.0, -3.0)[:, None] + RNG.normal(size=(80, 4))
    found = accuracy_table(np.stack([shown, shown, RNG.normal(size=(80, 4))]), [0, 1, 2], labels)
    assert found["removed"].tolist() == [0, 1, 2]
    assert found["accuracy"][0] > 0.9 and abs(found["accuracy"][2] - 0.5) < 0.25
    assert found["change"][:2].tolist() == [0, 0] and found["change_high"][2] < 0
    assert (found["chance_accuracy"] == 0.5).all()
