"""The charts of the Anchor tokens page, through their specifications."""

import pandas as pd
import pytest

from attn_core.charts.anchors import anchor_grid, uniqueness_curve
from attn_core.charts.style import BLANK, CHANCE
from attn_core.models.controls import COPIES


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


def test_the_token_stands_in_the_cell_where_it_is_above_chance_and_punctuation_by_name() -> None:
    spec = anchor_grid(overview()).to_dict()
    assert [row["shown"] for row in rows(spec)] == ["the", "full\nstop", "##ing", "–", "–", "a"]
    assert [row["in_words"] for row in rows(spec)][1:4] == ["full stop", "##ing (walking)", "none above chance"]
    assert [row["value"] > 0 for row in rows(spec)] == [True, True, True, False, False, True]
    assert spec["layer"][0]["encoding"]["color"]["scale"]["domain"][0] == 0
    words = spec["layer"][1]
    assert words["encoding"]["text"]["field"] == "shown"
    assert words["mark"]["limit"]["expr"].endswith("width / 3) - 3")  # a long token ends in dots at the cell's edge


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


def test_copies_stand_beside_as_grey_lines_with_their_numbers() -> None:
    layers = pd.DataFrame({"layer": [1, 2], "anchor_uniqueness": [0.4, 0.5]})
    copies = {name: layers.assign(anchor_uniqueness=[at, at + 0.1]) for at, name in enumerate(COPIES.values())}
    spec = uniqueness_curve(layers, copies).to_dict()
    lines, _ = spec["layer"]
    drawn = {(row["copy"], row["layer"]): row["anchor_uniqueness"] for row in spec["datasets"][lines["data"]["name"]]}
    assert drawn == {
        (name, layer): at + 0.1 * (layer - 1) for at, name in enumerate(COPIES.values()) for layer in (1, 2)
    }
    assert set(lines["encoding"]["color"]["scale"]["range"]) == {CHANCE}
    assert "untrained copy 5%; shuffled weights 105%" in spec["description"]
