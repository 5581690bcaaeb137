"""What leaves the dashboard: tables as CSV, all of them as a ZIP, figures as SVG and PNG, reports as HTML. A file is made when it
is asked for; the page does not run again for it.
"""

import json
import re
from collections.abc import Callable, Mapping
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from attn_core.charts.paper import WIDTHS, to_png, to_svg
from attn_core.columns.dictionary import in_markdown
from attn_core.io.table_folder import PROVENANCE
from attn_core.io.tables import Provenance, to_csv, to_zip
from attn_core.ui.widgets.controls import segmented

if TYPE_CHECKING:
    from attn_core.report.document import Report

Files = Mapping[str, bytes]


def zip_button(label: str, title: str, files: Callable[[], Files], key: str) -> None:
    """Every table as CSV and Parquet, what each column means, and where they come from, with a title."""
    _button(
        label, f"{slug(title)}.zip", lambda: to_zip(archived(files(), title)), "application/zip", f"zip-{key}",
        icon=":material/folder_zip:", help="Every table as CSV and Parquet, what each column means, and where they come from.",
    )  # fmt: skip


def archived(files: Files, title: str) -> dict[str, bytes]:
    """Exported files as an archive has them: with what their columns mean, and the provenance with a title."""
    tables = {**files, "columns.md": in_markdown().encode()}
    about = {"title": title, **json.loads(tables.pop(PROVENANCE))}
    about["files"] = {name: sha256(data).hexdigest() for name, data in tables.items()}
    return {PROVENANCE: json.dumps(about, indent=2).encode(), **tables}


def report_button(name: str, make: "Callable[[], Report]", key: str) -> None:
    """One HTML file with the figures and tables of a text or a folder; none of a text's words are in it."""

    def made() -> bytes:
        from attn_core.report.document import html  # which draws: only where a report is asked for

        return html(make())

    _button(
        "Report (HTML)", f"{slug(name)}.html", made, "text/html", f"report-{key}",
        icon=":material/description:", help="One file with figures, tables and provenance. It does not quote the texts.",
    )  # fmt: skip


def csv_button(table: pd.DataFrame, name: str, provenance: Provenance) -> None:
    """One table as CSV, its provenance in the last columns."""
    make = partial(to_csv, table, provenance)
    _button("CSV", f"{name}.csv", make, "text/csv", f"csv-{name}", icon=":material/download:")


def figure_buttons(chart: Any, name: str, title: str) -> None:
    """A chart as SVG and as PNG, as wide as is chosen, drawn by the same Vega-Lite without a browser."""
    width = WIDTHS[segmented("Width", list(WIDTHS), f"form-{name}", label_visibility="collapsed")]
    for kind, draw, mime in (("svg", to_svg, "image/svg+xml"), ("png", to_png, "image/png")):
        _button(kind.upper(), f"{name}.{kind}", partial(draw, chart, title, width), mime, f"{kind}-{name}")


def _button(label: str, file: str, make: Callable[[], str | bytes], mime: str, key: str, **look: Any) -> None:
    st.download_button(label, make, file, mime, key=key, on_click="ignore", **look)


def slug(title: str) -> str:
    """A file name from a title."""
    return re.sub(r"\W+", "-", title.lower()).strip("-")[:60] or "text"
