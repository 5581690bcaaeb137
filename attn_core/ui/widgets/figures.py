"""Figures of the catalogue on a page: each is made once, and a click on a head sets heads A and B in it."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attn_core.charts.catalogue import NO_WORDS, PAGE, Drawn, Tables, draw_figure
from attn_core.charts.paper import WIDTHS, Spec, to_png, to_svg
from attn_core.charts.style import SELECTION, marked
from attn_core.head import Head
from attn_core.ui.readings import kept
from attn_core.ui.widgets.controls import segmented
from attn_core.ui.widgets.show import save_button

BELOW = 4  # pixels of a figure below what it draws, where Streamlit would leave `STREAMLIT_LEAVES`
STREAMLIT_LEAVES = 20
# The configuration on light and dark pages: words have a contrast above 4.5, which Streamlit's have not; marks have no
# sentence each, which takes half of the drawing; the ends of an axis have their labels in place.
LOOKS: dict[str, dict[str, Any]] = {
    page: {
        "mark": {"aria": False}, "text": {"color": ink}, "legend": {"labelColor": ink, "titleColor": ink},
        "axis": {"labelFlush": False, "labelColor": ink, "titleColor": ink},
    } for page, ink in (("light", "#565c66"), ("dark", "#b4bac4"))
}  # fmt: skip
FORMATS: tuple[tuple[str, Callable[[Spec, str, int], str | bytes], str], ...] = (
    ("svg", to_svg, "image/svg+xml"), ("png", to_png, "image/png"),
)  # fmt: skip


class Finished(NamedTuple):
    """A figure of the catalogue with its specification for the screen. selects: whether a click on a mark counts."""

    drawn: Drawn
    spec: dict[str, Any]
    selects: bool


def fetch_what_draws(starting: bool) -> DeltaGenerator:
    """A place, at the start of a session with a message and an empty chart.

    With it the browser fetches what draws charts while a text is read.
    """
    place = st.empty()
    if starting:
        with place.container():
            st.caption(
                ":material/hourglass_top: Starting torch, loading the model and reading the text: about ten seconds "
                "when the dashboard starts, less from then on."
            )
            st.vega_lite_chart({"data": {"values": []}, "mark": "point"}, width=1, height=1)
    return place


def show_figure(
    owner: object,
    name: str,
    of: Tables | Callable[[], pd.DataFrame],
    *statistics: str,
    inputs: Hashable = (),
    words: Mapping[str, Hashable] = NO_WORDS,
    heads: Sequence[Head] = (),
    heading: bool = False,
    on_select: Callable[[str], None] | None = None,
    **arguments: Any,
) -> None:
    """Draw a figure of the catalogue, and a menu that saves it as SVG or PNG.

    It is made once for its owner (an analysis, a study), statistics, arguments and whatever else decides its tables
    (inputs). of: its tables, or a function that makes the only one. heads: A and B, which are marked. heading: draw
    its title. on_select: called with the name of the figure when a mark was clicked.
    """
    tables = of if isinstance(of, Tables) else Tables(PAGE, (), lambda _: of())
    key = (name, statistics, inputs, *words.items(), *arguments.items())
    drawn, spec, selects = kept(
        owner, key, lambda: _finished(draw_figure(name, tables, *statistics, words=words, **arguments))
    )
    if heading:
        st.header(drawn.title, anchor=False)
    st.vega_lite_chart(
        spec={**marked(spec, *heads), "config": LOOKS[st.context.theme.type or "light"]},
        key=f"chart-{drawn.name}",
        on_select=partial(on_select, drawn.name) if selects and on_select else "ignore",
        alt=str(drawn.chart.description),
    )
    save_menu(drawn.name, lambda: drawn, heads)


def save_menu(name: str, made: Callable[[], Drawn], heads: Sequence[Head] = (), label: str = "Save figure") -> None:
    """Draw a menu that saves a figure, which is made once one of its buttons is clicked, as SVG or PNG."""
    with st.popover(label, icon=":material/image:", type="tertiary", width="content"), st.container(horizontal=True):
        width = WIDTHS[segmented("Width", list(WIDTHS), f"form-{name}", label_visibility="collapsed")]
        for ending, draw, mime in FORMATS:
            make = partial(_saved, draw, made, heads, width)
            save_button(ending.upper(), f"{name}.{ending}", make, mime, f"{ending}-{name}")


def _finished(drawn: Drawn) -> Finished:
    """The figure with a specification whose data Streamlit sends as it is; `alt` has the description."""
    spec = drawn.chart.to_dict()
    del spec["description"]
    datasets = {name: pa.Table.from_pylist(rows) for name, rows in spec["datasets"].items()}
    looks = {"height": spec["height"] - (STREAMLIT_LEAVES - BELOW), "padding": {"bottom": BELOW}}
    selects = any(one["name"] == SELECTION for one in spec["params"])
    return Finished(drawn, spec | looks | {"datasets": datasets}, selects)


def _saved(
    draw: Callable[[Spec, str, int], str | bytes], made: Callable[[], Drawn], heads: Sequence[Head], width: int
) -> str | bytes:
    drawn = made()
    return draw(marked(drawn.chart.to_dict(), *heads), drawn.title, width)
