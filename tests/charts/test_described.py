"""The sentence that stands for a chart: its numbers are those of the chart's table."""

import numpy as np
import pandas as pd

from attn_core.charts.anchors import anchor_grid, token_map
from attn_core.charts.clusters import role_map
from attn_core.charts.described import between_heads, by_layer, chance_of, counted
from attn_core.charts.distances import distances_at_a_glance, layer_curve
from attn_core.charts.heads import head_map, matrix_crop
from attn_core.charts.style import colours
from attn_core.measures.statistics import BY_NAME
from tests.charts.test_anchors import overview
from tests.charts.test_clusters import heads_table

VIRIDIS = colours("sequential", "light")
DISTANCE = BY_NAME["mean_distance"]
HEADS = pd.DataFrame(
    {
        "layer": [1, 1, 2, 2],
        "head": [1, 2, 1, 2],
        "mean_distance": [90.0, 30.0, 120.0, 60.0],
        "chance_mean_distance": 158.0,
        "anchor": "the",
        "repeated_tokens": "",
        "anchor_coverage": 0.5,
        "chance_anchor_coverage": 0.1,
        "pairs": 1000,
        "windows": 1,
        "role": "mixed",
    }
)
LAYERS = pd.DataFrame({"layer": [1, 2, 3], "mean_distance": [60.0, 20.0, 90.0], "chance_mean_distance": 158.0})


def test_extremes_are_told_with_their_heads() -> None:
    assert between_heads(HEADS, "mean_distance", DISTANCE.text) == "30 tokens (L1H2) to 120 tokens (L2H1)"


def test_a_curve_is_told_by_its_ends_and_its_extremes() -> None:
    told = "60 tokens in layer 1, 90 tokens in layer 3; from 20 tokens (layer 2) to 90 tokens (layer 3)"
    assert by_layer(LAYERS, "mean_distance", DISTANCE.text) == told


def test_chance_is_one_number_or_a_range() -> None:
    assert chance_of(LAYERS, DISTANCE) == "chance 158 tokens"
    ranged = LAYERS.assign(chance_mean_distance=[100.0, 120, 158])
    assert chance_of(ranged, DISTANCE) == "chance 100 tokens to 158 tokens"


def test_names_are_counted_the_most_frequent_first() -> None:
    assert counted(np.array(["mixed", "anchor", "anchor"])) == "2 anchor, 1 mixed"


def test_a_map_of_heads_tells_its_size_range_and_chance() -> None:
    assert head_map(HEADS, DISTANCE).description == (
        "Map of 2 layers by 2 heads: mean distance, from 30 tokens (L1H2) to 120 tokens (L2H1); chance 158 tokens."
    )


def test_a_curve_tells_layers_heads_and_chance() -> None:
    told = layer_curve(HEADS, LAYERS, DISTANCE).description
    assert "60 tokens in layer 1" in told and "chance 158 tokens" in told and "30 tokens (L1H2)" in told


def test_a_glance_at_distances_tells_where_pairs_are_most_and_least_frequent() -> None:
    binned = pd.DataFrame(
        {
            "layer": [1, 2],
            "distance": ["1", "3-4"],
            "start": [1, 3],
            "share": 0.1,
            "chance_share": 0.1,
            "ratio": [0.5, 4.0],
        }
    )
    assert (
        "from 0.5 times (layer 1 at 1 tokens) to 4.0 times (layer 2 at 3-4 tokens)"
        in distances_at_a_glance(binned).description
    )


def test_a_crop_tells_its_place_and_its_extreme_pairs() -> None:
    told = matrix_crop(np.array([[1.0, 2], [3, 4]]), list("abcd"), 0, 2, "similarity", VIRIDIS, (1, 4)).description
    assert told == "Similarity of tokens 0 to 1 (rows) and 2 to 3 (columns): from 1 (0 a and 2 c) to 4 (1 b and 3 d)."


def test_the_roles_are_told_by_counts() -> None:
    heads = heads_table()
    assert role_map(heads).description.startswith("Roles of 3 layers by 4 heads: 2 ")


def test_anchors_are_told_by_the_one_furthest_above_chance() -> None:
    told = anchor_grid(overview(), "coverage").description
    assert "10% (L2H2) to 60% (L2H3)" in told and "“a” in L2H3, 60% (chance 20%)" in told
    around = overview().assign(excess=0.1, pairs=1000, windows=1, is_anchor=[True] + 5 * [False])
    assert "chance 15%; the anchor of 1 heads" in token_map(around).description
