"""The map of heads and the crop of a matrix, through their specifications."""

import re
from itertools import product
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from attn_core.charts.heads import head_map, matrix_crop
from attn_core.charts.paper import to_svg
from attn_core.charts.style import BLANK, DARK_INK, colours
from attn_core.measures.statistics import BY_NAME, STATISTICS, Statistic

LOOK = {"colours": colours("diverging", "dark"), "cut": (-2.0, 2.0), "picked": (1, 3)}


def made_heads(layers: int = 2, heads: int = 3) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    cells = pd.DataFrame(product(range(1, layers + 1), range(1, heads + 1)), columns=["layer", "head"])
    values = {column: rng.random(len(cells)) for s in STATISTICS for column in (s.name, s.chance)}
    values["chance_anchor_coverage"] = 0.0
    return cells.assign(
        **values,
        anchor=["the", "<b>", "=", "##s", "é", "."],
        repeated_tokens="the <b>",
        role="mixed",
        pairs=1000,
        windows=1,
    )


def rows(spec: dict[str, Any], layer: int | None = None) -> list[dict[str, Any]]:
    """The data of a chart, or of one of its layers."""
    part = spec if layer is None or "data" in spec else spec["layer"][layer]
    return spec["datasets"][part["data"]["name"]]


@pytest.mark.parametrize("statistic", STATISTICS, ids=lambda statistic: statistic.name)
def test_every_statistic_has_a_map_of_its_values_coloured_by_their_excess_over_chance(statistic: Statistic) -> None:
    heads = made_heads()
    spec = head_map(heads, statistic).to_dict()
    cells, numbers = spec["layer"][:2]
    assert cells["encoding"]["color"]["field"] == "excess"
    assert numbers["encoding"]["text"]["field"] == statistic.name
    for row, head in zip(rows(spec), heads.to_dict("records"), strict=True):
        assert {name: row[name] for name in ("layer", "head", statistic.name, statistic.chance, "role")} == {
            name: head[name] for name in ("layer", "head", statistic.name, statistic.chance, "role")
        }
        excess = head[statistic.name] - head[statistic.chance]
        assert row["excess"] == pytest.approx(max(excess, 0) if statistic.only_above else excess)
    assert [row["anchor"] for row in rows(spec)] == ["the", "<b>", "=", "##s", "é", "full stop"]


@pytest.mark.parametrize("statistic", STATISTICS, ids=lambda statistic: statistic.name)
def test_too_few_pairs_have_no_colour_and_attention_knows_no_pairs(statistic: Statistic) -> None:
    chart = head_map(made_heads().assign(pairs=29), statistic)
    cells, numbers = chart.to_dict()["layer"][:2]
    blank = statistic.name != "separator_attention"
    assert (cells["encoding"]["color"] == {"value": BLANK}) == blank
    assert (numbers["encoding"]["color"] == {"value": DARK_INK}) == blank
    assert ("too few strong pairs" in chart.description) == blank


def test_a_map_on_which_every_head_is_at_chance_has_a_scale() -> None:
    heads = made_heads().assign(mean_distance=10.0, chance_mean_distance=10.0)
    scale = head_map(heads, BY_NAME["mean_distance"]).to_dict()["layer"][0]["encoding"]["color"]["scale"]
    assert scale["domain"] == [-1, -0.5, 0, 0.5, 1]


def test_a_crop_shows_its_values_with_the_tokens_of_its_place() -> None:
    values = np.arange(6.0).reshape(2, 3)
    tokens = ["[CLS]", "the", "the", "<b>", "sea", "."]
    spec = matrix_crop(values, tokens, start_row=1, start_column=3, label="similarity", **LOOK).to_dict()
    assert rows(spec, 0)[0] == {"row": "1 the", "column": "3 <b>", "first": 1, "second": 3, "value": 0.0}
    assert rows(spec, 0)[5] == {"row": "2 the", "column": "5 full stop", "first": 2, "second": 5, "value": 5.0}
    encoding = spec["layer"][0]["encoding"]
    assert (encoding["x"]["field"], encoding["y"]["field"], encoding["color"]["field"]) == ("column", "row", "value")
    assert encoding["color"]["legend"]["title"] == "similarity"
    assert encoding["x"]["sort"] == {"field": "second"} and encoding["y"]["sort"] == {"field": "first"}


def crop_on_paper(width: int) -> ElementTree.Element:
    """A crop of 24 tokens with long names."""
    tokens = [f"token{position:02}" for position in range(24)]
    chart = matrix_crop(np.eye(24), tokens, 0, 0, "similarity", **LOOK)
    return ElementTree.fromstring(to_svg(chart, "A crop", width))


@pytest.mark.parametrize("width", [490, 321, 900])
def test_cells_of_a_crop_are_square_whatever_the_figure_is(width: int) -> None:
    cells = re.findall(r'd="M[\d.]+,[\d.]+h([\d.]+)v([\d.]+)h', ElementTree.tostring(crop_on_paper(width), "unicode"))
    assert len(cells) >= 24 * 24
    assert all(float(across) == pytest.approx(float(down), abs=0.01) for across, down in cells[1 : 24 * 24])
