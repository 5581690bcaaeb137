"""Choosing a head in a chart, by a click or by keys; it becomes head A on every page."""

from collections.abc import Callable
from functools import partial
from types import MappingProxyType
from typing import Any

import pandas as pd
import streamlit as st

from attn_core.charts.marks import SELECTION, Figure
from attn_core.head import Head
from attn_core.ui.widgets import show
from attn_core.ui.widgets.downloads import Shows

# Direction -> layers down and heads to the right. A click reaches the cells of a chart, the Tab key does not: these do.
STEPS = {"left": (0, -1), "right": (0, 1), "up": (-1, 0), "down": (1, 0)}
ICONS = {"left": "arrow_back", "right": "arrow_forward", "up": "arrow_upward", "down": "arrow_downward"}


def head_chart(
    figure: Figure,
    name: str,
    title: str,
    heads: pd.DataFrame,
    across: float = 1.0,
    on_select: Callable[[], None] | None = None,
    shows: Shows = MappingProxyType({}),
) -> Any:
    """A chart of all heads in which a click chooses head A, and buttons that step to the next one.

    heads: layer and head of all heads, counted from 1. title, across, shows: as of `show.chart`.
    on_select: in place of choosing head A.
    """
    last = int(heads["layer"].max()), int(heads["head"].max())
    return show.chart(
        figure,
        name,
        title,
        on_select=on_select or partial(_choose_clicked, name),
        across=across,
        beside=partial(_steps, name, last),
        shows=shows,
    )


def _choose_clicked(chart: str) -> None:
    """Make the head that was clicked in the chart of that name head A."""
    if cells := st.session_state[f"chart-{chart}"]["selection"][SELECTION]:
        st.session_state["a"] = str(Head.of_row(cells[0]["layer"], cells[0]["head"]))


def _steps(chart: str, last: tuple[int, int]) -> None:
    """A button for each direction; last: the numbers of the last layer and of the last head."""
    for direction in STEPS:
        st.button(
            f"A {direction}",
            key=f"{direction}-{chart}",
            icon=f":material/{ICONS[direction]}:",
            type="tertiary",
            on_click=_step,
            args=(direction, last),
        )


def _step(direction: str, last: tuple[int, int]) -> None:
    """Make the neighbour of head A in a direction head A; at the edge of the map it stays."""
    steps = zip(Head.named(st.session_state["a"]).row, STEPS[direction], last, strict=True)
    st.session_state["a"] = str(Head.of_row(*(min(max(at + step, 1), end) for at, step, end in steps)))
