"""The specification curve shows the numbers of its table."""

from typing import Any

import altair as alt
import pandas as pd

from attn_core.charts.reproduction import Effects, specification_curve

EFFECTS = Effects("Change of reach", "+.0%", (-0.15, 0.05), -0.30)
CURVE = pd.DataFrame(
    {
        "rank": [1, 2, 3], "measure": ["dot", "cosine", "dot"], "layout": ["plain", "plain", "separated"],
        "effect": [-0.2, 0.0, 0.1], "low": [-0.25, -0.02, -9.0], "high": [-0.16, 0.02, 9.0], "chance": 0.0,
        "untrained": [0.01, 0.02, 0.03], "shuffled": [-0.1, -0.05, None],
        "verdict": ["as in the paper", "no clear sign", "no clear sign"],
    }
)  # fmt: skip
CHOICES = {
    "measure": [("dot", "scalar product"), ("cosine", "cosine")],
    "layout": [("plain", "plain layout"), ("separated", "separated layout")],
}


def layers(chart: alt.LayerChart, mark: str) -> list[Any]:
    return [layer for layer in chart.layer if layer.to_dict()["mark"]["type"] == mark]


def test_every_combination_stands_at_its_effect_and_at_its_choices() -> None:
    chart = specification_curve(CURVE, CHOICES, EFFECTS)
    (points,) = layers(chart, "circle")
    assert points.data["effect"].tolist() == [-0.2, 0.0, 0.1]
    assert points.to_dict()["encoding"]["y"]["title"] == EFFECTS.title
    (marks,) = layers(chart, "tick")
    assert marks.data.groupby("choice")["rank"].apply(list).to_dict() == {
        "cosine": [2], "plain layout": [1, 2], "scalar product": [1, 3], "separated layout": [3],
    }  # fmt: skip
    names = next(layer for layer in layers(chart, "text") if "words" in layer.data)
    places = dict(zip(names.data["words"], names.data["effect"], strict=True))
    assert marks.data.groupby("choice")["effect"].first().to_dict() == places
    assert list(places.values()) == sorted(places.values(), reverse=True)
    assert max(places.values()) < -0.30, "below all that the curve shows"


def test_intervals_that_leave_the_picture_end_at_its_edge() -> None:
    domain = specification_curve(CURVE, CHOICES, EFFECTS).to_dict()
    (points,) = [layer for layer in domain["layer"] if layer["mark"]["type"] == "circle"]
    low, high = points["encoding"]["y"]["scale"]["domain"]
    assert high < 1 and low > -2
    (spans,) = [one for one in layers(specification_curve(CURVE, CHOICES, EFFECTS), "rule") if "shown_low" in one.data]
    assert spans.data["shown_high"].tolist()[:2] == [-0.16, 0.02] and spans.data["shown_high"].iloc[2] == high


def test_a_control_far_beyond_is_a_triangle_at_the_edge_and_leaves_the_curve_readable() -> None:
    chart = specification_curve(CURVE.assign(untrained=[0.01, -50.0, 200.0]), CHOICES, EFFECTS)
    (points,) = [layer for layer in chart.to_dict()["layer"] if layer["mark"]["type"] == "circle"]
    assert points["encoding"]["y"]["scale"]["domain"][1] < 1
    twins = layers(chart, "point")[0].data
    assert twins["shape"].tolist() == ["diamond", "triangle-down", "triangle-up"]
    assert twins["untrained"].tolist() == [0.01, -50, 200], "the pointer tells where it is"
    assert twins["shown"].iloc[1] < -0.2 and twins["shown"].iloc[2] == points["encoding"]["y"]["scale"]["domain"][1]
