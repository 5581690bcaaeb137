"""The charts of interventions show the numbers of their tables."""

import numpy as np
import pandas as pd
import pytest

from attn_core.charts.interventions import ROUNDING, bits_by_kind, effect_beside_chance, removal_map
from attn_core.charts.style import BLANK

HEADS = pd.DataFrame(
    {"layer": [1, 1, 2, 2], "head": [1, 2, 1, 2], "role": "mixed", "importance": [0.01, 0.002, 0.03, 0.005],
     "change": [0.0, 1.0, 0.02, 0.04], "off": [False, True, False, False], "distance": [4.0, 8.0, 2.0, 6.0]}
)  # fmt: skip


def test_an_effect_stands_among_those_of_random_heads() -> None:
    chart = effect_beside_chance(0.03, np.array([0.01, 0.04]))
    assert [len(layer.data) for layer in chart.layer] == [2, 1]
    assert "Effect 3.00%" in chart.description and "1.00% to 4.00%" in chart.description
    assert effect_beside_chance(0.03, np.empty(0)).to_dict()


@pytest.mark.parametrize("rounding", [0.0, 1e-16, 1e-9])
def test_a_map_of_rounding_has_no_colour(rounding: float) -> None:
    columns = ["layer", "head", "importance", "off"]
    effects = removal_map(HEADS.assign(importance=rounding)[columns], "measured")
    assert effects.to_dict()["layer"][0]["encoding"]["color"] == {"value": BLANK}
    one = removal_map(HEADS.assign(importance=[rounding, 1.0, 0.001, 0.0])[columns], "measured").to_dict()
    colour = one["layer"][0]["encoding"]["color"]
    assert colour["value"] == BLANK and colour["condition"]["test"] == f"datum.importance > {ROUNDING}"
    assert rounding < ROUNDING < 0.001


def test_the_bits_of_a_table_stand_by_kind_with_their_bounds() -> None:
    table = pd.DataFrame({"layer": [0, 1], "heads": "all", "entropy": [8.0, 2.0], "cross_entropy": [9.0, 3.0]})
    bits = bits_by_kind(table)
    assert bits["bits"].tolist() == [8, 2, 9, 3] and "low" not in bits
    assert bits["kind"].tolist() == ["entropy"] * 2 + ["cross-entropy"] * 2
    bounds = {f"{kind}_{bound}": kind for kind in ("entropy", "cross_entropy") for bound in ("low", "high")}
    bounded = bits_by_kind(table.assign(**{name: table[kind] for name, kind in bounds.items()}))
    assert bounded["low"].tolist() == bounded["high"].tolist() == bits["bits"].tolist()
