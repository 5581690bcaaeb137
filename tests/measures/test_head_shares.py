"""Shares of a layer's heads: the surroundings of an anchor against a loop over pairs, and what each share counts."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_core.measures.head_shares import beyond_like_distance, distinct, share_counts
from attn_core.measures.token_coverage import CONTEXT, NONE, touched
from attn_core.similarity.strong_pairs import StrongPairs
from tests.measures.made_up import HEADS, LAYERS, all_pairs, chosen_pairs, made_pairs, made_passage, measured, windows


def in_surroundings(window: StrongPairs, pair: tuple[int, int], token: int) -> bool:
    """Whether some occurrence of the token is at most 5 tokens from both."""
    occurrences = np.flatnonzero((window.passage.token_ids == token) & window.eligible)
    return any(max(abs(place - pair[0]), abs(place - pair[1])) <= CONTEXT for place in occurrences)


@given(windows(max_windows=1), st.data())
def test_pairs_around_a_token_are_counted_beyond_those_of_like_distance(
    by_window: list[StrongPairs], data: st.DataObject
) -> None:
    (window,) = by_window
    ids = sorted(set(window.passage.token_ids[window.eligible].tolist()))
    tokens = np.array(data.draw(st.lists(st.sampled_from(ids), min_size=LAYERS * HEADS, max_size=LAYERS * HEADS)))
    excess = beyond_like_distance(window, tokens.reshape(LAYERS, HEADS))
    for (layer, head), token in zip(product(range(LAYERS), range(HEADS)), tokens.tolist(), strict=True):
        expected = 0.0
        for pair in chosen_pairs(window, layer, head):
            like = [other for other in all_pairs(window) if other[1] - other[0] == pair[1] - pair[0]]
            chance = np.mean([in_surroundings(window, other, token) for other in like])
            expected += in_surroundings(window, pair, token) - chance
        assert excess[layer, head] == pytest.approx(expected / window.shape[2])


def test_each_share_counts_its_heads() -> None:
    """Of a layer of four heads one does what each says, and one nothing of it."""
    ids = [0] * 10 + [*range(1, 91)]  # token 0 is common; 91 different ones
    passage = made_passage([*ids, *range(1, 41)])
    far = [(50 + at, 100 + at) for at in range(36)]
    repeats = [(10 + at, 100 + at) for at in range(36)]
    gathers = [(0, 60 + at) for at in range(36)]
    around = [(at, at + step) for at in (46, 47, 48, 49, 50) for step in (1, 2, 3, 4)] + [
        (50, 70 + at) for at in range(16)
    ]
    window = measured(made_pairs(passage, [[far, repeats, gathers, around]]))
    counts = {
        name: (count.numerator.tolist(), count.weight)
        for name, count in share_counts(window, touched(window.pairs)).items()
    }
    assert counts["repeating_heads"] == ([0.25], 1.0)
    assert counts["gathering_heads"] == ([0.25], 1.0)
    assert counts["anchored_heads"] == ([0.5], 1.0), "the third head and the fourth"
    few = measured(made_pairs(passage, [[some[:29] for some in (far, repeats, gathers, around)]]))
    shares = share_counts(few, touched(few.pairs))
    assert all(
        shares[name].numerator.tolist() == [0] for name in ("repeating_heads", "gathering_heads", "anchored_heads")
    )


@given(st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=1, max_size=4))
def test_distinct_anchors_are_counted_layer_by_layer(leaders: list[list[int]]) -> None:
    assert distinct(np.array(leaders)).tolist() == [len(set(row)) for row in leaders]


def test_heads_without_an_anchor_do_not_count() -> None:
    assert distinct(np.array([[NONE, 4, 4, NONE], [NONE] * 4, [0, 1, NONE, 2]])).tolist() == [1, 0, 3]


def test_a_token_that_a_head_meets_by_chance_is_no_anchor() -> None:
    passage = made_passage([0] * 12 + [1, 2, 3])  # the common token touches nearly every pair
    window = made_pairs(passage, [[[(0, 12), (1, 13), (12, 13), (13, 14)], [(12, 13), (12, 14), (0, 12), (1, 12)]]])
    assert touched(window).anchors().tolist() == [[2, 1]]
    by_chance = made_pairs(passage, [[[(0, 1), (1, 2), (12, 13)], [(12, 13), (12, 14), (0, 12)]]])
    assert touched(by_chance).anchors()[0].tolist() == [NONE, 1]
    assert share_counts(measured(by_chance), touched(by_chance))["anchor_uniqueness"].numerator.tolist() == [0.5]
