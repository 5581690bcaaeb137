"""Shares of a layer's heads: the surroundings of an anchor against a loop over pairs, and what each share counts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_core.measures.head_shares import beyond_like_distance, distinct, share_counts
from attn_core.measures.token_coverage import CONTEXT, NONE, touched
from attn_core.similarity.strong_pairs import StrongPairs
from tests.measures.made_up import (
    GRID,
    HEADS,
    LAYERS,
    Pair,
    all_pairs,
    chosen_pairs,
    made_pairs,
    made_passage,
    measured,
    windows,
)


def in_surroundings(window: StrongPairs, pair: Pair, token: int) -> bool:
    """Whether some occurrence of the token is at most 5 tokens from both."""
    occurrences = np.flatnonzero((window.passage.token_ids == token) & window.eligible)
    return any(max(abs(place - pair[0]), abs(place - pair[1])) <= CONTEXT for place in occurrences)


@given(windows(max_windows=1), st.data())
def test_pairs_around_a_token_are_counted_beyond_those_of_like_distance(
    by_window: list[StrongPairs], data: st.DataObject
) -> None:
    (window,) = by_window
    ids = sorted(set(window.passage.token_ids[window.eligible].tolist()))
    tokens = np.array(data.draw(st.lists(st.sampled_from(ids), min_size=4, max_size=4))).reshape(LAYERS, HEADS)
    excess = beyond_like_distance(window, tokens)
    for head in GRID:
        expected = 0.0
        for pair in chosen_pairs(window, *head):
            like = [other for other in all_pairs(window) if other[1] - other[0] == pair[1] - pair[0]]
            chance = np.mean([in_surroundings(window, other, tokens[head]) for other in like])
            expected += in_surroundings(window, pair, tokens[head]) - chance
        assert excess[head] == pytest.approx(expected / window.shape[2])


def test_each_share_counts_its_heads() -> None:
    """Of a layer of four heads one does what each says, and one nothing of it."""
    passage = made_passage([*[0] * 10, *range(1, 91), *range(1, 41)])  # token 0 is common; 91 different ones
    far = [(50 + at, 100 + at) for at in range(36)]
    repeats = [(10 + at, 100 + at) for at in range(36)]
    gathers = [(0, 60 + at) for at in range(36)]
    around = [(at, at + step) for at in range(46, 51) for step in (1, 2, 3, 4)] + [(50, 70 + at) for at in range(16)]
    expected = {"repeating_heads": 0.25, "gathering_heads": 0.25, "anchored_heads": 0.5}
    for number, has in ((36, 1), (29, 0)):  # 29 are too few
        window = measured(made_pairs(passage, [[some[:number] for some in (far, repeats, gathers, around)]]))
        counts = share_counts(window)
        for name, share in expected.items():
            assert (counts[name].numerator.tolist(), counts[name].weight) == ([share * has], 1.0)


def test_distinct_anchors_are_counted_layer_by_layer_without_heads_that_have_none() -> None:
    anchors = np.array([[NONE, 4, 4, NONE], [NONE] * 4, [0, 1, NONE, 2], [3, 1, 3, 1]])
    assert distinct(anchors).tolist() == [1, 0, 3, 2]


def test_a_token_that_a_head_meets_by_chance_is_no_anchor() -> None:
    passage = made_passage([*[0] * 30, *range(1, 61)])  # the common token touches more than half of all pairs
    often, always = (
        [(at, 59 - at) for at in range(30)] + [(59, 60 + at) for at in range(20)],
        [(0, at) for at in range(30, 80)],
    )
    window = made_pairs(passage, [[often, always]])
    assert touched(window).anchors().tolist() == [[NONE, 0]]
    assert share_counts(measured(window))["anchor_uniqueness"].numerator.tolist() == [0.5]
