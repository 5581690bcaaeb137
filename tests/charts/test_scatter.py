"""The scatter of two quantities: every head a point at its values, chance where it is."""

import numpy as np

from attn_core.charts.scatter import Axis, scatter
from attn_core.head import Head
from tests.charts.test_clusters import heads_table

HEADS = heads_table().assign(cluster=["cluster 1", "cluster 2"] * 6)
X = Axis("Mean distance (tokens)", np.linspace(20, 130, 12), 158.0, "~r")
Y = Axis("layer", np.linspace(-1, 1, 12), None, ".1f")
A, B = Head.of_row(1, 2), Head.of_row(3, 4)


def rows(spec: dict, field: str) -> list[dict]:
    """The table with a field that a chart draws."""
    return next(rows for rows in spec["datasets"].values() if field in rows[0])


def marks(spec: dict, kind: str) -> list[dict]:
    return [layer for layer in spec["layer"] if layer["mark"]["type"] == kind]


def test_chance_is_drawn_on_the_axes_that_have_one() -> None:
    for y, drawn in ((Y, ["x"]), (X, ["x", "y"])):
        spec = scatter(HEADS, X, y, "role").to_dict()
        lines = marks(spec, "rule")
        assert [list(line["encoding"]) for line in lines] == [[channel] for channel in drawn]
        assert [spec["datasets"][line["data"]["name"]] for line in lines] == [[{channel: 158.0}] for channel in drawn]
        points = marks(spec, "point")[0]["encoding"]
        assert [channel for channel in "xy" if points[channel]["title"].endswith("; dashed: chance")] == drawn
        assert "chance 158" in scatter(HEADS, X, y, "role").description
