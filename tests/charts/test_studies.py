"""The charts of a study show the numbers of its tables and no others."""

import pandas as pd

from attn_core.charts.studies import banded_curve, stability_map
from attn_core.measures.statistics import BY_NAME

LAYERS = pd.DataFrame(
    {
        "layer": [1, 2, 3],
        "mean_distance": [120.0, 90.0, 70.0],
        "mean_distance_low": [110.0, 85.0, 66.0],
        "mean_distance_high": [130.0, 99.0, 71.0],
        "chance_mean_distance": [150.0] * 3,
    }
)
HEADS = pd.DataFrame(
    {
        "layer": [1, 1],
        "head": [1, 2],
        "anchor": ["the", "unquestionably"],
        "anchor_coverage": [0.5, 0.2],
        "chance_anchor_coverage": [0.1, 0.01],
        "anchor_stability": [0.9, 0.1],
    }
)


def data(spec: dict) -> list[dict]:
    return next(rows for rows in spec["datasets"].values() if len(rows) > 1)


def test_a_curve_has_its_band_its_line_and_its_chance_level() -> None:
    spec = banded_curve(LAYERS, BY_NAME["mean_distance"]).to_dict()
    assert data(spec) == LAYERS.to_dict("records")
    fields = [(layer["mark"]["type"], layer["encoding"]["y"]["field"]) for layer in spec["layer"]]
    assert fields == [
        ("area", "mean_distance_low"), ("line", "chance_mean_distance"), ("text", "chance_mean_distance"),
        ("line", "mean_distance"),
    ]  # fmt: skip
    assert spec["layer"][0]["encoding"]["y2"]["field"] == "mean_distance_high"


def test_the_map_names_every_anchor_and_colours_by_its_stability() -> None:
    spec = stability_map(HEADS).to_dict()
    assert [row["short"] for row in data(spec)] == ["the", "unquestio"]
    assert spec["layer"][0]["encoding"]["color"]["field"] == "anchor_stability"
    assert spec["layer"][0]["encoding"]["color"]["scale"]["domain"] == [0, 1]
