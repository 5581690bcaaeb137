"""The map of a study's anchors shows the numbers of its table and no others."""

import pandas as pd

from attn_core.charts.anchor_stability import stability_map

HEADS = pd.DataFrame(
    {
        "layer": [1, 1],
        "head": [1, 2],
        "anchor": [".", "unquestionably"],
        "anchor_coverage": [0.5, 0.2],
        "chance_anchor_coverage": [0.1, 0.01],
        "anchor_stability": [0.9, 0.1],
        "chance_anchor_stability": [0.3, 0.0],
    }
)


def data(spec: dict) -> list[dict]:
    return next(rows for rows in spec["datasets"].values() if len(rows) > 1)


def test_the_map_names_every_anchor_and_colours_by_its_stability() -> None:
    spec = stability_map(HEADS).to_dict()
    assert [row["shown"] for row in data(spec)] == ["‹.›", "unquestionably"]
    assert spec["layer"][0]["encoding"]["color"]["field"] == "anchor_stability"
    assert spec["layer"][0]["encoding"]["color"]["scale"]["domain"] == [0, 1]
