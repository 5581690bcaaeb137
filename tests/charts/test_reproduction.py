"""The grid of verdicts and the specification curve show the numbers of their tables."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import altair as alt
import pandas as pd
import pytest
from attn_core.findings.bars import BY_EFFECT
from attn_core.reproduction.conclusions import curve_table
from attn_core.reproduction.curves import drawn_curve
from attn_core.reproduction.opened import open_reproduction

from attn_core.charts.reproduction import Effects, specification_curve, verdict_grid
from attn_core.charts.style import ACCENT

SAMPLE = Path(__file__).parents[2] / "attn_core" / "reproduction" / "sample" / "minilm-on-sample-texts"
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
CELLS = pd.DataFrame(
    {
        "row": ["own_pairs", "repeating"] * 2,
        "name": ["C1 Own matrices", "C4 Repetition"] * 2, "model": "org/tiny",
        "subject": ["tiny"] * 2 + ["tiny\nuntrained twin"] * 2,
        "verdict": ["as in the paper", "depends on the choices", "no clear sign", "not asked"],
        "how_many": ["90 of 90", "as in paper 30, unclear 60", "80 of 90", "90 of 90"],
        "number": ["93% [92, 94]", "+40 points [+28, +52]", "99% [98, 99]", ""],
        "chosen": [True, False, False, False],
    }
)  # fmt: skip


def layers(chart: alt.LayerChart, mark: str) -> list[Any]:
    return [layer for layer in chart.layer if layer.to_dict()["mark"]["type"] == mark]


def test_a_cell_tells_verdict_choices_and_every_effect() -> None:
    chart = verdict_grid(CELLS)
    assert chart.data["told"].tolist()[:2] == [
        "as in the paper · 90 of 90 · 93% [92, 94]",
        "depends · as in paper 30, … · +40 pts [+28, +52]",
    ]
    assert chart.to_dict()["params"][0]["select"]["fields"] == ["row", "model"]
    assert "2 rows of claims by 2 subjects. tiny: 1 as in the paper, 1 depends on the choices" in chart.description


def test_of_many_subjects_a_cell_tells_what_its_width_holds_and_every_name_stands() -> None:
    many = pd.concat([CELLS[:2].assign(subject=f"model {number}, untrained twin") for number in range(12)])
    chart = verdict_grid(many.reset_index(drop=True))
    assert chart.data["told"].tolist()[:2] == ["as in paper\n90 of 90\n93%", "depends\nas in paper 30\n+40 pts"]
    axis = chart.layer[0].to_dict()["encoding"]["x"]["axis"]
    assert axis["labelOverlap"] is False and axis["labelLimit"] == {"expr": "width / 12 - 4"}, "cut, and not drawn over"
    assert "replace(datum.label, ' twin', '')" in axis["labelExpr"]
    assert chart.data["number"][0] == "93% [92, 94]", "the interval is told where one points"


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


def test_a_measured_curve_is_not_pressed_flat_by_a_control_far_off() -> None:
    reproduction = open_reproduction(SAMPLE)
    noise = curve_table(reproduction.verdicts, "noise", reproduction.models[0])
    assert noise["untrained"].max() > 20 * noise["effect"].max()  # else this text says nothing
    chart = drawn_curve(noise, BY_EFFECT["noise"])
    (points,) = [layer for layer in chart.to_dict()["layer"] if layer["mark"]["type"] == "circle"]
    top = points["encoding"]["y"]["scale"]["domain"][1]
    assert noise["effect"].max() < top < 5 * max(noise["effect"].max(), noise["chance"].max())
    assert max(layer.data["shown"].max() for layer in layers(chart, "point")) <= top


@pytest.mark.parametrize("paper", [-0.30, None])
def test_the_legend_names_what_is_there(paper: float | None) -> None:
    chart = specification_curve(CURVE, CHOICES, replace(EFFECTS, paper=paper))
    (points,) = layers(chart, "circle")
    scale = points.to_dict()["encoding"]["color"]["scale"]
    wanted = ["as in the paper", "no clear sign", "untrained twin", "shuffled text", "chance (dashed)"]
    assert scale["domain"] == wanted + (["a summary of the paper"] if paper else [])
    assert (ACCENT in scale["range"]) == bool(paper)
    alone = specification_curve(CURVE.assign(untrained=float("nan"), shuffled=float("nan")), CHOICES, EFFECTS)
    assert len(layers(chart, "point")) == 2 and not layers(alone, "point")
    assert "3 combinations: -20% to +10%; chance +0% to +0%; untrained twin +1% to +3%" in chart.description
