"""How unevenly strong pairs use the tokens, against counts token by token."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given

from attn_core.measures.pair_properties import concentration
from attn_core.similarity.strong_pairs import StrongPairs
from tests.measures.made_up import (
    HEADS,
    LAYERS,
    Pair,
    all_pairs,
    chosen_pairs,
    made_passage,
    random_choice,
    value_and_chance,
    windows,
)


def unevenness(by_window: list[StrongPairs], chosen: list[list[Pair]]) -> float:
    """n * sum of squares of the uses of each token / (2 K)^2, counted token by token; windows weigh by their pairs."""
    each = []
    for window, pairs in zip(by_window, chosen, strict=True):
        uses = [sum(token in pair for pair in pairs) for token in np.flatnonzero(window.eligible)]
        each.append(len(uses) * sum(c * c for c in uses) / sum(uses) ** 2)
    return float(np.average(each, weights=[len(pairs) for pairs in chosen]))


@given(windows())
def test_concentration_counts_how_often_each_token_is_used(by_window: list[StrongPairs]) -> None:
    values, _ = value_and_chance(concentration, by_window)
    for layer, head in product(range(LAYERS), range(HEADS)):
        assert values[layer, head] == pytest.approx(
            unevenness(by_window, [chosen_pairs(w, layer, head) for w in by_window])
        )


@pytest.mark.parametrize(
    "sizes", [[(2, 1)], [(3, 1)], [(4, 2)], [(4, 6)], [(5, 3)], [(3, 2), (4, 2)], [(2, 1), (4, 3)]]
)
def test_the_chance_of_concentration_is_its_mean_over_every_possible_choice(sizes: list[tuple[int, int]]) -> None:
    drawn = [random_choice(made_passage([0] * n), strong, seed=0) for n, strong in sizes]
    choices = product(*(combinations(all_pairs(w), w.shape[2]) for w in drawn))
    expected = np.mean([unevenness(drawn, [list(pairs) for pairs in choice]) for choice in choices])
    assert value_and_chance(concentration, drawn)[1] == pytest.approx(expected)
