"""Properties of pairs: every mean and every chance level against plain loops over the pairs."""

from collections.abc import Callable
from dataclasses import replace
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
    GRID,
    Pair,
    all_pairs,
    chosen_pairs,
    made_passage,
    mean_over_all,
    mean_over_strong,
    measured,
    random_choice,
    value_and_chance,
    windows,
)

Definition = Callable[[Passage, int, int], float]
DEFINITIONS: tuple[tuple[properties.Property, Definition], ...] = (
    (properties.distance, lambda _, i, j: j - i),
    (properties.same_sentence, lambda p, i, j: p.sentences[i] != -1 and p.sentences[i] == p.sentences[j]),
    (properties.repetition, lambda p, i, j: int(p.token_ids[i]) == int(p.token_ids[j])),
    (properties.near, lambda _, i, j: j - i in (1, 2)),
    (properties.nearby, lambda _, i, j: 3 <= j - i <= 16),
    (properties.separator, lambda p, i, j: bool(p.is_separator[i]) or bool(p.is_separator[j])),
)


@pytest.mark.parametrize(("of_pairs", "definition"), DEFINITIONS)
@given(by_window=windows())
def test_a_statistic_is_the_mean_over_its_strong_pairs_and_chance_is_that_over_all_pairs(
    by_window: list[StrongPairs], of_pairs: properties.Property, definition: Definition
) -> None:
    def of(window: StrongPairs, pair: Pair) -> float:
        return definition(window.passage, *pair)

    value, chance = value_and_chance(mean_of(of_pairs), by_window)
    for head in GRID:
        assert value[head] == pytest.approx(mean_over_strong(by_window, of, *head))
        assert chance[head] == pytest.approx(mean_over_all(by_window, of))


def test_a_pair_is_at_the_anchor_with_either_of_its_tokens() -> None:
    first, second = np.triu_indices(4, 1)
    at = properties.at_anchor(made_passage([5, 7, 5, 9]), first, second, np.array([[9], [7], [4]]))
    assert [[pair for pair, yes in zip(zip(first, second, strict=True), row, strict=True) if yes] for row in at] == [
        [(0, 3), (1, 3), (2, 3)], [(0, 1), (1, 2), (1, 3)], []
    ]  # fmt: skip


@given(windows())
def test_the_share_at_like_distance_is_that_of_all_pairs_with_the_same_distances(by_window: list[StrongPairs]) -> None:
    def inside(window: StrongPairs, pair: Pair) -> bool:
        sentences = window.passage.sentences
        return sentences[pair[0]] != -1 and sentences[pair[0]] == sentences[pair[1]]

    def at_like_distance(window: StrongPairs, pair: Pair) -> float:
        alike = [other for other in all_pairs(window) if other[1] - other[0] == pair[1] - pair[0]]
        return float(np.mean([inside(window, other) for other in alike]))

    value, chance = value_and_chance(properties.same_sentence_at_like_distance, by_window)
    for head in GRID:
        assert value[head] == pytest.approx(mean_over_strong(by_window, at_like_distance, *head))
        assert chance[head] == pytest.approx(mean_over_all(by_window, inside))


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
    for head in GRID:
        assert values[head] == pytest.approx(unevenness(by_window, [chosen_pairs(w, *head) for w in by_window]))


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
    for head in GRID:
        of_pair = {(i, j): lengths[head][i] * lengths[head][j] for i, j in all_pairs(window)}
        least = sorted(of_pair.values(), reverse=True)[window.shape[2] - 1]
        assert count.numerator[head] == sum(of_pair[pair] >= least for pair in chosen_pairs(window, *head))
    assert count.chance == pytest.approx(window.shape[2] ** 2 / len(all_pairs(window)))
    assert count.weight == window.shape[2]
