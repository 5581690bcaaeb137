"""The charts of distances, through their specifications."""

from typing import Any

import altair as alt
import pandas as pd
import pytest
import vl_convert

from attn_core.charts.distances import distances_at_a_glance, layer_curve, share_sensitivity
from attn_core.charts.style import ACCENT, CHANCE, POINT, A, B
from attn_core.measures.statistics import BY_NAME
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


def test_the_overview_colours_by_doublings_around_chance() -> None:
    binned = BINNED.head(3).assign(ratio=[1.0, 8.0, 0.0])
    cells, _ = layers_of(distances_at_a_glance(binned, "words"))
    assert cells["encoding"]["x"]["title"] == "distance (words)"
    assert values(cells, "doublings") == [0, 3, -4]  # nothing at all counts as a sixteenth
    assert cells["encoding"]["color"]["scale"]["domain"] == [-4, -2, 0, 2, 4]


def test_shares_that_are_close_keep_lines_of_their_own() -> None:
    lines, _ = layers_of(share_sensitivity(CURVES, DISTANCE, chosen=0.1))
    assert list(dict.fromkeys(values(lines, "percent"))) == ["0.1%", "0.31%", "0.34%", "10%"]


@pytest.mark.parametrize(("name", "tick"), [("same_sentence_share", "20%"), ("noise_rate", "0.2")])
def test_an_axis_has_no_more_decimals_than_its_numbers_need(name: str, tick: str) -> None:
    drawn = vl_convert.vegalite_to_svg(layer_curve(HEADS, LAYERS, BY_NAME[name]).to_dict() | {"width": 300})
    assert f">{tick}<" in drawn
