"""Choosing a head by clicking it in a chart; it becomes head A on every page."""

from collections.abc import Callable

import streamlit as st

from attn_core.charts.marks import SELECTION
from attn_core.measures.frames import head_name


def head_a_from(chart: str) -> Callable[[], None]:
    """What to do when a head is clicked in the chart of that name."""

    def select() -> None:
        if cells := st.session_state[f"chart-{chart}"]["selection"][SELECTION]:
            st.session_state["a"] = head_name(cells[0]["layer"], cells[0]["head"])

    return select
