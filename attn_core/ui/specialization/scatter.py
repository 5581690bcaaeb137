"""Any two statistics of the heads against each other."""

from functools import partial

import pandas as pd
import streamlit as st

from attn_core.charts.scatter import Axis, Group, scatter
from attn_core.measures.statistics import STATISTICS
from attn_core.ui.shell.view import View
from attn_core.ui.widgets.controls import one_of
from attn_core.ui.widgets.pick import head_chart

GROUPS: list[Group] = ["role", "cluster"]


def show_scatter(view: View, heads: pd.DataFrame) -> None:
    """Widgets for the two statistics and the colour, and a point a head. heads: with role and cluster."""
    axes, choose = _axes_of(heads), partial(one_of, width=140)
    with st.container(horizontal=True, gap="small"):
        x = axes[choose("Across", list(axes), "x", "Mean distance")]
        y = axes[choose("Up", list(axes), "y", "Repetition")]
        colour = choose("Colour", GROUPS, "colour")
    st.caption("**Click: head A.**")
    title = f"{y.label} against {x.label[:1].lower()}{x.label[1:]}, every head a point"
    head_chart(view.marked(scatter(heads, x, y, colour)), "scatter", title)


def _axes_of(heads: pd.DataFrame) -> dict[str, Axis]:
    """Every statistic that all heads have a value of, and the layer."""
    axes = {
        s.label: Axis(s.axis_title, heads[s.name].to_numpy(float), float(heads[s.chance].mean()), s.axis_format)
        for s in STATISTICS
        if heads[s.name].notna().all()
    }
    return axes | {"layer": Axis("layer", heads["layer"].to_numpy(float), None, "d")}
