"""Halves of a pattern share no word, and a pattern that has none is not split."""

from itertools import combinations

import numpy as np
import pytest

from attn_core.patterns.placements import crossed_scores, word_halves

CLIQUE = np.array(list(combinations(range(0, 60, 10), 2)))


def halves_of(pairs: np.ndarray) -> np.ndarray:
    return word_halves(np.zeros(len(pairs), dtype=int), pairs)


@pytest.mark.parametrize("pairs", [CLIQUE, np.array([(at, at + 3) for at in range(20)]), np.array([(5, 1), (7, 9)])])
def test_halves_share_no_word(pairs: np.ndarray) -> None:
    halves = halves_of(pairs)
    assert len(halves)
    for first, second in halves:
        assert first.any() and second.any()
        assert not set(pairs[first].ravel()) & set(pairs[second].ravel())


def test_parts_without_a_common_word_lose_no_pair() -> None:
    assert halves_of(np.array([(at, at + 1) for at in range(0, 40, 2)])).any(axis=1).all()
    assert set(halves_of(CLIQUE).sum(axis=2).ravel().tolist()) == {3}  # three words each, and nine pairs between them


def test_a_word_is_a_place_of_its_window() -> None:
    star = np.array([(0, 4), (0, 6), (0, 4), (0, 6)])
    assert len(word_halves(np.array([0, 0, 1, 1]), star))
    assert not len(halves_of(star))


@pytest.mark.parametrize(
    "pairs", [[(3, 9)], [(3, 9), (9, 3)], [(3, at) for at in range(10, 30)], [(1, 2), (2, 3), (1, 3)]]
)
def test_what_shares_a_word_throughout_is_not_split(pairs: list[tuple[int, int]]) -> None:
    assert not len(halves_of(np.array(pairs)))


def test_each_half_is_scored_in_the_head_that_the_other_chose() -> None:
    halves = np.array([[[True, True, False], [False, False, True]]])
    percentile = np.array([[0.9, 0.7, 0.1], [0.2, 0.4, 0.6]])  # two heads, three pairs
    assert crossed_scores(halves @ percentile.T, halves) == pytest.approx((0.1 + 0.2 + 0.4) / 3)
