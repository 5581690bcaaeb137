"""Distances of strong pairs, one by one and in bins that double."""

from collections import Counter

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
    GRID,
    HEADS,
    chosen_pairs,
    made_pairs,
    made_passage,
    mean_over_all,
    measured,
    value_and_chance,
    windows,
)


def distance_table(by_window: list[StrongPairs]) -> pd.DataFrame:
    return distances.distance_table(distances.added([distance_counts(window) for window in by_window]))


def binned_distances(by_window: list[StrongPairs]) -> pd.DataFrame:
    return add_up(count_window(measured(window)) for window in by_window).distance_bins


def chance_of(by_window: list[StrongPairs], low: int, high: int) -> float:
    """Share of all pairs with a distance from low to high."""
    return float(mean_over_all(by_window, lambda _, pair: low <= pair[1] - pair[0] <= high))


@given(windows())
def test_pairs_are_counted_by_distance_with_their_chance_share_and_the_mean_distance_follows(
    by_window: list[StrongPairs],
) -> None:
    table = distance_table(by_window)
    expected = [
        (layer + 1, head + 1, distance, pairs)
        for layer, head in GRID
        for distance, pairs in sorted(
            Counter(j - i for w in by_window for i, j in chosen_pairs(w, layer, head)).items()
        )
    ]
    assert list(table.drop(columns="chance_share").itertuples(index=False, name=None)) == expected
    for row in table.drop_duplicates("distance").itertuples():
        assert row.chance_share == pytest.approx(chance_of(by_window, row.distance, row.distance), abs=1e-6)
    total = (table["distance"] * table["pairs"]).groupby([table["layer"], table["head"]]).sum()
    means, _ = value_and_chance(pair_properties.mean_of(pair_properties.distance), by_window)
    np.testing.assert_allclose(total / table.groupby(["layer", "head"])["pairs"].sum(), means.ravel())


@given(windows())
def test_bins_hold_every_strong_pair_of_a_layer_and_every_pair_once(by_window: list[StrongPairs]) -> None:
    for layer, rows in binned_distances(by_window).groupby("layer"):
        apart = [j - i for w in by_window for head in range(HEADS) for i, j in chosen_pairs(w, layer - 1, head)]
        assert rows["share"].sum() == pytest.approx(1)
        assert rows["chance_share"].sum() == pytest.approx(1, abs=1e-5)
        for row in rows.itertuples():
            assert row.share == pytest.approx(np.mean([row.start <= distance <= row.end for distance in apart]))
            assert row.chance_share == pytest.approx(chance_of(by_window, row.start, row.end), abs=1e-6)
            assert row.ratio == pytest.approx(row.share / row.chance_share)


def test_bins_that_no_pair_could_fall_into_are_left_out() -> None:
    passage = made_passage([0] * 9, special=[2, 3, 4, 5, 6, 7])
    table = binned_distances([made_pairs(passage, [[[(0, 1)]]], with_special=False)])
    assert table["distance"].tolist() == ["1", "5-8"]  # tokens 0, 1 and 8 may pair
    assert table["chance_share"].tolist() == pytest.approx([1 / 3, 2 / 3])


@given(windows())
def test_the_bins_of_heads_average_to_those_of_their_layer(found: list[StrongPairs]) -> None:
    table, bins = distance_table(found), binned_distances(found)
    for layer, of_layer in bins.groupby("layer"):
        heads = [distances.bins_of_head(table, bins, Head.of_row(int(layer), head)) for head in range(1, HEADS + 1)]
        assert np.mean([one["share"] for one in heads], axis=0) == pytest.approx(of_layer["share"].to_numpy())
