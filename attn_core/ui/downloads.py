"""What leaves the dashboard: tables as CSV, everything as a ZIP, figures as SVG and PNG."""

import re
from functools import partial
from typing import Any, Literal

import pandas as pd
import streamlit as st

from attn_core.analysis import Analysis
from attn_core.export import Provenance, table_files, to_csv, to_zip
from attn_core.study.opened import Study

Width = Literal["stretch", "content"]
FIGURE_NOTE = "figure_note"  # where the frame keeps text, model and settings of what is on the screen


def everything_button(
    found: Analysis | Study, title: str, label: str = "Download everything", width: Width = "stretch"
) -> None:
    """All tables as CSV and Parquet in one ZIP, with provenance.json; made when it is asked for."""
    st.download_button(
        label,
        data=lambda: to_zip(
            found.files() if isinstance(found, Study) else table_files(found.tables(), found.provenance)
        ),
        file_name=f"{slug(title)}.zip",
        mime="application/zip",
        icon=":material/folder_zip:",
        help="Every table as CSV and Parquet, with a provenance file: versions, model, hash of the text or corpus, settings.",
        on_click="ignore",
        width=width,
    )


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


def figure_buttons(chart: Any, name: str) -> None:
    """A chart as SVG and as PNG, drawn by the same Vega-Lite without a browser; titled, since it will travel alone."""
    title = {"text": name.replace("-", " "), "subtitle": st.session_state.get(FIGURE_NOTE, ""), "anchor": "start"}
    for kind, mime in (("svg", "image/svg+xml"), ("png", "image/png")):
        st.download_button(
            kind.upper(),
            data=partial(_drawn, chart, title, kind),
            file_name=f"{name}.{kind}",
            mime=mime,
            key=f"{kind}-{name}",
            on_click="ignore",
        )


def slug(title: str) -> str:
    """A file name from a title."""
    return re.sub(r"\W+", "-", title.lower()).strip("-")[:60] or "text"


def _drawn(chart: Any, title: dict[str, Any], kind: str) -> str | bytes:
    import vl_convert  # 50 MB of Vega in a shared library: only where a figure is saved

    spec = chart.properties(title=title).to_json()
    return vl_convert.vegalite_to_svg(spec) if kind == "svg" else vl_convert.vegalite_to_png(spec, scale=2)
