"""Common parts of charts: colours for light and dark pages, sizes, tooltips, and marks of heads A and B."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeVar, cast

import altair as alt
import numpy as np
import pandas as pd
from altair.utils.schemapi import disable_debug_mode

from attn_core.charts.descriptions import in_words
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
DASHED: dict[str, Any] = {"color": CHANCE, "strokeDash": CHANCE_DASH, "strokeWidth": 2}  # the line of a chance level
AXES = 70  # pixels for axis labels and titles: Streamlit's chart height includes them
CELL = 36  # pixels: height of a row of cells
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
A_AND_B = (("A", IS_A, A), ("B", IS_B, B))
SELECTION = "cell"  # name of the selection by a click
Figure = alt.LayerChart
C = TypeVar("C", alt.Color, alt.Fill, alt.Stroke, alt.Shape, alt.StrokeDash)
MARKED = ("head_a", "head_b")
HEADS = [alt.VariableParameter(name=name, value={"layer": 0, "head": 0}) for name in MARKED]


def layered(charts: Sequence[Any], height: float, said: str = "", data: Any = alt.Undefined) -> Figure:
    """One chart of several layers, described by what its tooltips show. The catalogue adds its title.

    said: what is described besides. data: default of layers without data.
    """
    described = "; ".join(filter(None, (in_words(charts, data), said)))
    # By type, `alt.layer` may return a FacetChart, but only if layers are facets.
    return cast(Figure, alt.layer(*charts, height=height, description=described, params=HEADS, data=data))


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
        for which, here, colour in A_AND_B
        for under in (look | {"stroke": colour, "strokeWidth": 7, "strokeJoin": "round"}, look)
    ]


def ringed(data: pd.DataFrame) -> list[alt.Chart]:
    """Layers with a ring and a letter beside it for A and for B; positions are to be encoded. data: layer and head."""
    rings = [
        alt.Chart(data).transform_filter(here).mark_point(size=330, stroke=colour, strokeWidth=3, opacity=1)
        for _, here, colour in A_AND_B
    ]
    return [*rings, *letters(data, right=-18)]


def by_name(channel: type[C], column: str, looks: Mapping[str, Any], legend: alt.Legend | None = None) -> C:
    """A channel that shows the names in a column. looks: a colour, shape or dash for each name, in order."""
    scale = alt.Scale(domain=list(looks), range=list(looks.values()))
    return channel(f"{column}:N", scale=scale, legend=legend)


def legend(names: Iterable[str] = (), beside: int = 0, **look: Any) -> alt.Legend:
    """A legend without title above a figure. beside: pixels of another legend. look: other settings."""
    return alt.Legend(**{"title": None, "orient": "top", "columns": legend_columns(names, beside), **look})


def legend_columns(names: Iterable[str], beside: int = 0) -> alt.ExprRef:
    """The number of legend columns that fit the width of a figure. beside: pixels of another legend."""
    return alt.ExprRef(f"max(1, min(6, floor(((width + 40) - {beside}) / {7 * max(map(len, names), default=0) + 28})))")


def rgb(colours: Iterable[str]) -> np.ndarray:
    """Colours, "rrggbb" or "#rrggbb", as (N, 3) integers."""
    return np.array([list(bytes.fromhex(colour.removeprefix("#"))) for colour in colours])


def ink_on(colours: np.ndarray) -> list[str]:
    """The ink, light or dark, of more contrast (4.5 or more) on each of some colours, (N, 3) numbers up to 255."""
    part = colours / 255
    luminance = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722]
    return [DARK_INK if light > 0.179 else LIGHT_INK for light in luminance]


def ramp(anchors: str) -> np.ndarray:
    """256 colours interpolated between evenly spaced anchors ("rrggbb rrggbb ..."), (256, 3) integers."""
    return np.rint(interpolated(np.linspace(0, 1, 256), anchors.split())).astype(int)


def interpolated(places: Any, anchors: Sequence[str]) -> np.ndarray:
    """Colours at places between evenly spaced anchors, 0 at the first and 1 at the last, (N, 3)."""
    at = np.linspace(0, 1, len(anchors))
    return np.stack([np.interp(places, at, channel) for channel in rgb(anchors).T], axis=1)
