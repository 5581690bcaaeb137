"""Grids of cells, rows by columns, with a colour and a word or a number in each."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from attn_core.charts.style import (
    ANCHORS,
    AXES,
    BLANK,
    CELL,
    DARK_INK,
    DIVERGING,
    SQUARE,
    Scheme,
    by_name,
    click,
    ink_on,
    interpolated,
    layered,
    legend,
    ramp,
    rgb,
    tip,
)
from attn_core.texts.token_names import readable

PURPLES = ["#e2e1ef", "#d4d4e8", "#c4c5e0", "#b4b3d6", "#a3a0cc", "#928ec3", "#827cb9", "#7566ae", "#684ea2", "#5c3696",
           "#501f8c"]  # fmt: skip
LEGEND = 96  # pixels: height of a legend below the grid
GRADIENT = alt.ExprRef("min(220, width - 24)")  # width of a colour bar; half of its last label is beyond it
LINE = 11  # pixels: line height and font size in a cell
LETTER = 0.66  # ratio of the width to the height of a letter
MOST = 5  # characters, up to which a word shrinks to fit a cell; longer words are cut off
ACROSS = 14  # tokens of a line
POINTS = 1200  # of the longer side of the picture of a matrix
MANY = 20  # columns, up to which all names are shown
PALE = 0.25  # opacity of a pale cell
BELOW: dict[str, Any] = {"orient": "bottom", "titleLimit": 320}  # of a legend


@dataclass(frozen=True, eq=False)
class Shade:
    """Colours of cells. ink: colours of the words. pale: cells with a trace of their colour, whose words have that of
    words on the page. legend: whether there is one below the grid.
    """

    colour: alt.Color | alt.ColorValue
    ink: Sequence[str] | str = DARK_INK
    pale: Sequence[bool] = ()
    legend: bool = True


BLANK_CELLS = Shade(alt.ColorValue(BLANK), legend=False)


def between_colours(
    values: pd.Series,
    colours: Sequence[str],
    low: float,
    high: float,
    title: str,
    form: str = "",
    root: bool = False,
    look: Mapping[str, Any] | None = None,
) -> Shade:
    """Colours interpolated between some that are evenly spaced from low to high; a cell without value is pale.

    root: whether the scale is that of square roots from 0, which separates small values. look: of the legend.
    """
    places, power = np.linspace(0, 1, len(colours)), 2 if root else 1
    scale = alt.Scale(
        type="sqrt" if root else "linear", domain=(low + (high - low) * places**power).tolist(), range=list(colours),
        clamp=True,
    )  # fmt: skip
    inks = ink_on(interpolated(((values - low) / (high - low)).clip(lower=0) ** (1 / power), colours))
    gradient = alt.Legend(
        title=title, direction="horizontal", gradientLength=GRADIENT, tickCount=5, format=form, **BELOW, **(look or {})
    )
    return Shade(alt.Color(f"{values.name}:Q", scale=scale, legend=gradient), inks, values.isna().tolist())


def around_zero(
    values: pd.Series, title: str, form: str = "", limit: float = 0.0, look: Mapping[str, Any] | None = None
) -> Shade:
    """Diverging colours, blue below 0 and red above. limit: largest absolute value, by default that of the data."""
    limit = limit or float(values.abs().max()) or 1.0
    return between_colours(values, DIVERGING, -limit, limit, title, form, look=look)


def above_zero(values: pd.Series, title: str, form: str = "") -> Shade:
    """Red colours above 0, grey at 0 and below."""
    return between_colours(values, DIVERGING[2:], 0, float(values.max()) or 1.0, title, form)


def rising(values: pd.Series, high: float, title: str, form: str = "", root: bool = False) -> Shade:
    """Colours that darken from 0 to `high`. root: see `between_colours`."""
    return between_colours(values, PURPLES, 0, high, title, form, root)


def of_names(
    names: pd.Series,
    colours: Mapping[str, str],
    title: str | None = None,
    pale: Sequence[bool] = (),
    named: bool = True,
) -> Shade:
    """One colour per name. title: of the legend. pale: see `Shade`. named: whether there is a legend."""
    below = legend(colours, title=title, symbolType="square", symbolStrokeWidth=0, **BELOW) if named else None
    inks = dict(zip(colours, ink_on(rgb(colours.values())), strict=True))
    return Shade(by_name(alt.Color, str(names.name), colours, below), names.map(inks).tolist(), pale, named)


def word_grid(
    data: pd.DataFrame,
    across: str,
    down: str,
    shade: Shade,
    tooltip: Sequence[alt.Tooltip],
    *,
    titles: tuple[str | None, str | None] = (None, None),
    angle: int = 0,
    select: Sequence[str] = (),
    over: Sequence[alt.Chart] = (),
    row: int = CELL,
    said: str = "",
) -> alt.LayerChart:
    """Grid of cells in the order of the data.

    data: one row per cell with its text in column `word`. across, down: columns with its column and row. titles: of
    both axes. angle: of the column names. select: columns that a click on a cell returns. over: charts drawn above the
    cells. row: height of a row in pixels. said: see `layered`.
    """
    columns, words = data[across].nunique(), data["word"].str.split("\n")
    longest = max(1, words.map(lambda lines: max(map(len, lines))).max())
    cells = data.assign(ink=shade.ink, raised=[-LINE / 2 * (len(lines) - 1) for lines in words])
    if any(shade.pale):
        cells = cells.assign(opacity=np.where(shade.pale, PALE, 1.0), ink=cells["ink"].mask(shade.pale, None))
    space = f"width / {columns} - 3"
    size = f"clamp(({space}) / {LETTER * longest:.3g}, {6 if longest <= MOST else 9}, {LINE})"
    limit = alt.ExprRef(space)
    lines = data[across].astype(str).str.count("\n").max()
    above = alt.Axis(
        orient="top", labelAngle=angle, labelOverlap="parity" if columns > MANY else False,
        labelExpr="split(datum.label, '\\n')", labelLimit=200 if angle else limit, labelPadding=4 + 13 * lines,
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
    ).encode(text=alt.Text("word:N"))  # fmt: skip
    texts = [text.encode(fill=alt.Fill("ink:N", scale=None, legend=None))]
    if any(shade.pale):
        rects = rects.encode(opacity=alt.Opacity("opacity:Q", scale=None, legend=None))
        texts.append(text.transform_filter("datum.ink == null"))
    return layered(
        [rects.add_params(click(select)) if select else rects, *texts, *over],
        height=AXES + 40 * bool(angle) + 13 * lines + row * data[down].nunique() + LEGEND * shade.legend,
        said=said,
        data=cells,
    )


def matrix(
    cells: pd.DataFrame, label: str, scheme: Scheme, cut: tuple[float, float], picked: Sequence[str] = ()
) -> alt.LayerChart:
    """Picture of a matrix of tokens, which has as many cells as are wanted, with a frame around a picked pair.

    cells: the values, with the names of both tokens as index and columns. label: of the values. cut: the ends of the
    colours. picked: the names of the pair.
    """
    from PIL import Image  # of the dashboard, which alone draws matrices

    low, high = cut
    anchors = ANCHORS[scheme]["light"]
    levels = 255 * np.clip((cells.to_numpy(float) - low) / (high - low or 1), 0, 1)
    colours = ramp(anchors)[np.nan_to_num(levels).astype(int)].astype(np.uint8)
    points = max(1, POINTS // max(colours.shape))  # a cell has several, so that it stays sharp when it is enlarged
    Image.fromarray(colours.repeat(points, 0).repeat(points, 1)).save(png := BytesIO(), "PNG")
    url = f"data:image/png;base64,{b64encode(png.getvalue()).decode()}"
    picture = alt.Chart(pd.DataFrame({"url": [url]})).mark_image(
        aspect=False, align="left", baseline="top", width=alt.ExprRef("width"), height=alt.ExprRef("height")
    )
    axis: dict[str, Any] = {"labelOverlap": True, "labelFontSize": 10}
    x = alt.X("column:N", scale=alt.Scale(domain=list(cells)), title="token (column)")
    y = alt.Y("row:N", scale=alt.Scale(domain=list(cells.index)), title="token (row)", axis=alt.Axis(**axis))
    frame = alt.Chart(pd.DataFrame([picked] if picked else [], columns=["row", "column"]))
    ends = pd.Series(cut, name="value")
    shade = between_colours(ends, [f"#{anchor}" for anchor in anchors.split()], low, high, label)
    return layered(
        [
            picture.encode(url="url:N", x=alt.value(0), y=alt.value(0)),
            alt.Chart(ends.to_frame()).mark_point(opacity=0).encode(color=shade.colour),
            frame.mark_rect(fill=None, stroke="#ef4444", strokeWidth=3).encode(
                x=x.axis(orient="top", labelAngle=-90, **axis), y=y
            ),
        ],
        AXES + 40 + LEGEND + 420,
        f"{len(cells)} by {cells.shape[1]} tokens, from {cells.min(axis=None):.3g} to {cells.max(axis=None):.3g}",
    ).properties(usermeta=SQUARE)


def text_grid(tokens: pd.DataFrame, label: str, shades: Sequence[str], diverging: bool) -> alt.LayerChart:
    """The tokens of a text in lines of `ACROSS`, shaded by a value; one of them has a frame.

    tokens: token, value, picked. label: of the values. shades: from low to high values, diverging: around 0.
    """
    others, places = tokens.loc[~tokens["picked"], "value"], np.arange(len(tokens))
    limit = others.abs().max()
    low, high = (-limit, limit) if diverging else (others.min(), others.max())
    data = tokens.assign(word=tokens["token"].map(readable), line=places // ACROSS + 1, place=places % ACROSS + 1)
    frame = alt.Chart(data[data["picked"]]).mark_rect(fill=None, stroke="#ef4444", strokeWidth=3)
    return word_grid(
        data, "place", "line", between_colours(data["value"], shades, low, high if high > low else low + 1, label),
        [tip("token:N"), tip("value:Q", ".4g", label)],
        titles=("token of the line", "line"), over=[frame.encode(x=alt.X("place:O"), y=alt.Y("line:O"))], row=20,
    )  # fmt: skip


def _order(names: pd.Series) -> Any:
    """The scale of names in the order of the data; for numbers the default, which is ascending."""
    return alt.Undefined if pd.api.types.is_numeric_dtype(names) else alt.Scale(domain=list(dict.fromkeys(names)))
