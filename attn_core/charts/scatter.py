"""Two quantities of the heads against each other: a point a head, coloured by role or by cluster."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from attn_core.charts.clusters import NONE, Group, colours_of_groups
from attn_core.charts.described import number
from attn_core.charts.marks import click, letters
from attn_core.charts.style import DASHED, POINT, layered, legend_columns, tip
from attn_core.measures.few_pairs import too_few


@dataclass(frozen=True, eq=False)
class Axis:
    """A quantity of every head. label: with its unit; values: (H,); chance: its level, None where it has none."""

    label: str
    values: np.ndarray
    chance: float | None
    format: str


def scatter(
    heads: pd.DataFrame, x: Axis, y: Axis, by: Group | None = None, tooltip: Sequence[alt.Tooltip] = ()
) -> alt.LayerChart:
    """Every head a point, chance dashed. heads: layer, head and what colour and tooltip name, in the axes' order.

    by: what the colours are of. tooltip: more that a pointer tells.
    """
    data = heads.assign(x=x.values, y=y.values)
    places: dict[str, Any] = {
        channel: of(
            f"{channel}:Q", title=_title(axis), scale=alt.Scale(zero=False, nice=False, padding=16), axis=_axis(axis)
        )
        for channel, axis, of in (("x", x, alt.X), ("y", y, alt.Y))
    }
    tips = [
        tip("layer:O"), tip("head:O"), tip("x:Q", x.format, x.label), tip("y:Q", y.format, y.label), *tooltip,
    ]  # fmt: skip
    colour: Any = alt.ColorValue(POINT)
    if by:
        colour = alt.ColorValue(NONE) if too_few(heads) else _colour(data, by)
    points = alt.Chart(data).mark_point(filled=True, size=70, opacity=0.9, cursor="pointer")
    rings = [mark.encode(**places) for mark in letters(data)]
    return layered(
        [*_chance(x, y), points.encode(**places, color=colour, tooltip=tips).add_params(click()), *rings],
        height=390,
        description=f"{len(data)} heads by {_tooltip(x)} and {_tooltip(y)}.",
    )


def _chance(x: Axis, y: Axis) -> list[alt.Chart]:
    """A dashed line at the chance level of each axis that has one."""
    across, up = (alt.Chart(pd.DataFrame({"at": [axis.chance]})).mark_rule(**DASHED) for axis in (x, y))
    lines = [across.encode(x=alt.X("at:Q")), up.encode(y=alt.Y("at:Q"))]
    return [line for line, axis in zip(lines, (x, y), strict=True) if axis.chance is not None]


def _title(axis: Axis) -> str:
    return axis.label if axis.chance is None else f"{axis.label}; dashed: chance"


def _axis(axis: Axis) -> alt.Axis:
    """Without numbers below zero where none of the values is: there is only room for points."""
    if axis.values.min() < 0:
        return alt.Axis(format=axis.format)
    return alt.Axis(format=axis.format, labelExpr="datum.value < 0 ? '' : datum.label")


def _colour(data: pd.DataFrame, by: Group) -> alt.Color:
    names, colours = colours_of_groups(data, by)
    legend = alt.Legend(title=None, orient="top", columns=legend_columns(names))
    return alt.Color(f"{by}:N", scale=alt.Scale(domain=names, range=colours), legend=legend)


def _tooltip(axis: Axis) -> str:
    chance = "" if axis.chance is None else f", chance {number(axis.chance)}"
    return f"{axis.label} ({number(axis.values.min())} to {number(axis.values.max())}{chance})"
