"""Two quantities of the heads against each other: a point a head, coloured by role or by cluster."""

from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from attn_core.charts.clusters import NONE, Group, colours_of_groups
from attn_core.charts.described import number
from attn_core.charts.marks import click, legend_columns, letters
from attn_core.charts.style import DASHED, layered, tip
from attn_core.head import Head
from attn_core.measures.anchors import shown_anchors
from attn_core.measures.few_pairs import too_few
from attn_core.measures.repetition import shown_repetitions


@dataclass(frozen=True, eq=False)
class Axis:
    """A quantity of every head. label: with its unit; values: (H,); chance: its level, None where it has none."""

    label: str
    values: np.ndarray
    chance: float | None
    format: str


def scatter(heads: pd.DataFrame, x: Axis, y: Axis, by: Group) -> alt.LayerChart:
    """Every head a point, chance dashed. heads: layer, head, role, cluster, anchor, in the axes' order.

    by: what the colours are of. Clicking a point selects its head; the heads A and B of `Marked` are ringed.
    """
    data = heads[["layer", "head", "role", "cluster"]].assign(
        anchor=shown_anchors(heads),
        repeated_tokens=shown_repetitions(heads),
        x=x.values,
        y=y.values,
        name=[str(Head.of_row(*head)) for head in zip(heads["layer"], heads["head"], strict=True)],
    )
    places: dict[str, Any] = {
        channel: of(f"{channel}:Q", title=_title(axis), scale=alt.Scale(zero=False, padding=16), axis=_axis(axis))
        for channel, axis, of in (("x", x, alt.X), ("y", y, alt.Y))
    }
    told = [
        tip("name:N", title="head"), tip("x:Q", x.format, x.label), tip("y:Q", y.format, y.label),
        *(tip(f"{name}:N") for name in ("cluster", "role", "anchor")), tip("repeated_tokens:N", title="repeats"),
    ]  # fmt: skip
    colour: Any = alt.value(NONE) if too_few(heads) else _colour(data, by)
    points = alt.Chart(data).mark_point(filled=True, size=70, opacity=0.9, cursor="pointer")
    rings = [mark.encode(**places) for mark in letters(data)]
    return layered(
        [*_chance(x, y), points.encode(**places, color=colour, tooltip=told).add_params(click()), *rings],
        height=390,
        description=f"{len(data)} heads by {_told(x)} and {_told(y)}.",
    )


def _chance(x: Axis, y: Axis) -> list[alt.Chart]:
    """A dashed line at the chance level of each axis that has one."""
    lines = {"x": x.chance, "y": y.chance}
    return [
        alt.Chart(pd.DataFrame({channel: [at]})).mark_rule(**DASHED).encode(**{channel: f"{channel}:Q"})
        for channel, at in lines.items()
        if at is not None
    ]


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


def _told(axis: Axis) -> str:
    chance = "" if axis.chance is None else f", chance {number(axis.chance)}"
    return f"{axis.label} ({number(axis.values.min())} to {number(axis.values.max())}{chance})"
