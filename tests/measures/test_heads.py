"""The heads table and the layers table."""

from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

from attn_core.measures.heads import concentration, layer_table, pair_columns
from attn_core.measures.pair_properties import chance_means, head_means
from attn_core.strong_pairs import StrongPairs
from tests.measures.made_up import (
    HEADS,
    LAYERS,
    Pair,
    all_pairs,
    chosen_pairs,
    made_pairs,
    made_passage,
    random_choice,
    windows,
)


def unevenness(found: list[StrongPairs], chosen: list[list[Pair]]) -> float:
    """n * sum of squares of the uses of each token / (2 K)^2, counted token by token."""
    uses = [
        sum(token in pair for pair in pairs)
        for window, pairs in zip(found, chosen, strict=True)
        for token in np.flatnonzero(window.eligible)
    ]
    return len(uses) * sum(c * c for c in uses) / sum(uses) ** 2


@settings(deadline=None)
@given(windows())
def test_concentration_counts_how_often_each_token_is_used(found: list[StrongPairs]) -> None:
    values, _ = concentration(found)
    for layer, head in product(range(LAYERS), range(HEADS)):
        assert values[layer, head] == pytest.approx(unevenness(found, [chosen_pairs(w, layer, head) for w in found]))


@pytest.mark.parametrize(
    "sizes", [[(2, 1)], [(3, 1)], [(4, 2)], [(4, 6)], [(5, 3)], [(3, 2), (4, 2)], [(2, 1), (4, 3)]]
)
def test_the_chance_of_concentration_is_its_mean_over_every_possible_choice(sizes: list[tuple[int, int]]) -> None:
    found = [random_choice(made_passage([0] * n), strong, seed=0) for n, strong in sizes]
    choices = product(*(combinations(all_pairs(w), w.shape[2]) for w in found))
    expected = np.mean([unevenness(found, [list(pairs) for pairs in choice]) for choice in choices])
    assert concentration(found)[1] == pytest.approx(expected)


def test_the_chance_of_concentration_leaves_special_tokens_out() -> None:
    passage = made_passage([0] * 6, special=[0, 5])
    without = concentration([random_choice(passage, 2, seed=0, with_special=False)])
    assert without[1] == pytest.approx(concentration([random_choice(made_passage([0] * 4), 2, seed=0)])[1])


def test_even_use_has_concentration_one_and_one_hub_a_quarter_of_the_tokens() -> None:
    n = 40
    even = made_pairs(made_passage([0] * n), [[[(i, i + 1) for i in range(0, n, 2)]]])
    hub = made_pairs(made_passage([0] * n), [[[(0, j) for j in range(1, n)]]])
    assert concentration([even])[0] == pytest.approx(1)
    assert concentration([hub])[0] == pytest.approx(n / 4, rel=0.05)


def test_the_columns_of_pairs_stand_in_order_each_before_its_chance_level() -> None:
    table = pair_columns([random_choice(made_passage([0, 1, 0, 2]), 2, seed=0)])
    names = [
        "mean_distance",
        "same_sentence_share",
        "repetition_share",
        "near_share",
        "separator_share",
        "concentration",
    ]
    assert list(table) == ["layer", "head", "pairs", *(c for name in names for c in (name, f"chance_{name}"))]


@settings(deadline=None)
@given(windows())
def test_the_heads_table_holds_the_means_of_every_head_counted_from_one(found: list[StrongPairs]) -> None:
    table = pair_columns(found).set_index(["layer", "head"])
    means, chance = head_means(found), chance_means(found)
    assert (table["pairs"] == sum(w.shape[2] for w in found)).all()
    for name in means:
        for layer, head in product(range(LAYERS), range(HEADS)):
            assert table.loc[(layer + 1, head + 1), name] == means[name][layer, head]
        assert (table[f"chance_{name}"] == chance[name]).all()


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
    table = layer_table(made_heads())
    assert list(table) == ["layer", "mean_distance", "chance_mean_distance", "anchor_uniqueness"]
    assert table["layer"].tolist() == [1, 2]
    assert table["mean_distance"].tolist() == [15.0, 5.5]
    assert table["chance_mean_distance"].tolist() == [12.0, 12.0]


def test_anchor_uniqueness_is_distinct_anchors_over_heads() -> None:
    assert layer_table(made_heads())["anchor_uniqueness"].tolist() == [0.5, 1.0]
