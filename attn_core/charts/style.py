"""What charts share: colours that hold in light and dark, how the chance level is drawn, the sizes of their parts."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal, cast

import altair as alt
import numpy as np
from altair.utils.schemapi import disable_debug_mode

alt.theme.enable("none")  # the page's own theme draws
alt.data_transformers.disable_max_rows()  # 144 heads two by two are 20,592 rows
disable_debug_mode()  # every part would be checked when it is made, and again with the whole; the tests check the whole

A, B = "#3b82f6", "#ea580c"
CHANCE = "#8a8f98"
ACCENT = "#7c3aed"
POINT = "#9a6ff0"  # a head among many: 3.5 : 1 on white, 5 : 1 on black
DIVERGING = ["#2f6fb7", "#8fb3d9", "#e3e3e3", "#e8a27c", "#c2410c"]
# Okabe and Ito's, distinguished by all kinds of eyes, on white and on black.
COLOURS = ["#2f86d1", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#8c6d31", "#b3a800"]
CHANCE_DASH = [5, 4]
BLANK = DIVERGING[2]  # of a cell that says nothing: at or below chance, too few pairs, rounding alone
LIGHT_INK, DARK_INK = "#ffffff", "#1f2328"
# Of the limit: beyond it white is read better than near-black on either end of the diverging scale, 3.9 : 1.
STRONG = 0.85
DASHED: dict[str, Any] = {"color": CHANCE, "strokeDash": CHANCE_DASH, "strokeWidth": 2}  # the line of a chance level
AXES = 70  # pixels for axis labels and titles: Streamlit's chart height includes them
CELL, LEGEND = 36, 96  # pixels of a row of cells, and of a legend below them
LINE = 11  # pixels of a line in a cell, and of the letters in it
GRADIENT = alt.ExprRef("min(220, width - 24)")  # pixels of a colour bar, whose last number stands half beyond its end
Scheme = Literal["sequential", "diverging"]
VIRIDIS = "440154 482475 414487 355f8d 2a788e 21918c 22a884 44bf70 7ad151 bddf26 fde725"
# Of matrices: viridis (perceptually uniform), and blue to red with a middle that matches the page: light pages get dark ends,
# dark pages bright ends, so that "far from zero" is always "far from the page".
ANCHORS: dict[Scheme, dict[str, str]] = {
    "sequential": {"light": VIRIDIS, "dark": VIRIDIS},
    "diverging": {
        "light": "053061 2166ac 4393c3 92c5de d1e5f0 f7f7f7 fddbc7 f4a582 d6604d b2182b 67001f",
        "dark": "b3dcff 74b4ee 3f86cf 235a96 18345a 14171f 5a2418 963c24 cf5f3f f0906c ffc9ae",
    },
}
# The heads A and B of a chart, none until `marks.marked` names them: layers and heads count from 1.
HEADS = [alt.VariableParameter(name=name, value={"layer": 0, "head": 0}) for name in ("head_a", "head_b")]


def layered(charts: Sequence[Any], height: float, description: str, data: Any = alt.Undefined) -> alt.LayerChart:
    """Charts drawn over one another; data: of those that have none of their own."""
    # `alt.layer` may return a FacetChart, its types say; not of charts without facets.
    return cast(alt.LayerChart, alt.layer(*charts, height=height, description=description, params=HEADS, data=data))


def tip(field: str, form: str = "", title: str = "") -> alt.Tooltip:
    """A column under the pointer, "share:Q", with the format of its numbers and its name where that is another."""
    return alt.Tooltip(field, format=form or alt.Undefined, title=title or alt.Undefined)


def legend_columns(names: Iterable[str]) -> alt.ExprRef:
    """As many columns of a legend as a figure is wide enough for."""
    return alt.ExprRef(f"max(1, min(6, floor((width + 40) / {7 * max(map(len, names), default=0) + 28})))")


def colours(scheme: Scheme) -> list[str]:
    """The anchors of a scheme as #rrggbb, from the least value to the largest; those of a light page."""
    return [f"#{anchor}" for anchor in ANCHORS[scheme]["light"].split()]


def ramp(anchors: str) -> np.ndarray:
    """256 colours, (256, 3) integers, between evenly spaced anchors ("rrggbb rrggbb ...")."""
    rgb = np.array([list(bytes.fromhex(anchor)) for anchor in anchors.split()])
    at, where = np.linspace(0, 1, 256), np.linspace(0, 1, len(rgb))
    return np.rint(np.stack([np.interp(at, where, channel) for channel in rgb.T], axis=1)).astype(int)
