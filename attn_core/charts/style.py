"""What charts share: colours that hold in light and dark, and how the chance level is drawn."""

from collections.abc import Sequence
from typing import Any, cast

import altair as alt

A, B = "#3b82f6", "#ea580c"
CHANCE = "#8a8f98"
ACCENT = "#7c3aed"
POINT = "#9a6ff0"  # a head among many: 3.5 : 1 on white, 5 : 1 on black
DIVERGING = ["#2f6fb7", "#8fb3d9", "#e3e3e3", "#e8a27c", "#c2410c"]
CHANCE_DASH = [5, 4]
CELL = 36
LIGHT_INK, DARK_INK = "#ffffff", "#1f2328"
STRONG = (
    0.85  # of the limit: beyond it white is read better than near-black on either end of the diverging scale, 3.9 : 1
)
DASHED: dict[str, Any] = {"color": CHANCE, "strokeDash": CHANCE_DASH, "strokeWidth": 2}  # the line of a chance level
# Cells that are chosen by a click.
CLICKED: dict[str, Any] = {"cursor": "pointer", "stroke": "#ffffff", "strokeOpacity": 0.35}
AXES = 70  # pixels for axis labels and titles: Streamlit's chart height includes them


def diverging(limit: float) -> alt.Scale:
    """Colours around zero, the same distance on both sides."""
    return alt.Scale(domain=[-limit, -limit / 2, 0, limit / 2, limit], range=DIVERGING, clamp=True)


def layered(charts: Sequence[Any], height: float, description: str) -> alt.LayerChart:
    """Charts drawn over one another. (`alt.layer` may return a FacetChart, its types say; not of charts without facets.)"""
    return cast(alt.LayerChart, alt.layer(*charts, height=height, description=description))


def tip(field: str, form: str = "", title: str = "") -> alt.Tooltip:
    """A column under the pointer, "share:Q", with the format of its numbers and its name where that is another."""
    return alt.Tooltip(field, format=form or alt.Undefined, title=title or alt.Undefined)


def ink(value: str, limit: float) -> Any:
    """White on the strong colours of a diverging scale, near-black on the pale ones."""
    return alt.condition(f"abs(datum.{value}) > {STRONG * limit}", alt.value(LIGHT_INK), alt.value(DARK_INK))
