"""Counts add up however they are grouped, and the tables hold every one of them."""

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from attn_core.measures.statistics import COUNTED
from attn_core.measures.tally import Count, Tally
from attn_core.measures.window_counts import add_up, count_window
from attn_core.numerics.leave_one_out import GROUPS, distinct_rows, inclusion
from attn_core.similarity.strong_pairs import StrongPairs
from tests.measures.made_up import GRID, heads_of, made_passage, measured, random_choice, value_and_chance, windows

numbers = st.lists(st.floats(0, 1e5), min_size=6, max_size=6)


def counts(values: list[float]) -> list[Count]:
    return [Count(np.array([value, 2 * value]), value / 3, value + 1) for value in values]


@given(numbers, st.permutations(range(6)), st.integers(1, 5))
def test_the_order_and_the_groups_of_windows_change_nothing(values: list[float], order: list[int], cut: int) -> None:
    made, by_parts = counts(values), Tally()
    for part in (order[:cut], order[cut:]):
        by_parts.add_each("it", [made[i] for i in part])
    total, weight = sum(values), sum(values) + 6
    np.testing.assert_allclose(by_parts.value("it"), [total / weight, 2 * total / weight])
    np.testing.assert_allclose(by_parts.chance("it"), total / 3 / weight)


@given(numbers, st.lists(st.integers(0, 3 * GROUPS), min_size=6, max_size=6), st.integers(1, 5))
def test_sums_of_parts_with_the_rows_of_their_groups_are_those_of_all(
    values: list[float], groups: list[int], cut: int
) -> None:
    made, whole, merged = counts(values), Tally(GROUPS), Tally(GROUPS)
    whole.add_each("it", made, inclusion(np.array(groups)))
    for part in (slice(cut), slice(cut, None)):
        taken, rows = distinct_rows(np.array(groups[part]))
        assert len(taken) == 1 + len({group % GROUPS for group in groups[part]})
        some = Tally(len(taken) - 1)
        some.add_each("it", made[part], taken)
        merged.merge(some, rows)
    np.testing.assert_allclose(merged.weights("it"), whole.weights("it"))
    np.testing.assert_allclose(merged.values("it"), whole.values("it"))


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
    np.testing.assert_allclose(one_by_one.parts.distances.chance, whole.parts.distances.chance)


@given(windows())
def test_the_heads_table_holds_every_statistic_of_every_head_counted_from_one(by_window: list[StrongPairs]) -> None:
    table = heads_of(map(measured, by_window))
    assert table[["layer", "head"]].to_numpy().tolist() == [[layer + 1, head + 1] for layer, head in GRID]
    assert (table["pairs"] == sum(window.shape[2] for window in by_window)).all()
    for statistic in (one for one in COUNTED if one.count):  # the others follow from these
        value, chance = value_and_chance(statistic.count, by_window)
        assert table[statistic.name].tolist() == value.ravel().tolist()
        assert table[statistic.chance].tolist() == chance.ravel().tolist()


def test_the_layers_table_holds_the_means_over_heads_with_their_chance_levels_and_no_mean_of_an_id() -> None:
    window = random_choice(made_passage([0, 1, 0, 2]), 2, seed=0)
    heads = pd.DataFrame(GRID, columns=["layer", "head"]) + 1
    heads = heads.assign(mean_distance=[10.0, 20.0, 5.0, 6.0], chance_mean_distance=12.0, anchor_id=4, role_bits=0.1)
    table = add_up([count_window(measured(window))]).layers(heads)
    assert list(table) == [
        "layer", "mean_distance", "chance_mean_distance", "head_overlap", "chance_head_overlap", "anchor_uniqueness",
        "repeating_heads", "gathering_heads", "anchored_heads",
    ]  # fmt: skip
    means = table[["layer", "mean_distance", "chance_mean_distance"]]
    assert means.to_numpy().tolist() == [[1, 15.0, 12.0], [2, 5.5, 12.0]]
