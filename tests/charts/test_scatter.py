"""The scatter of two quantities: every head a point at its values, chance where it is, labels at their points."""

from dataclasses import replace

import numpy as np
import pandas as pd
import vl_convert

from attn_core.charts.clusters import role_map
from attn_core.charts.marks import Marked
from attn_core.charts.scatter import CROWDED, LABEL, NARROW, POINT, Axis, have_room, label_offsets, scatter
from attn_core.head import Head
from tests.charts.test_clusters import heads_table

HEADS = heads_table().assign(cluster=["cluster 1", "cluster 2"] * 6)
X = Axis("Mean distance (tokens)", np.linspace(20, 130, 12), 158.0, "~r")
Y = Axis("component 1 (40% of the variance)", np.linspace(-1, 1, 12), None, ".1f")
A, B = Head.of_row(1, 2), Head.of_row(3, 4)


def rows(spec: dict, field: str) -> list[dict]:
    """The table with a field that a chart draws."""
    return next(rows for rows in spec["datasets"].values() if field in rows[0])


def marks(spec: dict, kind: str) -> list[dict]:
    return [layer for layer in spec["layer"] if layer["mark"]["type"] == kind]


def test_no_number_stands_below_zero_where_no_value_does() -> None:
    from_zero, below = (replace(X, values=X.values - off) for off in (20, 75))
    for axis, hidden in ((from_zero, True), (below, False)):
        chart = Marked(scatter(HEADS, axis, from_zero, "role", None), A, B)
        drawn = vl_convert.vegalite_to_svg(chart.to_dict() | {"width": 300})
        assert (">−" not in drawn) is hidden


def test_chance_is_drawn_on_the_axes_that_have_one() -> None:
    for y, drawn in ((Y, ["x"]), (X, ["x", "y"])):
        spec = scatter(HEADS, X, y, "role", None).to_dict()
        lines = marks(spec, "rule")
        assert [list(line["encoding"]) for line in lines] == [[channel] for channel in drawn]
        assert [spec["datasets"][line["data"]["name"]] for line in lines] == [[{channel: 158.0}] for channel in drawn]
        points = marks(spec, "point")[0]["encoding"]
        assert [channel for channel in "xy" if points[channel]["title"].endswith("; dashed: chance")] == drawn
        assert "chance 158" in scatter(HEADS, X, y, "role", None).description


def test_heads_that_were_not_brushed_are_pale_in_the_scatter_and_on_the_map() -> None:
    chosen = [Head.of_row(1, 1), Head.of_row(2, 3)]
    for chart in (scatter(HEADS, X, Y, "role", None, chosen), role_map(HEADS, chosen)):
        bright = pd.DataFrame(rows(chart.to_dict(), "bright")).query("bright")
        assert list(zip(bright["layer"], bright["head"], strict=True)) == [(1, 1), (2, 3)]
    assert all(row["bright"] for row in rows(scatter(HEADS, X, Y, "role", None).to_dict(), "bright"))


def test_labels_stay_at_their_points_and_off_each_other() -> None:
    points = np.random.default_rng(0).uniform(size=(30, 2))
    offsets = label_offsets(points)
    nearest = np.maximum(np.abs(offsets) - LABEL / 2, 0)  # from the point to the label's edge
    assert (np.hypot(*nearest.T) <= 16).all()
    assert (np.abs(offsets) >= (LABEL + POINT) / 2 - 1).any(axis=1).all()  # beside the point, not on it
    places = (points - points.min(axis=0)) / np.ptp(points, axis=0) * NARROW * [1, -1] + offsets
    places = places[have_room(points, offsets, NARROW)]
    gaps = np.abs(places[:, None] - places)[~np.eye(len(places), dtype=bool)] / LABEL
    assert len(places) > 20 and not (gaps < 1 - CROWDED).all(axis=1).any()
    assert label_offsets(np.zeros((3, 2))).shape == (3, 2)


def test_a_screen_names_the_heads_whose_names_have_room_there() -> None:
    near = replace(X, values=np.r_[np.linspace(0, 0.3, 11), 1.0])
    spec = Marked(scatter(HEADS, near, replace(Y, values=np.zeros(len(HEADS))), "role", None), A, B).to_dict()
    narrow, wide = (
        sum(f">{Head.of_row(*head)}<" in drawn for head in zip(HEADS["layer"], HEADS["head"], strict=True))
        for drawn in (vl_convert.vegalite_to_svg(spec | {"width": width}) for width in (400, 900))
    )
    assert 6 <= narrow < wide
