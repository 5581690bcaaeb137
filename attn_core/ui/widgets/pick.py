"""Choosing a head in a chart by a click; it becomes head A on every page."""

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from attn_core.charts.style import SELECTION, Figure
from attn_core.head import Head
from attn_core.ui.widgets import show


def head_chart(figure: Figure, name: str, title: str, on_select: Callable[[], None] | None = None) -> Any:
    """A chart of all heads in which a click chooses head A; the sidebar does so by keys.

    title: as of `show.chart`. on_select: in place of choosing head A.
    """
    return show.chart(figure, name, title, on_select=on_select or partial(_choose_clicked, name))


def _choose_clicked(chart: str) -> None:
    """Make the head that was clicked in the chart of that name head A."""
    if cells := st.session_state[f"chart-{chart}"]["selection"][SELECTION]:
        st.session_state["a"] = str(Head.of_row(cells[0]["layer"], cells[0]["head"]))
