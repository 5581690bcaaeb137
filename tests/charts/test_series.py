"""The charts of a series show the numbers of its tables, with steps on a log axis that has a 0."""

import altair as alt
import numpy as np
import pandas as pd
import pytest

from attn_core.charts.series import heads_by_step
from attn_core.measures.statistics import BY_NAME

DISTANCE = BY_NAME["mean_distance"]
STEPS = [0, 50, 100, 800]
HEADS = pd.DataFrame(
    [
        {"step": step, "layer": layer, "head": head, "mean_distance": 10.0 * layer + head + at, "drift": 0.3 * (3 - at)}
        for at, step in enumerate(STEPS)
        for layer in (1, 2)
        for head in (1, 2, 3)
    ]
).assign(chance_mean_distance=40.0, chance_drift=1.0)
LAYERS = HEADS.groupby(["step", "layer"], as_index=False)[["mean_distance", "chance_mean_distance"]].mean()


def rows(chart: alt.LayerChart, number: int) -> pd.DataFrame:
    """The table behind one layer of a chart."""
    return chart.layer[number].data


def test_every_head_is_a_line_in_the_panel_of_its_layer() -> None:
    chart = heads_by_step(HEADS, DISTANCE)
    data = rows(chart, 1)
    assert len(data) == len(HEADS)
    assert (np.floor(data["x"]) + 1 == data["layer"]).all()
    first = data[(data["layer"] == 1) & (data["head"] == 1)]["x"].to_numpy()
    assert first == pytest.approx(0.9 * np.log1p(np.array(STEPS) / 50) / np.log1p(16))
    means = rows(chart, 4).sort_values(["step", "layer"])
    assert means["mean_distance"].tolist() == LAYERS["mean_distance"].tolist()
    assert "15 tokens" not in chart.description and "14 tokens (L1H1) to 26 tokens (L2H3)" in chart.description
