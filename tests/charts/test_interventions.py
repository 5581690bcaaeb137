"""The charts of interventions show the numbers of their tables."""

import pandas as pd
import pytest

from attn_core.charts.interventions import ROUNDING, removal_map
from attn_core.charts.style import BLANK

HEADS = pd.DataFrame(
    {"layer": [1, 1, 2, 2], "head": [1, 2, 1, 2], "role": "mixed", "importance": [0.01, 0.002, 0.03, 0.005],
     "change": [0.0, 1.0, 0.02, 0.04], "off": [False, True, False, False], "distance": [4.0, 8.0, 2.0, 6.0]}
)  # fmt: skip


@pytest.mark.parametrize("rounding", [0.0, 1e-16, 1e-9])
def test_a_map_of_rounding_has_no_colour(rounding: float) -> None:
    columns = ["layer", "head", "importance", "off"]
    effects = removal_map(HEADS.assign(importance=rounding)[columns], "measured")
    assert effects.to_dict()["layer"][0]["encoding"]["color"] == {"value": BLANK}
    one = removal_map(HEADS.assign(importance=[rounding, 1.0, 0.001, 0.0])[columns], "measured").to_dict()
    colour = one["layer"][0]["encoding"]["color"]
    assert colour["value"] == BLANK and colour["condition"]["test"] == f"datum.importance > {ROUNDING}"
    assert rounding < ROUNDING < 0.001
