"""Common parts of charts: colours for light and dark pages, sizes, tooltips, and marks of heads A and B."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, cast

import altair as alt
import numpy as np
import pandas as pd
from altair.utils.schemapi import disable_debug_mode

from attn_core.head import Head

alt.theme.enable("none")  # charts follow the theme of the page
alt.data_transformers.disable_max_rows()  # 144 heads have 20,592 ordered pairs
disable_debug_mode()  # a chart is validated as a whole, not also in parts

A, B = "#2563eb", "#c026d3"  # which no role has; white letters on them have a contrast of 4.7
CHANCE = "#8a8f98"
ACCENT = "#7c3aed"
POINT = "#9a6ff0"  # a head among many: 3.5 : 1 on white, 5 : 1 on black
DIVERGING = ["#2f6fb7", "#8fb3d9", "#e3e3e3", "#e8a27c", "#c2410c"]
# Modified from Okabe and Ito: distinct for all kinds of colour vision, on white and on black.
COLOURS = ["#2f86d1", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#8c6d31", "#b3a800"]
CHANCE_DASH = [5, 4]
BLANK = DIVERGING[2]  # cells at or below chance, with too few pairs, or with rounding errors
LIGHT_INK, DARK_INK = "#ffffff", "#000000"
STRONG = 0.93  # of the limit: beyond it, white text has more contrast than dark text, at least 4.4 : 1
DASHED: dict[str, Any] = {"color": CHANCE, "strokeDash": CHANCE_DASH, "strokeWidth": 2}  # the line of a chance level
AXES = 70  # pixels for axis labels and titles: Streamlit's chart height includes them
CELL, LEGEND = 36, 96  # pixels: height of a row of cells, and of a legend below the grid
LINE = 11  # pixels: line height and font size in a cell
GRADIENT = alt.ExprRef("min(220, width - 24)")  # width of a colour bar; half of its last label is beyond it
Scheme = Literal["sequential", "diverging"]
VIRIDIS = "440154 482475 414487 355f8d 2a788e 21918c 22a884 44bf70 7ad151 bddf26 fde725"
# For matrices: viridis, and blue to red with the colour of the page at 0, so that values far from 0 are salient.
ANCHORS: dict[Scheme, dict[str, str]] = {
    "sequential": {"light": VIRIDIS, "dark": VIRIDIS},
    "diverging": {
        "light": "053061 2166ac 4393c3 92c5de d1e5f0 f7f7f7 fddbc7 f4a582 d6604d b2182b 67001f",
        "dark": "b3dcff 74b4ee 3f86cf 235a96 18345a 14171f 5a2418 963c24 cf5f3f f0906c ffc9ae",
    },
}
# The heads A and B of a chart, counted from 1; none until `marked` sets them.
IS_A = "datum.layer == head_a.layer && datum.head == head_a.head"
IS_B = f"datum.layer == head_b.layer && datum.head == head_b.head && !({IS_A})"  # A takes precedence
SQUARE = {"square": True}  # in `usermeta` of a figure that is saved as high as wide
SELECTION = "cell"  # name of the selection by a click
Figure = alt.LayerChart
MARKED = ("head_a", "head_b")
HEADS = [alt.VariableParameter(name=name, value={"layer": 0, "head": 0}) for name in MARKED]


def layered(charts: Sequence[Any], height: float, description: str, data: Any = alt.Undefined) -> Figure:
    """One chart of several layers. data: default of layers without data."""
    # By type, `alt.layer` may return a FacetChart, but only if layers are facets.
    return cast(Figure, alt.layer(*charts, height=height, description=description, params=HEADS, data=data))


def tip(field: str, form: str = "", title: str = "") -> alt.Tooltip:
    """Tooltip of a column such as "share:Q", with number format and title."""
    return alt.Tooltip(field, format=form or alt.Undefined, title=title or alt.Undefined)


def marked(spec: Mapping[str, Any], *heads: Head) -> dict[str, Any]:
    """The specification with its parameters for heads A, or A and B, set, which marks them."""
    values = {name: {"layer": head.layer + 1, "head": head.head + 1} for name, head in zip(MARKED, heads, strict=False)}
    params = [one | {"value": values[one["name"]]} if one["name"] in values else one for one in spec["params"]]
    return {**spec, "params": params}


def click(fields: Sequence[str] = ("layer", "head")) -> alt.Parameter:
    """Selection by a click, which returns the given columns of the clicked mark."""
    return alt.selection_point(name=SELECTION, fields=list(fields), on="click", empty=False)


def letters(data: Any = alt.Undefined, right: float = 0, down: float = 0) -> list[alt.Chart]:
    """Layers with a white letter on the colour of A and of B; positions are to be encoded.

    data: layer and head. right, down: pixels from these positions to the middle of a letter.
    """
    look: dict[str, Any] = {"fontSize": 10, "fontWeight": "bold", "color": "#ffffff", "dx": right, "dy": down}
    return [
        alt.Chart(data).transform_filter(here).mark_text(text=which, **under)
        for which, here, colour in (("A", IS_A, A), ("B", IS_B, B))
        for under in (look | {"stroke": colour, "strokeWidth": 7, "strokeJoin": "round"}, look)
    ]


def ringed(data: pd.DataFrame) -> list[alt.Chart]:
    """Layers with a ring and a letter beside it for A and for B; positions are to be encoded. data: layer and head."""
    rings = [
        alt.Chart(data).transform_filter(here).mark_point(size=330, stroke=colour, strokeWidth=3, opacity=1)
        for here, colour in ((IS_A, A), (IS_B, B))
    ]
    return [*rings, *letters(data, right=-18)]


def legend_columns(names: Iterable[str], beside: int = 0) -> alt.ExprRef:
    """The number of legend columns that fit the width of a figure. beside: pixels of another legend."""
    return alt.ExprRef(f"max(1, min(6, floor(((width + 40) - {beside}) / {7 * max(map(len, names), default=0) + 28})))")


def colours(scheme: Scheme) -> list[str]:
    """The colours of a scheme on a light page as #rrggbb, in order of ascending values."""
    return [f"#{anchor}" for anchor in ANCHORS[scheme]["light"].split()]


def ink_on(colours: np.ndarray) -> list[str]:
    """The ink, light or dark, of more contrast (4.5 or more) on each of some colours, (N, 3) integers."""
    part = colours / 255
    luminance = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722]
    return [DARK_INK if light > 0.179 else LIGHT_INK for light in luminance]


def ramp(anchors: str) -> np.ndarray:
    """256 colours interpolated between evenly spaced anchors ("rrggbb rrggbb ..."), (256, 3) integers."""
    rgb = np.array([list(bytes.fromhex(anchor)) for anchor in anchors.split()])
    at, where = np.linspace(0, 1, 256), np.linspace(0, 1, len(rgb))
    return np.rint(np.stack([np.interp(at, where, channel) for channel in rgb.T], axis=1)).astype(int)
