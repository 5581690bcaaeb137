"""Counts add up however they are grouped, and the tables hold every one of them."""

from itertools import product

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from attn_core.measures.statistics import COUNTED
from attn_core.measures.tally import Count, Tally
from attn_core.measures.window_counts import add_up, count_window
from attn_core.similarity.strong_pairs import StrongPairs
from tests.measures.made_up import (
    HEADS,
    LAYERS,
    heads_of,
    made_passage,
    measured,
    random_choice,
    value_and_chance,
    windows,
)

numbers = st.lists(st.floats(0, 1e5), min_size=6, max_size=6)


def counts(values: list[float]) -> list[Count]:
    return [Count(np.array([value, 2 * value]), value / 3, value + 1) for value in values]


@given(numbers, st.permutations(range(6)), st.integers(1, 5))
def test_the_order_and_the_groups_of_windows_change_nothing(values: list[float], order: list[int], cut: int) -> None:
    made = counts(values)
    at_once, by_parts = Tally(), Tally()
    at_once.add_each("it", made)
    for part in (order[:cut], order[cut:]):
        by_parts.add_each("it", [made[i] for i in part])
    np.testing.assert_allclose(at_once.value("it"), by_parts.value("it"))
    np.testing.assert_allclose(at_once.chance("it"), by_parts.chance("it"))


def test_a_row_without_windows_has_no_value() -> None:
    tally = Tally(1)
    tally.add_each("it", counts([1.0]), np.array([[1], [0]]))
    assert np.isnan(tally.values("it")[1]).all()


@given(windows())
def test_all_that_is_counted_is_the_same_in_parts(by_window: list[StrongPairs]) -> None:
    made = [count_window(measured(window)) for window in by_window]
    whole, one_by_one = add_up(made), add_up(reversed(made))
    pd.testing.assert_frame_equal(whole.heads, one_by_one.heads)
    pd.testing.assert_frame_equal(whole.layers(whole.heads), one_by_one.layers(whole.heads))
    np.testing.assert_allclose(one_by_one.distances.expected, whole.distances.expected)


@given(windows())
def test_the_heads_table_holds_every_statistic_of_every_head_counted_from_one(by_window: list[StrongPairs]) -> None:
    table = heads_of(map(measured, by_window)).set_index(["layer", "head"])
    assert (table["pairs"] == sum(window.shape[2] for window in by_window)).all()
    for statistic in COUNTED:
        if statistic.count is None:
            continue  # follows from the others, see test_strength
        value, chance = value_and_chance(statistic.count, by_window)
        for layer, head in product(range(LAYERS), range(HEADS)):
            row = table.loc[(layer + 1, head + 1)]
            assert (row[statistic.name], row[statistic.chance]) == (value[layer, head], chance[layer, head])


def made_heads() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "layer": [1, 1, 2, 2],
            "head": [1, 2, 1, 2],
            "pairs": 7,
            "mean_distance": [10.0, 20.0, 5.0, 6.0],
            "chance_mean_distance": 12.0,
            "anchor": ["the", "the", "sea", "the"],
            "anchor_id": [4, 4, 9, 4],
            "anchor_is_separator": False,
            "role_bits": [0.1, 0.2, 0.3, 0.4],
        }
    )


def test_the_layers_table_holds_the_means_over_heads_with_their_chance_levels_and_no_mean_of_an_id() -> None:
    window = random_choice(made_passage([0, 1, 0, 2]), 2, seed=0)
    table = add_up([count_window(measured(window))]).layers(made_heads())
    assert list(table) == [
        "layer", "mean_distance", "chance_mean_distance", "head_overlap", "chance_head_overlap", "anchor_uniqueness",
        "repeating_heads", "gathering_heads", "anchored_heads",
    ]  # fmt: skip
    assert table["layer"].tolist() == [1, 2]
    assert table["mean_distance"].tolist() == [15.0, 5.5]
    assert table["chance_mean_distance"].tolist() == [12.0, 12.0]
