"""Any two quantities of the heads against each other: a labelled point a head, with chance, colour and size."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from attn_core.charts.clusters import NONE, ROLE_COLOURS, cluster_colour
from attn_core.charts.described import number
from attn_core.charts.marks import GRADIENT, SELECTION, among, legend_columns, letters
from attn_core.charts.style import DASHED, layered, tip
from attn_core.head import Head
from attn_core.measures.anchors import shown_anchors
from attn_core.measures.few_pairs import too_few
from attn_core.measures.repetition import shown_repetitions
from attn_core.measures.roles import names_for

OTHER, BRUSH = "other", "brush"  # the names of the selections that a click with Shift and a drag make
LABELS = "#7d8590"  # readable on white and on black
LABEL = np.array([38, 12])  # pixels of a label
POINT = np.array([10, 10])  # pixels of a point
# Pixels that the heads span in a column of a journal, on a narrow screen, and on a wide one; pixels between the axes from
# which on it is narrow, and wide.
COLUMN, NARROW, WIDE = np.array([170, 210]), np.array([340, 210]), np.array([830, 210])
NARROW_FROM, WIDE_FROM = 430, 640
NEVER = 1_000_000  # no screen has so many pixels
CROWDED = 0.15  # how much of other names and points a name may cover: 1 is as much as one name


@dataclass(frozen=True, eq=False)
class Axis:
    """A quantity of every head. label: with its unit; values: (H,); chance: its level, None where it has none."""

    label: str
    values: np.ndarray
    chance: float | None
    format: str


def scatter(
    heads: pd.DataFrame, x: Axis, y: Axis, colour: str | Axis, size: Axis | None, brushed: Sequence[Head] = ()
) -> alt.LayerChart:
    """Every head a point with its name; chance is dashed. heads: layer, head, role, cluster, anchor, in the axes' order.

    colour: "cluster", "role", or a quantity. A click selects a head ("cell"), one with Shift another ("other"), a drag
    all in a rectangle ("brush", by x and y). brushed: heads that were chosen so; the others are pale.
    """
    data = _data(heads, x, y, brushed).assign(size=1.0 if size is None else size.values)
    if isinstance(colour, Axis):
        data["colour"] = colour.values
    told = _tooltips(x, y, colour, size)
    places: dict[str, Any] = {
        channel: of(f"{channel}:Q", title=_title(axis), scale=alt.Scale(zero=False, padding=pixels), axis=_axis(axis))
        for channel, axis, of, pixels in (("x", x, alt.X, 46), ("y", y, alt.Y, 16))
    }
    sizes: Any = alt.value(60)
    if size is not None:
        sizes = alt.Size(
            "size:Q",
            title=size.label,
            scale=alt.Scale(range=[20, 400]),
            legend=alt.Legend(orient="bottom", format=size.format),
        )
    bright = alt.condition("datum.bright", alt.value(0.9), alt.value(0.15))
    base = alt.Chart(data)
    points = base.mark_point(filled=True, cursor="pointer").encode(
        **places,
        color=alt.value(NONE) if too_few(heads) else _colour(data, colour),
        size=sizes,
        opacity=bright,
        tooltip=told,
    )
    names = base.mark_text(
        fontSize=10, cursor="pointer", color=LABELS, dx=alt.ExprRef("datum.dx"), dy=alt.ExprRef("datum.dy")
    ).encode(**places, text="name:N", opacity=bright, tooltip=told)
    names = names.transform_filter("width >= datum.named_from")
    rings = [mark.encode(**places) for mark in letters(data)]
    return layered(
        [*_chance(x, y), points.add_params(*_selections()), names, *rings],
        height=390,
        description=f"{len(data)} heads by {_told(x)} and {_told(y)}.",
    )


def _data(heads: pd.DataFrame, x: Axis, y: Axis, brushed: Sequence[Head]) -> pd.DataFrame:
    """A row a head: what it is, its place, and its name with where that stands and from what width on there is room for it."""
    points = np.stack([x.values, y.values], axis=1)
    offsets = label_offsets(points)
    room = [have_room(points, offsets, picture) for picture in (COLUMN, NARROW, WIDE)]
    return heads[["layer", "head", "role", "cluster"]].assign(
        anchor=shown_anchors(heads),
        repeated_tokens=shown_repetitions(heads),
        x=x.values,
        y=y.values,
        dx=offsets[:, 0],
        dy=offsets[:, 1],
        named_from=np.select(room, [0, NARROW_FROM, WIDE_FROM], NEVER),
        name=[str(Head.of_row(*head)) for head in zip(heads["layer"], heads["head"], strict=True)],
        bright=among(heads, brushed),
    )


def _tooltips(x: Axis, y: Axis, colour: str | Axis, size: Axis | None) -> list[alt.Tooltip]:
    return [
        tip("name:N", title="head"),
        _tooltip("x", x),
        _tooltip("y", y),
        *([_tooltip("colour", colour)] if isinstance(colour, Axis) else []),
        *(tip(f"{name}:N") for name in ("cluster", "role", "anchor")),
        tip("repeated_tokens:N", title="repeats"),
        *([_tooltip("size", size)] if size is not None else []),
    ]


def _tooltip(channel: str, axis: Axis) -> alt.Tooltip:
    return tip(f"{channel}:Q", axis.format, axis.label)


def label_offsets(points: np.ndarray) -> np.ndarray:
    """Where to write a label beside each of the points, (H, 2) -> (H, 2): pixels right and down from the point.

    Label after label takes the place at its point that covers the fewest labels and points so far, on a narrow screen.
    """
    pixels = _pixels(points, NARROW)
    angles = np.pi * np.array([0, 1, 0.5, 1.5, 0.25, 1.75, 0.75, 1.25])
    around = np.rint(np.stack([np.cos(angles), np.sin(angles)], axis=1) * (LABEL / 2 + [7, 6]))
    offsets = np.concatenate([around[:4], around * 1.3])  # so near a diagonal one would touch its point
    chosen = np.empty_like(pixels)
    for at, point in enumerate(pixels):
        covers = _covered(point + offsets, at, pixels, pixels[:at] + chosen[:at])
        chosen[at] = offsets[covers.argmin()]
    return chosen


def have_room(points: np.ndarray, offsets: np.ndarray, picture: np.ndarray) -> np.ndarray:
    """Which labels, (H,), cover few of the points and of the labels that have room before them, in a picture so large."""
    pixels = _pixels(points, picture)
    labels = pixels + offsets
    roomy = np.zeros(len(pixels), dtype=bool)
    for at in range(len(pixels)):
        roomy[at] = _covered(labels[[at]], at, pixels, labels[roomy])[0] <= CROWDED
    return roomy


def _pixels(points: np.ndarray, picture: np.ndarray) -> np.ndarray:
    """Points where they stand in a picture, y downwards."""
    span = np.ptp(points, axis=0)
    return points / np.where(span == 0, 1.0, span) * picture * [1, -1]


def _covered(places: np.ndarray, at: int, pixels: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """How much of labels and of the points but one's own lies under a label at each of the places, (C,)."""
    on_points = _overlap(places, np.delete(pixels, at, axis=0), (LABEL + POINT) / 2)
    return on_points + _overlap(places, labels, LABEL)


def _overlap(candidates: np.ndarray, others: np.ndarray, size: np.ndarray) -> np.ndarray:
    """How much of the others lies under each candidate, (C,); size: from where on two do not touch."""
    gaps = np.abs(candidates[:, None] - others)
    return np.maximum(1 - gaps / size, 0).prod(axis=2).sum(axis=1)


def _selections() -> list[alt.Parameter]:
    heads = ["layer", "head"]
    return [
        alt.selection_point(name=SELECTION, fields=heads, on="click[!event.shiftKey]", toggle=False, empty=False),
        alt.selection_point(name=OTHER, fields=heads, on="click[event.shiftKey]", toggle=False, empty=False),
        alt.selection_interval(name=BRUSH, encodings=["x", "y"], empty=False),
    ]


def _chance(x: Axis, y: Axis) -> list[alt.Chart]:
    """A dashed line at the chance level of each axis that has one."""
    lines = {"x": x.chance, "y": y.chance}
    return [
        alt.Chart(pd.DataFrame({channel: [at]})).mark_rule(**DASHED).encode(**{channel: f"{channel}:Q"})
        for channel, at in lines.items()
        if at is not None
    ]


def _title(axis: Axis) -> str:
    """Words in the picture would stand on the names of heads."""
    return axis.label if axis.chance is None else f"{axis.label}; dashed: chance"


def _axis(axis: Axis) -> alt.Axis:
    """Without numbers below zero where none of the values is: there is only room for labels."""
    if axis.values.min() < 0:
        return alt.Axis(format=axis.format)
    return alt.Axis(format=axis.format, labelExpr="datum.value < 0 ? '' : datum.label")


def _colour(data: pd.DataFrame, colour: str | Axis) -> alt.Color:
    if isinstance(colour, Axis):
        legend = alt.Legend(title=colour.label, orient="top", gradientLength=GRADIENT, format=colour.format)
        return alt.Color("colour:Q", scale=alt.Scale(scheme="viridis"), legend=legend)
    names = sorted(data["cluster"].unique()) if colour == "cluster" else names_for(data["role"])
    colours = [cluster_colour(name) if colour == "cluster" else ROLE_COLOURS[name] for name in names]
    legend = alt.Legend(title=None, orient="top", columns=legend_columns(names))
    return alt.Color(f"{colour}:N", scale=alt.Scale(domain=names, range=colours), legend=legend)


def _told(axis: Axis) -> str:
    chance = "" if axis.chance is None else f", chance {number(axis.chance)}"
    return f"{axis.label} ({number(axis.values.min())} to {number(axis.values.max())}{chance})"
