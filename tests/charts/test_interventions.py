"""The charts of interventions show the numbers of their tables."""

import numpy as np
import pandas as pd
import pytest

from attn_core.charts.interventions import (
    ROUNDING,
    bits_by_kind,
    by_layer_in_bits,
    change_map,
    effect_beside_chance,
    pruning,
    removal_map,
)
from attn_core.charts.style import BLANK

HEADS = pd.DataFrame(
    {"layer": [1, 1, 2, 2], "head": [1, 2, 1, 2], "role": "mixed", "importance": [0.01, 0.002, 0.03, 0.005],
     "change": [0.0, 1.0, 0.02, 0.04], "off": [False, True, False, False], "distance": [4.0, 8.0, 2.0, 6.0]}
)  # fmt: skip


def test_heads_that_are_off_are_crossed_out_and_a_click_chooses_one() -> None:
    chart = removal_map(HEADS[["layer", "head", "importance", "off"]], "measured")
    spec = chart.to_dict()
    assert chart.description.endswith("importance from 0.20% (L1H2) to 3.00% (L2H1); off: 1.")
    crossed = [
        layer for layer in spec["layer"] if any(t.get("filter") == "datum.off" for t in layer.get("transform", []))
    ]
    assert len(crossed) == 2
    assert spec["params"][0]["name"] == "cell"


def test_a_map_of_unknown_importance_has_no_colours() -> None:
    spec = removal_map(HEADS.assign(importance=np.nan)[["layer", "head", "importance", "off"]], "estimated").to_dict()
    assert "value" in spec["layer"][0]["encoding"]["color"]


def test_an_effect_stands_among_those_of_random_heads() -> None:
    chart = effect_beside_chance(0.03, np.array([0.01, 0.04]))
    assert [len(layer.data) for layer in chart.layer] == [2, 1]
    assert "Effect 3.00%" in chart.description and "1.00% to 4.00%" in chart.description
    assert effect_beside_chance(0.03, np.empty(0)).to_dict()


@pytest.mark.parametrize("rounding", [0.0, 1e-16, 1e-9])
def test_a_map_of_rounding_has_no_colour(rounding: float) -> None:
    """The heads up to the layer of a removed one read what they read before."""
    changes = change_map(HEADS.assign(change=[rounding, 1.0, 0.0, rounding / 2])[["layer", "head", "change", "off"]])
    effects = removal_map(HEADS.assign(importance=rounding)[["layer", "head", "importance", "off"]], "measured")
    for chart in (changes, effects):
        assert chart.to_dict()["layer"][0]["encoding"]["color"] == {"value": BLANK}
    assert "no colour: all of it is rounding" in changes.description
    one = change_map(HEADS.assign(change=[rounding, 1.0, 0.001, 0.0])[["layer", "head", "change", "off"]]).to_dict()
    colour = one["layer"][0]["encoding"]["color"]
    assert colour["value"] == BLANK and colour["condition"]["test"] == f"datum.change > {ROUNDING}"
    assert rounding < ROUNDING < 0.001


def test_orders_of_removal_stand_beside_the_band_of_random_ones_and_the_bar() -> None:
    curves = pd.DataFrame({"order": ["a", "a", "b"], "removed": [1, 4, 1], "effect": [0.01, 0.5, 0.02]})
    by_chance = pd.DataFrame(
        {"order": "random", "removed": [1, 4], "effect": [0.1, 0.5], "low": [0.02, 0.5], "high": [0.2, 0.5]}
    )
    chart = pruning(pd.concat([curves, by_chance]), "random", 0.05)
    assert chart.layer[0].to_dict()["encoding"]["y2"]["field"] == "high"
    assert chart.layer[2].data["effect"].tolist() == [0.05]
    assert chart.layer[3].to_dict()["encoding"]["color"]["scale"]["domain"] == ["a", "b"]
    assert "a 1.00% (1 gone) to 50.00% (4 gone)" in chart.description and "A line at 5.0%." in chart.description
    unknown = by_chance.assign(low=np.nan, effect=np.nan, high=np.nan)
    assert "random orders, mean: none yet" in pruning(pd.concat([curves, unknown]), "random", 0.05).description


def test_bits_by_layer_are_dashed_without_heads_and_stand_beside_chance() -> None:
    table = pd.DataFrame({"layer": [0, 1] * 2, "kind": "entropy", "heads": ["all"] * 2 + ["without L1H1"] * 2,
                          "bits": [8.0, 2.0, 8.0, 3.0]})  # fmt: skip
    chart = by_layer_in_bits(table, 6.5)
    assert chart.layer[0].data["bits"].tolist() == [6.5]
    assert chart.layer[1].to_dict()["encoding"]["strokeDash"]["scale"]["domain"] == ["all", "without L1H1"]
    assert "entropy, without L1H1: 3 (layer 1) to 8 (layer 0); an even guess among all words: 6.5" in chart.description
    alone = by_layer_in_bits(table[table["heads"] == "all"], 6.5).layer[1].to_dict()["encoding"]["strokeDash"]
    assert alone["legend"] is None


def test_the_bits_of_a_table_stand_by_kind_with_their_bounds() -> None:
    table = pd.DataFrame({"layer": [0, 1], "heads": "all", "entropy": [8.0, 2.0], "cross_entropy": [9.0, 3.0]})
    bits = bits_by_kind(table)
    assert bits["bits"].tolist() == [8, 2, 9, 3] and "low" not in bits
    assert bits["kind"].tolist() == ["entropy"] * 2 + ["cross-entropy"] * 2
    bounds = {f"{kind}_{bound}": kind for kind in ("entropy", "cross_entropy") for bound in ("low", "high")}
    bounded = bits_by_kind(table.assign(**{name: table[kind] for name, kind in bounds.items()}))
    assert bounded["low"].tolist() == bounded["high"].tolist() == bits["bits"].tolist()
