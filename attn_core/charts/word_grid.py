"""A grid of cells, rows by columns: a colour and a word or a number in each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from attn_core.charts.marks import click
from attn_core.charts.style import (
    AXES,
    BLANK,
    CELL,
    DARK_INK,
    DIVERGING,
    GRADIENT,
    LEGEND,
    LIGHT_INK,
    LINE,
    STRONG,
    layered,
    legend_columns,
)

LETTER = 0.66  # of its height a letter's width: "comma" has wide ones
MOST = 5  # characters that become as small as a narrow cell needs; of longer words the end is left out
MANY = 20  # columns: there is no room for the names of all


@dataclass(frozen=True, eq=False)
class Shade:
    """The colours of cells. colour: of the cells; ink: of the word in each; legend: whether there is one below the grid."""

    colour: alt.Color | alt.ColorValue
    ink: Sequence[str] | str = DARK_INK
    legend: bool = True


BLANK_CELLS = Shade(alt.ColorValue(BLANK), legend=False)


def around_zero(
    values: pd.Series, title: str, form: str = "", limit: float = 0.0, look: Mapping[str, Any] | None = None
) -> Shade:
    """Blue below zero and red above, the same distance on both sides.

    limit: where colours end, at the largest unless it is given. look: more of the legend.
    """
    limit = limit or float(values.abs().max()) or 1.0
    scale = alt.Scale(domain=[-limit, -limit / 2, 0, limit / 2, limit], range=DIVERGING, clamp=True)
    return _shade(values, scale, title, form, values.abs() > STRONG * limit, look)


def above_zero(values: pd.Series, title: str, form: str = "") -> Shade:
    """Red above zero, where only that says something; grey at zero and below."""
    limit = float(values.max()) or 1.0
    scale = alt.Scale(domain=[0, limit / 2, limit], range=DIVERGING[2:], clamp=True)
    return _shade(values, scale, title, form, values > STRONG * limit)


def rising(values: pd.Series, high: float, title: str, form: str = "", root: bool = False) -> Shade:
    """Ever darker from 0 to a highest value, evenly or, where small ones are asked about, by the square root."""
    scale = alt.Scale(type="sqrt" if root else "linear", domain=[0, high], scheme="purples", clamp=True)
    return _shade(values, scale, title, form, values > (0.3 if root else 0.5) * high)


def of_scheme(values: pd.Series, colours: Sequence[str], low: float, high: float, title: str) -> Shade:
    """Evenly spaced colours, from the lowest value to the highest."""
    places = np.linspace(low, high if high > low else low + 1, len(colours)).tolist()
    return _shade(values, alt.Scale(domain=places, range=list(colours), clamp=True), title, "", values > np.inf)


def of_names(column: str, colours: dict[str, str]) -> Shade:
    """A colour for each name."""
    legend = alt.Legend(
        title=None, orient="bottom", columns=legend_columns(colours), symbolType="square", symbolStrokeWidth=0
    )
    scale = alt.Scale(domain=list(colours), range=list(colours.values()))
    return Shade(alt.Color(f"{column}:N", scale=scale, legend=legend))


def printed(values: pd.Series, form: str) -> list[str]:
    """Numbers as they stand in cells: nothing where there is none, and no -0."""
    signed = f"+z{form[1:]}" if form.startswith("+") else f"z{form}"
    return ["" if np.isnan(value) else f"{value:{signed}}" for value in values]


def word_grid(
    data: pd.DataFrame,
    across: str,
    down: str,
    shade: Shade,
    tooltip: Sequence[alt.Tooltip],
    description: str,
    *,
    titles: tuple[str | None, str | None] = (None, None),
    angle: int = 0,
    select: Sequence[str] = (),
    under: Sequence[alt.Chart] = (),
    over: Sequence[alt.Chart] = (),
    row: int = CELL,
) -> alt.LayerChart:
    """Rows by columns of cells, in the order of the data.

    across, down: the columns of data that name a cell's column and row, in lines that newlines part. Column `word`: what stands
    in the cell. titles: of both axes. angle: of the names of columns. select: what a click on a cell selects. row: its
    height in pixels. under, over: charts of the same cells or of data of their own.
    """
    columns, words = data[across].nunique(), data["word"].str.split("\n")
    longest = max(1, words.map(lambda lines: max(map(len, lines))).max())
    cells = data.assign(ink=shade.ink, raised=[-LINE / 2 * (len(lines) - 1) for lines in words])
    room = f"width / {columns} - 3"
    size = f"clamp(({room}) / {LETTER * longest:.3g}, {6 if longest <= MOST else 9}, {LINE})"
    limit = alt.ExprRef(room)
    lines = data[across].astype(str).str.count("\n").max()
    above = alt.Axis(
        orient="top", labelAngle=angle, labelOverlap="parity" if columns > MANY else False, labelExpr="split(datum.label, '\\n')",
        labelLimit=200 if angle else limit, labelPadding=4 + 13 * lines,
    )  # fmt: skip
    left = alt.Axis(labelLimit=220, labelFlush=False, labelOverlap=False)
    base = alt.Chart().encode(
        x=alt.X(f"{across}:O", scale=_order(data[across]), title=titles[0], axis=above),
        y=alt.Y(f"{down}:O", scale=_order(data[down]), title=titles[1], axis=left),
        tooltip=list(tooltip),
    )
    cursor: dict[str, Any] = {"cursor": "pointer"} if select else {}
    rects = base.mark_rect(stroke="#ffffff", strokeOpacity=0.35, invalid=None, **cursor).encode(color=shade.colour)
    text = base.mark_text(
        fontSize=alt.ExprRef(size), lineBreak="\n", lineHeight=LINE,
        baseline="middle", dy=alt.ExprRef("datum.raised"), limit=limit if longest > MOST else 0, **cursor,
    ).encode(text=alt.Text("word:N"), fill=alt.Fill("ink:N", scale=None, legend=None))  # fmt: skip
    return layered(
        [*under, rects.add_params(click(select)) if select else rects, text, *over],
        height=AXES + 40 * bool(angle) + 13 * lines + row * data[down].nunique() + LEGEND * shade.legend,
        description=description,
        data=cells,
    )


def _shade(
    values: pd.Series, scale: alt.Scale, title: str, form: str, strong: pd.Series, look: Mapping[str, Any] | None = None
) -> Shade:
    """Cells coloured by a column, with a legend below, where it takes no width; white ink on strong colours."""
    legend = alt.Legend(
        title=title, titleLimit=320, orient="bottom", direction="horizontal", gradientLength=GRADIENT, tickCount=5, format=form,
        **(look or {}),
    )  # fmt: skip
    colour = alt.Color(f"{values.name}:Q", scale=scale, legend=legend)
    return Shade(colour, np.where(strong, LIGHT_INK, DARK_INK).tolist())


def _order(names: pd.Series) -> Any:
    """Names stand in their order, numbers by size."""
    return alt.Undefined if pd.api.types.is_numeric_dtype(names) else alt.Scale(domain=list(dict.fromkeys(names)))
