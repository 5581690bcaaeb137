"""Charts of subjects against each other, through their specifications."""

from typing import Any

import numpy as np
import pandas as pd
import vl_convert

from attn_core.charts.comparison import best_match_map, depth_curves, difference_curve
from attn_core.comparison.match import HeadMatch
from attn_core.measures.statistics import BY_NAME

DISTANCE = BY_NAME["mean_distance"]


def made_curves(low: float = np.nan) -> pd.DataFrame:
    rows = [
        (name, "mean_distance", layer + 1, layer / (layers - 1), 10.0 * layer + layers, 50.0, low, 99.0)
        for name, layers in (("<a>", 3), ("b", 5))
        for layer in range(layers)
    ]
    return pd.DataFrame(rows, columns=["subject", "statistic", "layer", "depth", "value", "chance", "low", "high"])


def made_match() -> HeadMatch:
    correlation = np.random.default_rng(0).uniform(-0.2, 0.9, (4, 6))
    return HeadMatch(correlation, np.full((2, 4, 6), 0.1), ((2, 2), (3, 2)), 300, 1)


def data(spec: dict[str, Any], layer: int) -> list[dict[str, Any]]:
    part = spec["layer"][layer]
    return spec["datasets"][part.get("data", spec.get("data"))["name"]]


def test_a_line_a_subject_with_chance_and_a_band_only_where_there_is_one() -> None:
    bare, banded = (depth_curves(made_curves(low), DISTANCE).to_dict() for low in (np.nan, 1.0))
    assert [part["mark"]["type"] for part in bare["layer"]] == ["line", "line"]
    assert [part["mark"]["type"] for part in banded["layer"]] == ["area", "line", "line"]
    assert bare["layer"][-1]["encoding"]["color"]["scale"]["domain"] == ["<a>", "b"]
    assert "from 3 tokens (<a>, layer 1) to 45 tokens (b, layer 5); chance 50 tokens" in bare["description"]
    vl_convert.vegalite_to_svg(banded)


def test_names_of_subjects_stand_below_each_other_unless_they_only_repeat_the_first() -> None:
    curves = made_curves()
    of_one = curves.replace({"subject": {"b": "<a>, untrained twin"}})
    for layer, shorter in zip(
        *(depth_curves(one, DISTANCE).to_dict()["layer"] for one in (curves, of_one)), strict=True
    ):
        assert layer["encoding"]["color"]["legend"]["columns"] == 1
        assert "min(2, " in shorter["encoding"]["color"]["legend"]["columns"]["expr"]
    drawn = vl_convert.vegalite_to_svg(depth_curves(of_one, DISTANCE).to_dict())
    assert drawn.count(">untrained twin<") == drawn.count(">&lt;a&gt;<") == 1


def test_a_difference_has_its_interval_and_zero() -> None:
    table = pd.DataFrame({"depth": [0.0, 1.0], "first": [3, 4], "second": [1, 9], "difference": [2.0, -5.0]})
    assert len(difference_curve(table, DISTANCE, ("a", "b")).to_dict()["layer"]) == 2
    spec = difference_curve(table.assign(low=-6.0, high=3.0), DISTANCE, ("a", "b")).to_dict()
    assert [part["mark"]["type"] for part in spec["layer"]] == ["rule", "rule", "line"]
    assert "a minus b, by depth: from -5 (depth 1.0) to 2 (depth 0.0)" in spec["description"]
    vl_convert.vegalite_to_svg(spec)


def test_the_best_match_of_every_head_is_named() -> None:
    match = made_match()
    spec = best_match_map(match.table()).to_dict()
    shown = {(row["layer"], row["head"]): row["best"] for row in data(spec, 0)}
    best = int(match.correlation[2].argmax())
    assert shown[2, 1] == f"L{best // 2 + 1}H{best % 2 + 1}"
    vl_convert.vegalite_to_svg(spec)
