"""Distances of strong pairs, one by one and in bins that double."""

from collections import Counter
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

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
    random_choice,
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


def bins(n: int) -> list[str]:
    table = binned_distances([made_pairs(made_passage([0] * n), [[[(0, 1)]]])])
    return table["distance"].tolist()


@pytest.mark.parametrize(
    ("n", "labels"),
    [
        (2, ["1"]),
        (3, ["1", "2"]),
        (4, ["1", "2", "3"]),
        (5, ["1", "2", "3-4"]),
        (6, ["1", "2", "3-4", "5"]),
        (9, ["1", "2", "3-4", "5-8"]),
        (10, ["1", "2", "3-4", "5-8", "9"]),
        (512, ["1", "2", "3-4", "5-8", "9-16", "17-32", "33-64", "65-128", "129-256", "257-511"]),
    ],
)
def test_bins_double_and_end_at_the_longest_distance(n: int, labels: list[str]) -> None:
    assert bins(n) == labels


@pytest.mark.parametrize(
    ("distance", "label"), [(1, "1"), (2, "2"), (3, "3-4"), (4, "3-4"), (5, "5-8"), (8, "5-8"), (9, "9")]
)
def test_a_distance_at_the_edge_of_a_bin_falls_into_it(distance: int, label: str) -> None:
    table = binned_distances([made_pairs(made_passage([0] * 10), [[[(0, distance)]]])])
    assert table.loc[table["share"] == 1, "distance"].tolist() == [label]


def test_bins_that_no_pair_could_fall_into_are_left_out() -> None:
    passage = made_passage([0] * 9, special=[2, 3, 4, 5, 6, 7])
    table = binned_distances([made_pairs(passage, [[[(0, 1)]]], with_special=False)])
    assert table["distance"].tolist() == ["1", "5-8"]  # tokens 0, 1 and 8 may pair
    assert table["chance_share"].tolist() == pytest.approx([1 / 3, 2 / 3])
    pd.testing.assert_index_equal(table.index, pd.RangeIndex(2))


def test_random_pairs_fall_into_bins_as_chance_says() -> None:
    heads = 2000
    drawn = [random_choice(made_passage([0] * 40), 10, seed=3, shape=(1, heads))]
    table = binned_distances(drawn)
    error = np.sqrt(table["chance_share"] / (10 * heads))
    assert ((table["share"] - table["chance_share"]).abs() < 4 * error).all()
    value, chance = mean_distance(drawn)
    assert value.mean() == pytest.approx(chance.mean(), rel=0.02)
