"""Heads in charts: a click selects one, and A and B are marked."""

from collections.abc import Sequence
from typing import Any

import altair as alt
import pandas as pd

from attn_core.charts.style import A, B
from attn_core.head import Head

IS_A = "datum.layer == head_a.layer && datum.head == head_a.head"
IS_B = f"datum.layer == head_b.layer && datum.head == head_b.head && !({IS_A})"  # a head that is both is marked as A
SELECTION = "cell"  # the name of the selection that a click makes
Figure = alt.LayerChart


def marked(chart: alt.LayerChart, a: Head, b: Head) -> alt.LayerChart:
    """The chart with marks for the heads A and B, which are parameters: see `style.layered`."""
    tooltip = [
        alt.VariableParameter(name=f"head_{which}", value={"layer": head.row[0], "head": head.row[1]})
        for which, head in (("a", a), ("b", b))
    ]
    copy: Any = chart.copy(deep=False)
    copy.params = [*(one for one in copy.params if not isinstance(one, alt.VariableParameter)), *tooltip]
    return copy


def click(fields: Sequence[str] = ("layer", "head")) -> alt.Parameter:
    """A click selects what is under the pointer, by these columns; of a head its layer and number."""
    return alt.selection_point(name=SELECTION, fields=list(fields), on="click", empty=False)


def letters(data: pd.DataFrame) -> list[alt.Chart]:
    """A ring around the point of A and of B, and the letter beside it; to be encoded with the points' places."""
    return [
        mark
        for which, here, stroke in (("A", IS_A, A), ("B", IS_B, B))
        for chart in [alt.Chart(data).transform_filter(here)]
        for mark in (
            chart.mark_point(size=330, shape="circle", filled=False, stroke=stroke, strokeWidth=3, opacity=1),
            chart.mark_text(align="right", dx=-12, fontSize=14, fontWeight="bold", color=stroke, text=which),
        )
    ]
