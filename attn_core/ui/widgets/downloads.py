"""What leaves the dashboard: tables as CSV, everything as a ZIP, figures as SVG and PNG."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, Literal

import pandas as pd
import streamlit as st

from attn_core.charts.paper import PAGE, Caption, in_words, to_png, to_svg
from attn_core.columns.dictionary import in_markdown
from attn_core.findings.protocols import Results
from attn_core.io.tables import Provenance, to_csv, to_zip

Width = Literal["stretch", "content"]
Shows = Mapping[str, str | None]
FIGURES = "figures_of_the_page"
ON_SCREEN = "on_screen"  # where text, model and settings of what is on the screen are kept, in words and in full


@dataclass(frozen=True, eq=False)
class SavedFigure:
    """A figure as it is saved: `width` pixels wide."""

    chart: Any
    about: Caption
    width: int

    def svg(self) -> bytes:
        """The file."""
        return to_svg(self.chart, self.about, self.width).encode()


def tables_button(results: Results, title: str, label: str, width: Width = "stretch") -> None:
    """All tables as CSV and Parquet in one ZIP, with provenance.json and columns.md; made when it is asked for."""
    st.download_button(
        label,
        data=lambda: to_zip({**results.files(), "columns.md": in_markdown().encode()}),
        file_name=f"{slug(title)}.zip",
        mime="application/zip",
        icon=":material/folder_zip:",
        help="Every table as CSV and Parquet, what each column means, and a provenance file: versions, model, hash of the "
        "text or corpus, settings.",
        on_click="ignore",
        width=width,
    )


def begin_figures() -> dict[str, SavedFigure]:
    """An empty place in which the figures of the page stand from here on, by the names of their files."""
    figures: dict[str, SavedFigure] = {}
    st.session_state[FIGURES] = figures
    return figures


def csv_button(table: pd.DataFrame, name: str, provenance: Provenance) -> None:
    """One table as CSV, its provenance in the last columns."""
    st.download_button(
        "CSV",
        data=lambda: to_csv(table, provenance),
        file_name=f"{name}.csv",
        mime="text/csv",
        icon=":material/download:",
        key=f"csv-{name}",
        on_click="ignore",
    )


def caption_figures(words: Mapping[str, str], provenance: Provenance) -> None:
    """Say what is on the screen, in words and in full, for the figures that are saved from here on.

    words: by what they tell, as in `in_words.OF_TEXT`.
    """
    st.session_state[ON_SCREEN] = dict(words), provenance


def caption(title: str, shows: Shows = MappingProxyType({})) -> Caption:
    """What goes with a figure. shows: in which of the words it differs from what is on the screen; None: it has none of these."""
    on_screen, provenance = st.session_state[ON_SCREEN]
    more = {part: words for part, words in shows.items() if part not in on_screen}
    return Caption(title, ", ".join(filter(None, (more | on_screen | dict(shows)).values())), provenance)


def figure_buttons(chart: Any, name: str, about: Caption, across: float) -> None:
    """A chart as SVG and as PNG, drawn by the same Vega-Lite without a browser, and a caption to copy.

    across: its share of the page's width.
    """
    width = round(PAGE * across)
    st.session_state.setdefault(FIGURES, {})[name] = SavedFigure(chart, about, width)
    for kind, draw, mime in (("svg", to_svg, "image/svg+xml"), ("png", to_png, "image/png")):
        st.download_button(
            kind.upper(),
            data=partial(draw, chart, about, width),
            file_name=f"{name}.{kind}",
            mime=mime,
            key=f"{kind}-{name}",
            on_click="ignore",
        )
    st.code(in_words(chart, about), language=None, wrap_lines=True)


def slug(title: str) -> str:
    """A file name from a title."""
    return re.sub(r"\W+", "-", title.lower()).strip("-")[:60] or "text"
