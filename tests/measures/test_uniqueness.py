"""Distinct anchors, and those of heads whose places are drawn at random, against loops over pairs."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_core.measures.random_pairs import generator_of
from attn_core.measures.token_coverage import NONE, touched
from attn_core.measures.uniqueness import DRAWS, _moved, distinct, distinct_in_model, uniqueness_count, uniqueness_table
from attn_core.similarity.strong_pairs import StrongPairs
from tests.measures.made_up import HEADS, LAYERS, chosen_pairs, made_pairs, made_passage, windows


@given(windows(max_windows=1))
def test_moved_tokens_touch_the_pairs_of_their_new_places(by_window: list[StrongPairs]) -> None:
    (window,) = by_window
    ids, positions = window.passage.token_ids, np.flatnonzero(window.eligible)
    rng = generator_of(window.passage)
    for moved in _moved(window, touched(window), DRAWS):
        shuffled = rng.permuted(np.tile(ids[positions], (LAYERS * HEADS, 1)), axis=1)
        for row, (layer, head) in enumerate(np.ndindex(LAYERS, HEADS)):
            there = dict(zip(positions.tolist(), shuffled[row].tolist(), strict=True))
            ends = [{there[i], there[j]} for i, j in chosen_pairs(window, layer, head)]
            expected = [sum(token in pair for pair in ends) for token in moved.token_ids.tolist()]
            assert moved.pairs[layer, head].tolist() == expected


@given(windows(max_windows=1))
def test_a_window_has_one_chance_level_wherever_it_stands(by_window: list[StrongPairs]) -> None:
    one, other = (uniqueness_count(by_window[0], touched(by_window[0])) for _ in range(2))
    assert np.asarray(one.chance).tolist() == np.asarray(other.chance).tolist()
    assert (np.asarray(one.chance) >= 0).all() and (np.asarray(one.chance) <= DRAWS * HEADS).all()


@given(st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=1, max_size=4))
def test_distinct_anchors_are_counted_layer_by_layer(leaders: list[list[int]]) -> None:
    assert distinct(np.array(leaders)).tolist() == [len(set(row)) for row in leaders]


def test_heads_without_an_anchor_add_none() -> None:
    assert distinct(np.array([[NONE, 4, 4, NONE], [NONE] * 4, [0, 1, NONE, 2]])).tolist() == [1, 0, 3]
    assert distinct_in_model(pd.Series([NONE, 7, 7, 9, NONE])) == 2


def test_uniqueness_does_not_count_a_token_that_a_head_meets_by_chance() -> None:
    passage = made_passage([0] * 12 + [1, 2, 3])  # the common token touches nearly every pair
    window = made_pairs(passage, [[[(0, 12), (1, 13), (12, 13), (13, 14)], [(12, 13), (12, 14), (0, 12), (1, 12)]]])
    assert touched(window).anchors().tolist() == [[2, 1]]
    by_chance = made_pairs(passage, [[[(0, 1), (1, 2), (12, 13)], [(12, 13), (12, 14), (0, 12)]]])
    assert touched(by_chance).anchors()[0].tolist() == [NONE, 1]
    assert np.asarray(uniqueness_count(by_chance, touched(by_chance)).numerator).tolist() == [DRAWS]


def test_uniqueness_beside_random_pairs_and_beside_independent_heads() -> None:
    # Position 12 + k holds token k + 1; token 0 is the common one.
    passage = made_passage([0] * 12 + list(range(1, 40)))
    shared = made_pairs(passage, [[[(12, other) for other in range(20, 50)]] * 6])
    own = made_pairs(passage, [[[(12 + head, other) for other in range(20, 50)] for head in range(6)]])
    for window, expected in ((shared, 1 / 6), (own, 1.0)):
        table = uniqueness_table([window] * 8)
        assert table["anchor_uniqueness"].tolist() == [pytest.approx(expected)]
        assert 0 < table["random_pairs"][0] < 0.35  # their anchor is the common token, or none
        assert 0.6 < table["own_places"][0] < 1.0  # hubs fall on the common token, or on one another, now and then
