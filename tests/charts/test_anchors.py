"""The charts of the Anchor tokens page, through their specifications."""

import pandas as pd
import pytest

from attn_core.charts.anchors import anchor_grid
from attn_core.charts.style import BLANK


def overview(layers: int = 2, heads: int = 3) -> pd.DataFrame:
    cells = [(layer, head) for layer in range(1, layers + 1) for head in range(1, heads + 1)]
    table = pd.DataFrame(cells, columns=["layer", "head"])
    return table.assign(
        anchor=["the", ".", "##ing", "tide", '"', "a"],
        in_words=["the", ".", "##ing (walking)", "tide", '"', "a"],
        is_anchor=lambda t: t["anchor"] != "",
        coverage=[0.5, 0.4, 0.3, 0.2, 0.1, 0.6],
        chance_coverage=0.2,
        chance_token_coverage=0.15,
        lift=lambda t: t["coverage"] / t["chance_token_coverage"],
        occurrences=4,
        runners_up="a 10%",
    )


def rows(spec: dict, layer: int = 0) -> list[dict]:
    data = spec["layer"][layer].get("data") or spec["data"]
    return spec["datasets"][data["name"]]


def test_a_head_without_an_anchor_has_a_dash_and_where_none_has_one_there_is_no_colour() -> None:
    some = overview().assign(is_anchor=[True, True, False, True, True, False])
    assert [row["shown"] for row in rows(anchor_grid(some).to_dict())][2::3] == ["–", "–"]
    chart = anchor_grid(overview().assign(is_anchor=False))
    assert chart.to_dict()["layer"][0]["encoding"]["color"] == {"value": BLANK}
    assert {row["shown"] for row in rows(chart.to_dict())} == {"–"} and "none above chance" in chart.description


def test_the_colour_is_coverage_minus_chance() -> None:
    spec = anchor_grid(overview()).to_dict()
    assert spec["layer"][0]["encoding"]["color"]["field"] == "value"
    assert rows(spec)[0]["value"] == pytest.approx(0.3)
    assert "chance_coverage" in str(spec["layer"][0]["encoding"]["tooltip"])
