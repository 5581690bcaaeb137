"""The charts of distances, through their specifications."""

from typing import Any

import altair as alt
import pandas as pd
import pytest
import vl_convert

from attn_core.charts.distances import distance_distribution, distances_at_a_glance, layer_curve, share_sensitivity
from attn_core.charts.marks import IS_A, IS_B, SELECTION
from attn_core.charts.style import ACCENT, CHANCE, CHANCE_DASH, POINT, A, B
from attn_core.measures.statistics import BY_NAME, Statistic
from attn_core.measures.window_counts import add_up, count_window
from tests.charts.test_heads import made_heads
from tests.measures.made_up import made_passage, measured, random_choice

DISTANCE = BY_NAME["mean_distance"]
HEADS = made_heads()
LAYERS = HEADS.groupby("layer").mean(numeric_only=True).reset_index()
BINNED = add_up([count_window(measured(random_choice(made_passage([0] * 30), 40, seed=1)))]).distance_bins
CURVES = pd.concat([LAYERS.assign(share=share) for share in (0.001, 0.0031, 0.0034, 0.1)], ignore_index=True)


def layers_of(chart: alt.LayerChart) -> list[dict[str, Any]]:
    """The layers of a chart, each with its rows under "rows"."""
    spec = chart.to_dict()
    common = spec.get("data")
    return [{**layer, "rows": spec["datasets"][layer.get("data", common)["name"]]} for layer in spec["layer"]]


def values(layer: dict[str, Any], field: str) -> list[float]:
    return [row[field] for row in layer["rows"]]


def mark(layer: dict[str, Any]) -> str:
    return layer["mark"]["type"]


@pytest.mark.parametrize("statistic", [DISTANCE, BY_NAME["same_sentence_share"]], ids=lambda s: s.name)
def test_a_curve_shows_every_head_the_mean_of_each_layer_and_chance_dashed(statistic: Statistic) -> None:
    points, chance, mean = layers_of(layer_curve(HEADS, LAYERS, statistic))
    assert [mark(layer) for layer in (points, chance, mean)] == ["circle", "line", "line"]
    assert values(points, statistic.name) == HEADS[statistic.name].tolist()
    assert values(mean, statistic.name) == LAYERS[statistic.name].tolist()
    assert values(chance, statistic.chance) == LAYERS[statistic.chance].tolist()
    assert points["encoding"]["y"]["field"] == mean["encoding"]["y"]["field"] == statistic.name
    assert chance["encoding"]["y"]["field"] == statistic.chance
    assert (chance["mark"]["strokeDash"], chance["mark"]["color"]) == (CHANCE_DASH, CHANCE)
    assert points["encoding"]["x"]["title"].endswith("dashed: chance"), "a word in the picture would cover heads"
    assert all(layer["encoding"]["x"]["field"] == "layer" for layer in (points, chance, mean))


def test_a_point_can_be_clicked_and_heads_a_and_b_are_marked() -> None:
    points, *_, ring, letter, _, other = layers_of(layer_curve(HEADS, LAYERS, DISTANCE, ringed=True))
    (click,) = layer_curve(HEADS, LAYERS, DISTANCE).to_dict()["params"]
    assert (click["name"], click["select"]["fields"]) == (SELECTION, ["layer", "head"])
    assert (ring["transform"], other["transform"]) == ([{"filter": IS_A}], [{"filter": IS_B}])
    assert (letter["mark"]["text"], other["mark"]["text"]) == ("A", "B")
    assert ring["encoding"]["xOffset"] == points["encoding"]["xOffset"]
    assert points["mark"]["opacity"] == 1


@pytest.mark.parametrize("ground", ["#ffffff", "#0e1117"], ids=["light", "dark"])
@pytest.mark.parametrize("colour", [POINT, ACCENT, CHANCE, A, B])
def test_what_is_drawn_stands_out_on_both_grounds(colour: str, ground: str) -> None:
    darker, lighter = sorted(map(luminance, (colour, ground)))
    assert (lighter + 0.05) / (darker + 0.05) >= 3


def luminance(colour: str) -> float:
    """Relative luminance as in WCAG 2."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_the_mean_lies_in_its_band_where_there_is_one() -> None:
    low, high = DISTANCE.bounds
    banded = LAYERS.assign(**{low: LAYERS[DISTANCE.name] - 1, high: LAYERS[DISTANCE.name] + 2})
    _, band, *_, mean = layers_of(layer_curve(HEADS, banded, DISTANCE))
    assert mark(band) == "area"
    assert (band["encoding"]["y"]["field"], band["encoding"]["y2"]["field"]) == (low, high)
    assert values(band, low) == [value - 1 for value in values(mean, DISTANCE.name)]
    assert {low, high} <= {told.get("field") for told in mean["encoding"]["tooltip"]}


def test_a_curve_names_its_axes_with_the_unit() -> None:
    def title(statistic: Statistic) -> str:
        return layers_of(layer_curve(HEADS, LAYERS, statistic))[0]["encoding"]["y"]["title"]

    assert title(DISTANCE) == "Mean distance (tokens)"
    assert title(DISTANCE.over("words")) == "Mean distance (words)"
    assert title(BY_NAME["same_sentence_share"]) == "Same sentence"


def test_the_overview_of_distances_shows_the_table_of_bins() -> None:
    cells, numbers = layers_of(distances_at_a_glance(BINNED))
    assert (cells["encoding"]["x"]["field"], cells["encoding"]["y"]["field"]) == ("distance", "layer")
    assert cells["encoding"]["x"]["title"] == "distance (tokens)"
    assert cells["encoding"]["x"]["sort"] == {"field": "start"}
    assert numbers["encoding"]["text"]["field"] == "ratio"
    assert [told["field"] for told in cells["encoding"]["tooltip"]] == [
        "layer",
        "distance",
        "share",
        "chance_share",
        "ratio",
    ]
    for name in BINNED:
        assert values(cells, name) == BINNED[name].tolist()


def test_the_overview_colours_by_doublings_around_chance() -> None:
    binned = BINNED.head(3).assign(ratio=[1.0, 8.0, 0.0])
    cells, _ = layers_of(distances_at_a_glance(binned))
    assert values(cells, "doublings") == [0, 3, -4]  # nothing at all counts as a sixteenth
    assert cells["encoding"]["color"]["scale"]["domain"] == [-4, -2, 0, 2, 4]


def test_a_distribution_has_bars_for_strong_pairs_and_ticks_for_chance() -> None:
    one = BINNED[BINNED["layer"] == 2]
    bars, ticks = layers_of(distance_distribution(one))
    assert (mark(bars), mark(ticks)) == ("bar", "tick")
    assert values(bars, "share") == one["share"].tolist()
    assert values(ticks, "chance_share") == one["chance_share"].tolist()
    assert (bars["encoding"]["y"]["field"], ticks["encoding"]["y"]["field"]) == ("share", "chance_share")
    assert ticks["mark"]["color"] == CHANCE


def test_sensitivity_has_a_line_for_every_share_a_thick_one_for_the_chosen_and_chance() -> None:
    lines, chance = layers_of(share_sensitivity(CURVES, DISTANCE, chosen=0.1))
    assert values(lines, "mean_distance") == CURVES["mean_distance"].tolist()
    assert values(lines, "chosen") == (CURVES["share"] == 0.1).tolist()
    assert (lines["encoding"]["y"]["field"], lines["encoding"]["color"]["field"]) == ("mean_distance", "percent")
    assert (chance["encoding"]["y"]["field"], chance["encoding"]["y"]["aggregate"]) == ("chance_mean_distance", "mean")
    assert chance["mark"]["strokeDash"] == CHANCE_DASH


def test_shares_that_are_close_keep_lines_of_their_own() -> None:
    lines, _ = layers_of(share_sensitivity(CURVES, DISTANCE, chosen=0.1))
    assert list(dict.fromkeys(values(lines, "percent"))) == ["0.1%", "0.31%", "0.34%", "10%"]


@pytest.mark.parametrize(
    "chart",
    [
        layer_curve(HEADS, LAYERS, DISTANCE), distances_at_a_glance(BINNED), distance_distribution(BINNED),
        share_sensitivity(CURVES, DISTANCE, 0.1),
    ],
    ids=["curve", "overview", "distribution", "sensitivity"],
)  # fmt: skip
def test_charts_can_be_drawn(chart: alt.LayerChart) -> None:
    drawn = vl_convert.vegalite_to_svg(chart.to_json())
    assert drawn.startswith("<svg")
    assert "NaN" not in drawn


@pytest.mark.parametrize(("name", "tick"), [("same_sentence_share", "20%"), ("noise_rate", "0.2")])
def test_an_axis_has_no_more_decimals_than_its_numbers_need(name: str, tick: str) -> None:
    drawn = vl_convert.vegalite_to_svg(layer_curve(HEADS, LAYERS, BY_NAME[name]).to_dict() | {"width": 300})
    assert f">{tick}<" in drawn
