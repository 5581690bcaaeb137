"""Any two quantities of the heads against each other, and the heads that a drag chooses for the page."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import streamlit as st

from attn_core.charts.marks import SELECTION
from attn_core.charts.scatter import BRUSH, OTHER, Axis, scatter
from attn_core.head import Head
from attn_core.measures.statistics import STATISTICS
from attn_core.ui.shell.view import TextView
from attn_core.ui.widgets.controls import one_of
from attn_core.ui.widgets.pick import head_chart

if TYPE_CHECKING:
    from attn_core.measures.clusters import Clustering

CHOSEN, SEEN = "heads_brushed", "scatter_seen"  # in the session: heads in the last rectangle; what the chart said last
NAMED = ("role", "cluster")
ONE_SIZE = "all alike"


@dataclass(frozen=True, eq=False)
class Axes:
    """What the user wants to see of every head."""

    x: Axis
    y: Axis
    colour: str | Axis
    size: Axis | None


def choose_axes(axes: dict[str, Axis]) -> Axes:
    """Widgets for the two quantities, for colour and for size. axes: what can be chosen, see `axes_of`."""
    choose = partial(one_of, width=170)
    x = axes[choose("Across", list(axes), "x", "Mean distance")]
    y = axes[choose("Up", list(axes), "y", "Repetition")]
    colour = choose("Colour", [*NAMED, *axes], "colour")
    size = choose("Size", [ONE_SIZE, *axes], "size")
    return Axes(x, y, colour if colour in NAMED else axes[colour], axes.get(size))


def brushed_among(heads: pd.DataFrame) -> list[Head]:
    """The heads of the last rectangle, those that this model has; none at first."""
    every = {head.row: head for head in (Head.of_row(*row) for row in zip(heads["layer"], heads["head"], strict=True))}
    return [every[row] for row in st.session_state.get(CHOSEN, []) if row in every]


def show_scatter(view: TextView, heads: pd.DataFrame, axes: Axes, brushed: Sequence[Head]) -> None:
    """Every head by two quantities. heads: the statistics with role and cluster, in the order of the clustering."""
    x, y = axes.x, axes.y
    st.caption("**Click: head A; with Shift: head B; drag: only these heads.**")
    points = pd.DataFrame({"layer": heads["layer"], "head": heads["head"], "x": x.values, "y": y.values})
    figure = scatter(heads, x, y, axes.colour, axes.size, brushed)
    title = f"{y.label} against {x.label[:1].lower()}{x.label[1:]}, every head a point"
    head_chart(view.marked(figure), "scatter", title, on_select=partial(_select, points))


def show_brushed(heads: pd.DataFrame, brushed: Sequence[Head]) -> None:
    """Which heads were chosen in the scatter, and the way back to all."""
    if brushed:
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            st.markdown(f"**{len(brushed)} of {len(heads)} heads:** {', '.join(map(str, brushed[:24]))}")
            st.button(
                "Show all heads", icon=":material/filter_alt_off:", on_click=st.session_state.pop, args=(CHOSEN, None)
            )


def _select(points: pd.DataFrame) -> None:
    """Choose the head that was clicked, or those in a new rectangle; the chart tells all its selections each time.

    An empty rectangle says nothing: the chart forgets its own whenever it is drawn anew.
    """
    state = st.session_state
    selected, before = state["chart-scatter"]["selection"], state.get(SEEN, {})
    for selection, head in ((SELECTION, "a"), (OTHER, "b")):
        if (cells := selected.get(selection)) and cells != before.get(selection):
            state[head] = str(Head.of_row(cells[0]["layer"], cells[0]["head"]))
    if (brush := selected.get(BRUSH)) and brush != before.get(BRUSH):
        inside = np.logical_and.reduce([points[name].between(*sorted(brush[name])) for name in ("x", "y")])
        state[CHOSEN] = list(points.loc[inside, ["layer", "head"]].itertuples(index=False, name=None))
    state[SEEN] = {name: selected.get(name) for name in (SELECTION, OTHER, BRUSH)}


def axes_of(heads: pd.DataFrame, clusters: "Clustering") -> dict[str, Axis]:
    """Every statistic that all heads have a value of, the two components of all of them together, and the layer."""
    axes = {
        s.label: Axis(s.axis_title, heads[s.name].to_numpy(float), float(heads[s.chance].mean()), s.axis_format)
        for s in STATISTICS
        if heads[s.name].notna().all()
    }
    for at, share in enumerate(clusters.explained):
        values = clusters.projection[:, at]
        axes[f"component {at + 1}"] = Axis(f"component {at + 1} ({share:.0%} of the variance)", values, None, ".1f")
    axes["layer"] = Axis("layer", heads["layer"].to_numpy(float), None, "d")
    return axes
