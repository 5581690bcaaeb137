"""Length and noise of made-up windows, from their definitions."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from attn_core.measures.statistics import BY_NAME
from attn_core.measures.strength import length_share
from attn_core.measures.tally import Tally
from attn_core.measures.window_counts import heads_of
from attn_core.similarity.strong_pairs import StrongPairs
from tests.measures.made_up import (
    HEADS,
    LAYERS,
    all_pairs,
    chosen_pairs,
    made_passage,
    made_strength,
    measured,
    random_choice,
    value_and_chance,
    windows,
)


@given(windows())
def test_length_is_the_overlap_with_as_many_pairs_of_the_longest_vectors(made: list[StrongPairs]) -> None:
    strong = sum(window.shape[2] for window in made)
    value, chance = value_and_chance(length_share, made)
    for layer, head in np.ndindex(*value.shape):
        shared = [
            len(set(chosen_pairs(window, layer, head)) & set(all_pairs(window)[: window.shape[2]])) for window in made
        ]
        assert value[layer, head] == pytest.approx(sum(shared) / strong)
    assert chance == pytest.approx(sum(window.shape[2] ** 2 / len(all_pairs(window)) for window in made) / strong)


def test_noise_is_the_share_of_unrelated_pairs_that_pass_over_the_share_of_strong_pairs() -> None:
    first = measured(random_choice(made_passage(range(5)), 1, seed=0))  # q = 1 / 10
    second = measured(random_choice(made_passage(range(5)), 2, seed=0))  # q = 2 / 10
    reached = np.stack([np.full((2, 2), 6), np.full((2, 2), 4)])
    first = replace(first, strength=replace(first.strength, reached=reached))
    heads = heads_of([first])
    assert heads["noise_rate"].tolist() == pytest.approx([0.6] * 4)
    assert heads["noise_rate_words"].tolist() == pytest.approx([0.5] * 4)
    assert heads["snr_db"].tolist() == pytest.approx([-10 * np.log10(0.6)] * 4)
    both = heads_of([first, second])
    assert both["noise_rate"].tolist() == pytest.approx([(6 + 50) / (10 + 20)] * 4)
    chance = both[["chance_noise_rate", "chance_noise_rate_words", "chance_snr_db"]].to_numpy()
    assert chance.tolist() == [[1.0, 1.0, 0.0]] * 4


def test_where_no_unrelated_pair_passed_the_signal_is_as_if_one_had() -> None:
    window = measured(random_choice(made_passage(range(5)), 1, seed=0))
    none = replace(window, strength=replace(window.strength, reached=np.zeros((2, 2, 2), dtype=int)))
    heads = heads_of([none, none])
    assert heads["noise_rate"].tolist() == [0.0] * 4
    assert heads["snr_db"].tolist() == pytest.approx([10 * np.log10(0.1 * 200)] * 4)


def test_signal_to_noise_has_a_value_in_every_row_of_a_study() -> None:
    window = measured(random_choice(made_passage(range(5)), 1, seed=0))
    tally = Tally(draws=1)
    counted = BY_NAME["noise_rate"].count
    assert counted is not None
    tally.add_each("noise_rate", [counted(window)], times=np.array([[1.0], [3.0]]))
    assert BY_NAME["snr_db"].values(tally) == pytest.approx(np.full((2, 4), -10 * np.log10(5)))


def test_a_window_without_pairs_of_different_tokens_stands_at_chance_and_hardly_counts() -> None:
    window = random_choice(made_passage([0, 1, 2, 3, 4]), 2, seed=0)
    none = replace(
        measured(window),
        strength=replace(made_strength(window), looked=np.array([100, 0]), reached=np.zeros((2, LAYERS, HEADS))),
    )
    alone, beside = (heads_of(some) for some in ([none], [none, measured(window)]))
    assert (alone["noise_rate_words"] == 1).all() and (alone["chance_noise_rate_words"] == 1).all()
    expected = (40 + 0.2) / (80 * 0.2 + 0.2)  # of 80 pairs half pass, where chance lets a fifth pass
    np.testing.assert_allclose(beside["noise_rate_words"], expected, rtol=1e-6)
