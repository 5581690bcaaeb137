"""Grids of cells, rows by columns, with a colour and a word or a number in each."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from attn_core.charts.descriptions import between, number
from attn_core.charts.style import (
    ANCHORS,
    AXES,
    BLANK,
    CELL,
    DARK_INK,
    DIVERGING,
    GRADIENT,
    LEGEND,
    LIGHT_INK,
    LINE,
    SQUARE,
    STRONG,
    Scheme,
    click,
    colours,
    ink_on,
    layered,
    legend_columns,
    ramp,
    tip,
)
from attn_core.texts.token_names import readable

LETTER = 0.66  # ratio of the width to the height of a letter
MOST = 5  # characters, up to which a word shrinks to fit a cell; longer words are cut off
ACROSS = 14  # tokens of a line
POINTS = 1200  # of the longer side of the picture of a matrix
MANY = 20  # columns, up to which all names are shown
PALE = 0.25  # opacity of a pale cell


@dataclass(frozen=True, eq=False)
class Shade:
    """Colours of cells. ink: colours of the words. legend: whether there is one below the grid.

    pale: whether each cell has a trace of its colour only, so that its word has the colour of words on the page.
    """

    colour: alt.Color | alt.ColorValue
    ink: Sequence[str] | str = DARK_INK
    legend: bool = True
    pale: Sequence[bool] = ()


BLANK_CELLS = Shade(alt.ColorValue(BLANK), legend=False)


def around_zero(
    values: pd.Series, title: str, form: str = "", limit: float = 0.0, look: Mapping[str, Any] | None = None
) -> Shade:
    """Diverging colours, blue below 0 and red above. limit: largest absolute value, by default that of the data."""
    limit = limit or float(values.abs().max()) or 1.0
    scale = alt.Scale(domain=[-limit, -limit / 2, 0, limit / 2, limit], range=DIVERGING, clamp=True)
    return _shade(values, scale, title, form, values.abs() > STRONG * limit, look)


def above_zero(values: pd.Series, title: str, form: str = "") -> Shade:
    """Red colours above 0, grey at 0 and below."""
    limit = float(values.max()) or 1.0
    scale = alt.Scale(domain=[0, limit / 2, limit], range=DIVERGING[2:], clamp=True)
    return _shade(values, scale, title, form, values > STRONG * limit)


def rising(values: pd.Series, high: float, title: str, form: str = "", root: bool = False) -> Shade:
    """Colours that darken from 0 to `high`. root: use a square-root scale, which separates small values."""
    scale = alt.Scale(type="sqrt" if root else "linear", domain=[0, high], scheme="purples", clamp=True)
    return _shade(values, scale, title, form, values > (0.3 if root else 0.5) * high)


def of_scheme(values: pd.Series, colours: Sequence[str], low: float, high: float, title: str) -> Shade:
    """Colours interpolated between two values, evenly spaced."""
    places = np.linspace(low, high if high > low else low + 1, len(colours))
    rgb = np.array([list(bytes.fromhex(one[1:])) for one in colours])
    inks = ink_on(np.stack([np.interp(values, places, channel) for channel in rgb.T], axis=1))
    strong = pd.Series(inks) == LIGHT_INK
    return _shade(values, alt.Scale(domain=places.tolist(), range=list(colours), clamp=True), title, "", strong)


def of_names(names: pd.Series, colours: dict[str, str], title: str | None = None, pale: Sequence[bool] = ()) -> Shade:
    """One colour per name. title: of the legend. pale: see `Shade`."""
    legend = alt.Legend(
        title=title, titleLimit=320, orient="bottom", columns=legend_columns(colours), symbolType="square",
        symbolStrokeWidth=0,
    )  # fmt: skip
    scale = alt.Scale(domain=list(colours), range=list(colours.values()))
    inks = dict(zip(colours, ink_on(np.array([list(bytes.fromhex(one[1:])) for one in colours.values()])), strict=True))
    return Shade(alt.Color(f"{names.name}:N", scale=scale, legend=legend), names.map(inks).tolist(), pale=pale)


def printed(values: pd.Series, form: str) -> list[str]:
    """Formatted numbers; empty for NaN, and 0 instead of -0."""
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
    over: Sequence[alt.Chart] = (),
    row: int = CELL,
) -> alt.LayerChart:
    """Grid of cells in the order of the data.

    data: one row per cell with its text in column `word`. across, down: columns with its column and row. titles: of
    both axes. angle: of the column names. select: columns that a click on a cell returns. over: charts drawn above the
    cells. row: height of a row in pixels.
    """
    columns, words = data[across].nunique(), data["word"].str.split("\n")
    longest = max(1, words.map(lambda lines: max(map(len, lines))).max())
    cells = data.assign(ink=shade.ink, raised=[-LINE / 2 * (len(lines) - 1) for lines in words])
    if any(shade.pale):
        cells = cells.assign(opacity=np.where(shade.pale, PALE, 1.0), ink=cells["ink"].mask(shade.pale, None))
    room = f"width / {columns} - 3"
    size = f"clamp(({room}) / {LETTER * longest:.3g}, {6 if longest <= MOST else 9}, {LINE})"
    limit = alt.ExprRef(room)
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
        description=description,
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
    levels = 255 * np.clip((cells.to_numpy(float) - low) / (high - low or 1), 0, 1)
    rgb = ramp(ANCHORS[scheme]["light"])[np.nan_to_num(levels).astype(int)].astype(np.uint8)
    points = max(1, POINTS // max(rgb.shape))  # a cell has several, so that it stays sharp when it is enlarged
    Image.fromarray(rgb.repeat(points, 0).repeat(points, 1)).save(png := BytesIO(), "PNG")
    url = f"data:image/png;base64,{b64encode(png.getvalue()).decode()}"
    picture = alt.Chart(pd.DataFrame({"url": [url]})).mark_image(
        aspect=False, align="left", baseline="top", width=alt.ExprRef("width"), height=alt.ExprRef("height")
    )
    axis: dict[str, Any] = {"labelOverlap": True, "labelFontSize": 10}
    x = alt.X("column:N", scale=alt.Scale(domain=list(cells)), title="token (column)")
    y = alt.Y("row:N", scale=alt.Scale(domain=list(cells.index)), title="token (row)", axis=alt.Axis(**axis))
    frame = alt.Chart(pd.DataFrame([picked] if picked else [], columns=["row", "column"]))
    ends = pd.Series(cut, name="value")
    return layered(
        [
            picture.encode(url="url:N", x=alt.value(0), y=alt.value(0)),
            alt.Chart(ends.to_frame()).mark_point(opacity=0).encode(
                color=of_scheme(ends, colours(scheme), *cut, label).colour
            ),
            frame.mark_rect(fill=None, stroke="#ef4444", strokeWidth=3).encode(
                x=x.axis(orient="top", labelAngle=-90, **axis), y=y
            ),
        ],
        height=AXES + 40 + LEGEND + 420,
        description=f"{label.capitalize()} of {len(cells)} by {cells.shape[1]} tokens: from "
        f"{number(cells.min(axis=None))} to {number(cells.max(axis=None))}.",
    ).properties(usermeta=SQUARE)  # fmt: skip


def text_grid(tokens: pd.DataFrame, label: str, shades: Sequence[str], diverging: bool) -> alt.LayerChart:
    """The tokens of a text in lines of `ACROSS`, shaded by a value; one of them has a frame.

    tokens: token, value, picked. label: of the values. shades: from low to high values, diverging: around 0.
    """
    others, places = tokens.loc[~tokens["picked"], "value"], np.arange(len(tokens))
    limit = others.abs().max()
    ends = (-limit, limit) if diverging else (others.min(), others.max())
    data = tokens.assign(word=tokens["token"].map(readable), line=places // ACROSS + 1, place=places % ACROSS + 1)
    frame = alt.Chart(data[data["picked"]]).mark_rect(fill=None, stroke="#ef4444", strokeWidth=3)
    return word_grid(
        data, "place", "line", of_scheme(data["value"], shades, *ends, label),
        [tip("token:N"), tip("value:Q", ".4g", label)],
        f"{len(tokens)} tokens by {label}: from {between(others, tokens['token'], number)}.",
        titles=("token of the line", "line"), over=[frame.encode(x=alt.X("place:O"), y=alt.Y("line:O"))], row=20,
    )  # fmt: skip


def _shade(
    values: pd.Series, scale: alt.Scale, title: str, form: str, strong: pd.Series, look: Mapping[str, Any] | None = None
) -> Shade:
    """Colours of values on a scale, with a legend below the grid; where there is no value, a cell is pale.

    strong: whether the ink of a cell is white.
    """
    legend = alt.Legend(
        title=title, titleLimit=320, orient="bottom", direction="horizontal", gradientLength=GRADIENT, tickCount=5,
        format=form, **(look or {}),
    )  # fmt: skip
    colour = alt.Color(f"{values.name}:Q", scale=scale, legend=legend)
    return Shade(colour, np.where(strong, LIGHT_INK, DARK_INK).tolist(), pale=values.isna().tolist())


def _order(names: pd.Series) -> Any:
    """The scale of names in the order of the data; for numbers the default, which is ascending."""
    return alt.Undefined if pd.api.types.is_numeric_dtype(names) else alt.Scale(domain=list(dict.fromkeys(names)))
