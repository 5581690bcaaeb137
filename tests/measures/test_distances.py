"""Distances of strong pairs, one by one and in bins that double."""

from collections import Counter
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from attn_core.head import Head
from attn_core.measures import distances, pair_properties
from attn_core.measures.distances import distance_counts
from attn_core.measures.window_counts import add_up, count_window
from attn_core.similarity.strong_pairs import StrongPairs
from tests.measures.made_up import (
    HEADS,
    LAYERS,
    all_pairs,
    chosen_pairs,
    made_pairs,
    made_passage,
    measured,
    value_and_chance,
    windows,
)


def distance_table(by_window: list[StrongPairs]) -> pd.DataFrame:
    return distances.distance_table(distances.added([distance_counts(window) for window in by_window]))


def binned_distances(by_window: list[StrongPairs]) -> pd.DataFrame:
    return add_up(count_window(measured(window)) for window in by_window).distance_bins


def mean_distance(by_window: list[StrongPairs]) -> tuple[np.ndarray, np.ndarray]:
    return value_and_chance(pair_properties.mean_of(pair_properties.distance), by_window)


def chance_of(by_window: list[StrongPairs], low: int, high: int) -> float:
    """Share of all pairs with a distance from low to high; windows weigh by their strong pairs."""
    strong = sum(w.shape[2] for w in by_window)
    shares = (np.mean([low <= j - i <= high for i, j in all_pairs(w)]) * w.shape[2] / strong for w in by_window)
    return float(sum(shares))


@given(windows())
def test_the_distance_table_counts_the_strong_pairs_of_every_head_at_every_distance(
    by_window: list[StrongPairs],
) -> None:
    table = distance_table(by_window)
    assert list(table) == ["layer", "head", "distance", "pairs", "chance_share"]
    rows = [
        (layer + 1, head + 1, distance, pairs)
        for layer, head in product(range(LAYERS), range(HEADS))
        for distance, pairs in sorted(
            Counter(j - i for w in by_window for i, j in chosen_pairs(w, layer, head)).items()
        )
    ]
    assert list(table.drop(columns="chance_share").itertuples(index=False, name=None)) == rows


@given(windows())
def test_chance_share_is_the_share_of_all_pairs_at_that_distance(by_window: list[StrongPairs]) -> None:
    for row in distance_table(by_window).itertuples():
        assert row.chance_share == pytest.approx(chance_of(by_window, row.distance, row.distance), abs=1e-6)


@given(windows())
def test_the_mean_distance_follows_from_the_distance_table(by_window: list[StrongPairs]) -> None:
    table = distance_table(by_window)
    total = (table["distance"] * table["pairs"]).groupby([table["layer"], table["head"]]).sum()
    pairs = table.groupby(["layer", "head"])["pairs"].sum()
    np.testing.assert_allclose(total / pairs, mean_distance(by_window)[0].ravel())


@given(windows())
def test_bins_hold_every_strong_pair_of_a_layer_and_every_pair_once(by_window: list[StrongPairs]) -> None:
    table = binned_distances(by_window)
    assert list(table) == ["layer", "distance", "start", "end", "share", "chance_share", "ratio"]
    for layer, rows in table.groupby("layer"):
        distances = [j - i for w in by_window for head in range(HEADS) for i, j in chosen_pairs(w, layer - 1, head)]
        assert rows["share"].sum() == pytest.approx(1)
        assert rows["chance_share"].sum() == pytest.approx(1, abs=1e-5)
        for row in rows.itertuples():
            assert row.share == pytest.approx(np.mean([row.start <= d <= row.end for d in distances]))
            assert row.chance_share == pytest.approx(chance_of(by_window, row.start, row.end), abs=1e-6)
            assert row.ratio == pytest.approx(row.share / row.chance_share)


def test_bins_that_no_pair_could_fall_into_are_left_out() -> None:
    passage = made_passage([0] * 9, special=[2, 3, 4, 5, 6, 7])
    table = binned_distances([made_pairs(passage, [[[(0, 1)]]], with_special=False)])
    assert table["distance"].tolist() == ["1", "5-8"]  # tokens 0, 1 and 8 may pair
    assert table["chance_share"].tolist() == pytest.approx([1 / 3, 2 / 3])
    pd.testing.assert_index_equal(table.index, pd.RangeIndex(2))


@given(windows())
def test_the_bins_of_heads_average_to_those_of_their_layer(found: list[StrongPairs]) -> None:
    table, bins = distance_table(found), binned_distances(found)
    for layer, of_layer in bins.groupby("layer"):
        heads = [distances.bins_of_head(table, bins, Head.of_row(int(layer), head)) for head in range(1, HEADS + 1)]
        assert np.mean([one["share"] for one in heads], axis=0) == pytest.approx(of_layer["share"].to_numpy())
        assert (heads[0]["chance_share"].to_numpy() == of_layer["chance_share"].to_numpy()).all()
