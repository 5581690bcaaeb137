"""Scatter plot of the heads by two statistics, coloured by role or by cluster."""

from collections.abc import Sequence
from typing import Any

import altair as alt
import pandas as pd

from attn_core.charts.clusters import NONE, Group, colours_of_groups
from attn_core.charts.descriptions import chance_of
from attn_core.charts.style import DASHED, POINT, click, layered, legend_columns, letters, tip
from attn_core.measures.few_pairs import too_few
from attn_core.measures.statistics import Statistic


def scatter(
    heads: pd.DataFrame, x: Statistic, y: Statistic, by: Group | None = None, tooltip: Sequence[str] = ()
) -> alt.LayerChart:
    """A point for each head, mean chance levels dashed.

    heads: layer, head, both statistics with chance, and the columns of colour and tooltip. tooltip: further columns.
    """
    columns = dict.fromkeys(["layer", "head", x.name, y.name, *([by] if by else []), *tooltip])
    data = heads[list(columns)]
    across, up = alt.X(f"{x.name}:Q", **_axis(heads, x)), alt.Y(f"{y.name}:Q", **_axis(heads, y))
    tips = [tip("layer:O"), tip("head:O"), *(tip(f"{one.name}:Q", one.format, one.label) for one in (x, y))]
    tips += [tip(f"{column}:Q", ".3f") for column in tooltip]
    points = alt.Chart(data).mark_point(filled=True, size=70, opacity=0.9, cursor="pointer")
    lines = [
        alt.Chart(pd.DataFrame({"at": [heads[x.chance].mean()]})).mark_rule(**DASHED).encode(x=alt.X("at:Q")),
        alt.Chart(pd.DataFrame({"at": [heads[y.chance].mean()]})).mark_rule(**DASHED).encode(y=alt.Y("at:Q")),
    ]
    return layered(
        [
            *lines,
            points.encode(x=across, y=up, color=_colour(heads, by), tooltip=tips).add_params(click()),
            *(mark.encode(x=across, y=up) for mark in letters(data)),
        ],
        height=390,
        description=f"{len(data)} heads by {_range(heads, x)} and {_range(heads, y)}.",
    )


def _axis(heads: pd.DataFrame, of: Statistic) -> dict[str, Any]:
    """Title, scale and axis, without labels below zero where no value is: there is only room for points."""
    labels = alt.Undefined if heads[of.name].min() < 0 else "datum.value < 0 ? '' : datum.label"
    return {
        "title": f"{of.axis_title}; dashed: chance",
        "scale": alt.Scale(zero=False, nice=False, padding=16),
        "axis": alt.Axis(format=of.axis_format, labelExpr=labels),
    }


def _colour(heads: pd.DataFrame, by: Group | None) -> alt.Color | alt.ColorValue:
    if by is None or too_few(heads):
        return alt.ColorValue(POINT if by is None else NONE)
    names, colours = colours_of_groups(heads, by)
    legend = alt.Legend(title=None, orient="top", columns=legend_columns(names))
    return alt.Color(f"{by}:N", scale=alt.Scale(domain=names, range=colours), legend=legend)


def _range(heads: pd.DataFrame, of: Statistic) -> str:
    low, high = of.text(heads[of.name].min()), of.text(heads[of.name].max())
    return f"{of.label} ({low} to {high}, {chance_of(heads, of)})"
