"""The charts of the Anchor tokens page, through their specifications."""

import pandas as pd
import pytest

from attn_core.charts.anchors import anchor_grid, uniqueness_curve
from attn_core.measures.token_coverage import Ranking


def overview(layers: int = 2, heads: int = 3) -> pd.DataFrame:
    cells = [(layer, head) for layer in range(1, layers + 1) for head in range(1, heads + 1)]
    table = pd.DataFrame(cells, columns=["layer", "head"])
    return table.assign(
        anchor=["the", ".", "##ing", "tide", '"', "a"],
        in_words="in words",
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


def test_the_token_stands_in_the_cell_and_punctuation_in_marks() -> None:
    spec = anchor_grid(overview(), "coverage").to_dict()
    assert [row["shown"] for row in rows(spec)] == ["the", "‹.›", "##ing", "tide", '‹"›', "a"]
    words = spec["layer"][1]
    assert words["encoding"]["text"]["field"] == "shown"
    assert words["mark"]["limit"]["expr"].endswith("width / 3) - 3")  # a long token ends in dots at the cell's edge


def test_punctuation_is_larger_and_a_head_without_an_anchor_has_a_dash() -> None:
    spec = anchor_grid(overview().assign(anchor=["the", ".", "", "tide", '"', "a"]), "coverage").to_dict()
    assert [row["shown"] for row in rows(spec)] == ["the", "‹.›", "–", "tide", '‹"›', "a"]
    assert [row["is_mark"] for row in rows(spec)] == [False, True, False, False, True, False]
    assert "datum.is_mark ? 1.6" in spec["layer"][1]["mark"]["fontSize"]["expr"]


@pytest.mark.parametrize(("by", "field"), [("coverage", "excess"), ("lift", "doublings")])
def test_the_colour_is_coverage_minus_chance_or_lift(by: Ranking, field: str) -> None:
    spec = anchor_grid(overview(), by).to_dict()
    assert spec["layer"][0]["encoding"]["color"]["field"] == field
    assert rows(spec)[0]["excess"] == pytest.approx(0.3)
    assert 2 ** rows(spec)[0]["doublings"] == pytest.approx(0.5 / 0.15)
    assert "chance_coverage" in str(spec["layer"][0]["encoding"]["tooltip"])


def test_uniqueness_over_texts_lies_in_its_band_beside_independent_heads() -> None:
    columns = {"anchor_uniqueness": 0.4, "anchor_uniqueness_low": 0.3, "anchor_uniqueness_high": 0.6, "own_places": 0.5}
    spec = uniqueness_curve(pd.DataFrame({"layer": [1, 2]}).assign(**columns)).to_dict()
    band, lines = spec["layer"]
    assert (band["encoding"]["y"]["field"], band["encoding"]["y2"]["field"]) == (
        "anchor_uniqueness_low", "anchor_uniqueness_high",
    )  # fmt: skip
    drawn = spec["datasets"][lines["data"]["name"]]
    assert {row["kind"] for row in drawn} == {"anchor_uniqueness", "own_places"}
