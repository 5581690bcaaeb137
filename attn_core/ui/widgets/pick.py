"""Choosing a head in a chart by a click; it becomes head A on every page."""

from collections.abc import Callable
from functools import partial
from types import MappingProxyType
from typing import Any

import streamlit as st

from attn_core.charts.marks import SELECTION, Figure
from attn_core.head import Head
from attn_core.ui.widgets import show
from attn_core.ui.widgets.downloads import Shows


def head_chart(
    figure: Figure,
    name: str,
    title: str,
    across: float = 1.0,
    on_select: Callable[[], None] | None = None,
    shows: Shows = MappingProxyType({}),
) -> Any:
    """A chart of all heads in which a click chooses head A; the sidebar does so by keys.

    title, across, shows: as of `show.chart`. on_select: in place of choosing head A.
    """
    return show.chart(
        figure, name, title, on_select=on_select or partial(_choose_clicked, name), across=across, shows=shows
    )


def _choose_clicked(chart: str) -> None:
    """Make the head that was clicked in the chart of that name head A."""
    if cells := st.session_state[f"chart-{chart}"]["selection"][SELECTION]:
        st.session_state["a"] = str(Head.of_row(cells[0]["layer"], cells[0]["head"]))
