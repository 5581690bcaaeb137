"""Subjects against each other: curves over relative depth, differences, maps of heads, the match of heads."""

import json

import altair as alt
import pandas as pd

from attn_core.charts.described import between, between_heads, grid, number
from attn_core.charts.marks import (
    LEGEND,
    click,
    gradient,
    head_grid,
    in_cells,
    legend_columns,
    longest,
    map_height,
    shading,
)
from attn_core.charts.style import CHANCE_DASH, A, B, diverging, layered, tip
from attn_core.head import Head
from attn_core.measures.statistics import Statistic

# Of the first two subjects those of heads A and B everywhere; all hold on white and on black.
COLOURS = [A, B, "#12946b", "#c2489b", "#8a6d1f", "#7c3aed", "#1490a8", "#b4423c"]
CURVES, LEGEND_LINE = 270, 22  # pixels of curves by depth, and of a line of the legend above them


def depth_curves(curves: pd.DataFrame, statistic: Statistic) -> alt.LayerChart:
    """A statistic by relative depth, a line a subject, its chance dashed in its colour.

    curves: the rows of that statistic, as of `comparison.subjects.curves`.
    """
    subjects = list(dict.fromkeys(curves["subject"]))
    start = f"{subjects[0]}, "
    of_one = all(subject.startswith(start) for subject in subjects[1:])  # whose name the others' need not repeat
    x = alt.X(
        "depth:Q",
        title="depth (0: first layer, 1: last); dashed: chance",
        scale=alt.Scale(domain=[0, 1], nice=False, padding=8),
        axis=alt.Axis(tickCount=5),
    )
    y = alt.Y(
        "value:Q", title=statistic.axis_title, axis=alt.Axis(format=statistic.axis_format), scale=alt.Scale(zero=False)
    )
    colour = alt.Color(
        "subject:N",
        sort=subjects,
        title=None,
        scale=alt.Scale(domain=subjects, range=COLOURS[: len(subjects)]),
        legend=alt.Legend(
            orient="top",
            columns=legend_columns((subject.removeprefix(start) for subject in subjects), 2) if of_one else 1,
            labelLimit=400,
            symbolOpacity=1,
            symbolSize=80,
            rowPadding=0,
            labelExpr=f"replace(datum.label, {json.dumps(start)}, '')" if of_one else alt.Undefined,
        ),
    )
    told = [
        tip("subject:N"),
        tip("layer:Q"),
        tip("value:Q", statistic.format, statistic.label),
        tip("chance:Q", statistic.format),
    ]
    base = alt.Chart(curves).encode(x=x, color=colour)
    lines = base.mark_line(strokeWidth=3, point=alt.OverlayMarkDef(size=60)).encode(y=y, tooltip=told)
    chance = base.mark_line(strokeDash=CHANCE_DASH, strokeWidth=1.5, opacity=0.8).encode(y="chance:Q", tooltip=told)
    names = curves["subject"] + ", layer " + curves["layer"].astype(str)
    return layered(
        [chance, lines],
        height=CURVES + LEGEND_LINE * -(-len(subjects) // (2 if of_one else 1)),
        description=f"{statistic.label} by relative depth of {', '.join(subjects)}: from "
        f"{between(curves['value'], names, statistic.text)}; chance {statistic.text(curves['chance'].mean())} on average.",
    )


def value_map(
    heads: pd.DataFrame, column: str, statistic: Statistic, limit: float, blank: bool = False
) -> alt.LayerChart:
    """Layers x heads coloured by a column around zero, one scale for maps side by side; the number in the cell.

    heads: layer, head, the column. limit: where the colours end. blank: without colours, since pairs are too few.
    """
    data = heads[["layer", "head", column]]
    told = tip(f"{column}:Q", statistic.format)
    base = head_grid(data, told)
    legend = gradient(column.replace("_", " "), statistic.format)
    colour, words = shading(column, limit, legend, diverging, blank)
    form = statistic.format.replace(".1%", ".0%")
    numbers = in_cells(base, data["head"].nunique(), longest(data[column], form)).encode(
        text=alt.Text(f"{column}:Q", format=form), color=words
    )
    return layered(
        [base.mark_rect().encode(color=colour), numbers],
        height=map_height(data) + LEGEND,
        description=f"{statistic.label} of {grid(data)}, {column.replace('_', ' ')}: from "
        f"{between_heads(data, column, number)}.",
    )


def best_match_map(matches: pd.DataFrame) -> alt.LayerChart:
    """Layers x heads of A: in each cell the head of B most like it, coloured by how alike; a click chooses head A.

    matches: as of `comparison.match.HeadMatch.table`.
    """
    best = zip(matches["best_layer"], matches["best_head"], strict=True)
    data = matches.assign(best=[str(Head.of_row(*head)) for head in best])
    base = head_grid(
        data,
        tip("best:N", title="most like it"),
        tip("correlation:Q", ".2f"),
        tip("chance_correlation:Q", ".2f", "chance"),
        tip("mutual:N", title="each other's best"),
    )
    colour = alt.Color(
        "correlation:Q",
        scale=alt.Scale(domain=[0, 1], scheme="purples", clamp=True),
        legend=gradient("rank correlation; pale: not above chance", ".1f"),
    )
    cells = base.mark_rect(cursor="pointer").encode(color=colour).add_params(click())
    names = in_cells(base, data["head"].nunique(), data["best"].str.len().max(), cursor="pointer")
    names = names.encode(
        text="best:N",
        color=alt.condition("datum.correlation > 0.5", alt.value("#ffffff"), alt.value("#1f2328")),
        opacity=alt.condition("datum.above_chance", alt.value(1.0), alt.value(0.55)),
    )
    return layered(
        [cells, names],
        height=map_height(data) + LEGEND,
        description=f"The head of B most like each head of A, {grid(data)}: rank correlation from "
        f"{between_heads(data, 'correlation', number)}; chance {data['chance_correlation'].iloc[0]:.2f}.",
    )
