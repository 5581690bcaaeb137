"""Charts of subjects against each other, through their specifications."""

import numpy as np
import pandas as pd
import vl_convert

from attn_core.charts.comparison import depth_curves
from attn_core.measures.statistics import BY_NAME

DISTANCE = BY_NAME["mean_distance"]


def made_curves(low: float = np.nan) -> pd.DataFrame:
    rows = [
        (name, "mean_distance", layer + 1, layer / (layers - 1), 10.0 * layer + layers, 50.0, low, 99.0)
        for name, layers in (("<a>", 3), ("b", 5))
        for layer in range(layers)
    ]
    return pd.DataFrame(rows, columns=["subject", "statistic", "layer", "depth", "value", "chance", "low", "high"])


def test_a_line_a_subject_with_chance_and_a_band_only_where_there_is_one() -> None:
    bare, banded = (depth_curves(made_curves(low), DISTANCE).to_dict() for low in (np.nan, 1.0))
    assert [part["mark"]["type"] for part in bare["layer"]] == ["line", "line"]
    assert [part["mark"]["type"] for part in banded["layer"]] == ["area", "line", "line"]
    assert bare["layer"][-1]["encoding"]["color"]["scale"]["domain"] == ["<a>", "b"]
    assert "from 3 tokens (<a>, layer 1) to 45 tokens (b, layer 5); chance 50 tokens" in bare["description"]
    vl_convert.vegalite_to_svg(banded)
