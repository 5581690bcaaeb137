"""Properties of pairs: every mean and every chance level against plain loops over the pairs."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_core.measures import pair_properties as properties
from attn_core.measures.pair_properties import concentration, length_share, mean_of
from attn_core.similarity.strong_pairs import StrongPairs
from attn_core.texts.passages import Passage
from tests.measures.made_up import (
    HEADS,
    LAYERS,
    Pair,
    all_pairs,
    chosen_pairs,
    made_passage,
    measured,
    random_choice,
    value_and_chance,
    windows,
)


def in_one_sentence(p: Passage, i: int, j: int) -> bool:
    return p.sentences[i] != -1 and p.sentences[i] == p.sentences[j]


ORACLE: dict[str, Callable[[Passage, int, int], int]] = {
    "mean_distance": lambda _, i, j: j - i,
    "same_sentence_share": in_one_sentence,
    "repetition_share": lambda p, i, j: int(p.token_ids[i]) == int(p.token_ids[j]),
    "near_share": lambda _, i, j: j - i in (1, 2),
    "separator_share": lambda p, i, j: bool(p.is_separator[i]) or bool(p.is_separator[j]),
}


PROPERTIES = {
    "mean_distance": properties.distance,
    "same_sentence_share": properties.same_sentence,
    "repetition_share": properties.repetition,
    "near_share": properties.near,
    "separator_share": properties.separator,
}


def head_means(by_window: list[StrongPairs]) -> dict[str, np.ndarray]:
    return {name: value_and_chance(mean_of(one), by_window)[0] for name, one in PROPERTIES.items()}


def chance_means(by_window: list[StrongPairs]) -> dict[str, float]:
    return {name: value_and_chance(mean_of(one), by_window)[1][0, 0] for name, one in PROPERTIES.items()}


def mean(values: list[int]) -> Fraction:
    return Fraction(sum(map(int, values)), len(values))


@given(windows())
def test_a_heads_statistic_is_the_mean_over_its_strong_pairs_of_all_windows(by_window: list[StrongPairs]) -> None:
    means = head_means(by_window)
    for name, oracle in ORACLE.items():
        for layer in range(LAYERS):
            for head in range(HEADS):
                values = [oracle(w.passage, i, j) for w in by_window for i, j in chosen_pairs(w, layer, head)]
                assert means[name][layer, head] == pytest.approx(float(mean(values)))


@given(windows())
def test_chance_is_the_mean_over_all_pairs_and_windows_weigh_by_their_strong_pairs(chosen: list[StrongPairs]) -> None:
    chance = chance_means(chosen)
    strong = sum(w.shape[2] for w in chosen)
    for name, oracle in ORACLE.items():
        by_window = [mean([oracle(w.passage, i, j) for i, j in all_pairs(w)]) * w.shape[2] for w in chosen]
        assert chance[name] == pytest.approx(float(sum(by_window) / strong))


def test_a_closing_separator_belongs_to_its_sentence_and_a_token_without_sentence_to_none() -> None:
    passage = made_passage([9, 1, 2, 8, 3, 8], sentences=[-1, 0, 0, 0, 1, 1])
    first, second = np.array([(1, 3), (4, 5), (3, 4), (0, 1), (0, 0)]).T
    same = properties.same_sentence(passage, first, second)
    assert same.tolist() == [True, True, False, False, False]


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


@given(windows(max_windows=1), st.integers(0, 2**16), st.sampled_from([[0.0], [0.0, 1.0], [0.5, 1.0, 1.5, 2.5]]))
def test_length_is_the_overlap_with_as_many_pairs_of_the_longest_vectors(
    made: list[StrongPairs], seed: int, values: list[float]
) -> None:
    (window,) = made
    lengths = np.random.default_rng(seed).choice(values, (*window.shape[:2], len(window.passage))).astype(np.float32)
    count = length_share(replace(measured(window), output=replace(measured(window).output, z=lengths[..., None])))
    for layer, head in np.ndindex(*window.shape[:2]):
        own = lengths[layer, head]
        least = sorted((own[i] * own[j] for i, j in all_pairs(window)), reverse=True)[window.shape[2] - 1]
        assert count.numerator[layer, head] == sum(
            own[i] * own[j] >= least for i, j in chosen_pairs(window, layer, head)
        )
    assert count.chance == pytest.approx(window.shape[2] ** 2 / len(all_pairs(window)))
    assert count.weight == window.shape[2]
