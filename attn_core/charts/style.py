"""What charts share: colours that hold in light and dark, those of matrices, and how the chance level is drawn."""

from collections.abc import Sequence
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
CHANCE_DASH = [5, 4]
BLANK = DIVERGING[2]  # of a cell that says nothing: at or below chance, too few pairs, rounding alone
CELL = 36
LIGHT_INK, DARK_INK = "#ffffff", "#1f2328"
STRONG = (
    0.85  # of the limit: beyond it white is read better than near-black on either end of the diverging scale, 3.9 : 1
)
DASHED: dict[str, Any] = {"color": CHANCE, "strokeDash": CHANCE_DASH, "strokeWidth": 2}  # the line of a chance level
# Cells that are chosen by a click.
CLICKED: dict[str, Any] = {"cursor": "pointer", "stroke": "#ffffff", "strokeOpacity": 0.35}
AXES = 70  # pixels for axis labels and titles: Streamlit's chart height includes them
Scheme = Literal["sequential", "diverging"]
Ground = Literal["light", "dark"]
VIRIDIS = "440154 482475 414487 355f8d 2a788e 21918c 22a884 44bf70 7ad151 bddf26 fde725"
# Of matrices: viridis (perceptually uniform), and blue to red with a middle that matches the page: light pages get dark ends,
# dark pages bright ends, so that "far from zero" is always "far from the page".
ANCHORS: dict[Scheme, dict[Ground, str]] = {
    "sequential": {"light": VIRIDIS, "dark": VIRIDIS},
    "diverging": {
        "light": "053061 2166ac 4393c3 92c5de d1e5f0 f7f7f7 fddbc7 f4a582 d6604d b2182b 67001f",
        "dark": "b3dcff 74b4ee 3f86cf 235a96 18345a 14171f 5a2418 963c24 cf5f3f f0906c ffc9ae",
    },
}


def diverging(limit: float) -> alt.Scale:
    """Colours around zero, the same distance on both sides."""
    return alt.Scale(domain=[-limit, -limit / 2, 0, limit / 2, limit], range=DIVERGING, clamp=True)


def above(limit: float) -> alt.Scale:
    """Colours of what exceeds zero, where only that says something; grey at zero and below."""
    return alt.Scale(domain=[0, limit / 2, limit], range=DIVERGING[2:], clamp=True)


def layered(charts: Sequence[Any], height: float, description: str) -> alt.LayerChart:
    """Charts drawn over one another. (`alt.layer` may return a FacetChart, its types say; not of charts without facets.)"""
    return cast(alt.LayerChart, alt.layer(*charts, height=height, description=description))


def tip(field: str, form: str = "", title: str = "") -> alt.Tooltip:
    """A column under the pointer, "share:Q", with the format of its numbers and its name where that is another."""
    return alt.Tooltip(field, format=form or alt.Undefined, title=title or alt.Undefined)


def ink(value: str, limit: float) -> Any:
    """White on the strong colours of a diverging scale, near-black on the pale ones."""
    return alt.condition(f"abs(datum.{value}) > {STRONG * limit}", alt.value(LIGHT_INK), alt.value(DARK_INK))


def colours(scheme: Scheme, ground: Ground) -> list[str]:
    """The anchors of a scheme as #rrggbb, from the least value to the largest."""
    return [f"#{anchor}" for anchor in ANCHORS[scheme][ground].split()]


def ramp(anchors: str) -> np.ndarray:
    """256 colours, (256, 3) integers, between evenly spaced anchors ("rrggbb rrggbb ...")."""
    rgb = np.array([list(bytes.fromhex(anchor)) for anchor in anchors.split()])
    at, where = np.linspace(0, 1, 256), np.linspace(0, 1, len(rgb))
    return np.rint(np.stack([np.interp(at, where, channel) for channel in rgb.T], axis=1)).astype(int)
