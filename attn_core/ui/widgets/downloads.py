"""What leaves the dashboard: tables as CSV, everything as a ZIP, figures as SVG and PNG."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import Any, Literal

import pandas as pd
import streamlit as st

from attn_core.charts.paper import WIDTHS, to_png, to_svg
from attn_core.columns.dictionary import in_markdown
from attn_core.io.table_folder import PROVENANCE
from attn_core.io.tables import Provenance, to_csv, to_zip
from attn_core.ui.widgets.controls import segmented

Width = Literal["stretch", "content"]
WITHOUT = {"CSV": ".parquet", "Parquet": ".csv", "both": None}  # what an archive of a format leaves out
FIGURES = "figures_of_the_page"


@dataclass(frozen=True, eq=False)
class SavedFigure:
    """A figure as it is saved."""

    chart: Any
    title: str

    def files(self, name: str) -> dict[str, bytes]:
        """As SVG in each width, by the names of the files."""
        drawn = {form: to_svg(self.chart, self.title, width).encode() for form, width in WIDTHS.items()}
        return {f"{name}-{form.replace(' ', '-').lower()}.svg": svg for form, svg in drawn.items()}


def archive_menu(
    label: str, title: str, files: Callable[[str], Mapping[str, bytes]], key: str, holds: str, width: Width
) -> None:
    """A menu: the format of the tables, and the ZIP of all of them, which is made when it is asked for.

    files: what is in it, for a format of `WITHOUT`. key: of the choice of the format. holds: what is in it, in words.
    """
    with st.popover(label, icon=":material/folder_zip:", width=width):
        form = segmented("Tables as", list(WITHOUT), key)
        file_button(
            "Download as ZIP",
            f"{slug(title)}.zip",
            lambda: to_zip(files(form)),
            "application/zip",
            f"zip-{key}",
            icon=":material/folder_zip:",
            help=f"{holds}, what each column means, and where they come from.",
            width="stretch",
        )


def archived(files: Mapping[str, bytes], title: str, form: str) -> dict[str, bytes]:
    """Exported files as an archive has them: tables in the format that is asked for, what their columns mean, and the
    provenance with a title. form: of `WITHOUT`.
    """
    about, left_out = {"title": title, **json.loads(files[PROVENANCE])}, WITHOUT[form]
    tables = {**files, "columns.md": in_markdown().encode()}
    kept = {name: data for name, data in tables.items() if not (left_out and name.endswith(left_out))}
    del kept[PROVENANCE]
    about["files"] = {name: sha256(data).hexdigest() for name, data in kept.items()}
    return {PROVENANCE: json.dumps(about, indent=2).encode(), **kept}


def begin_figures() -> dict[str, SavedFigure]:
    """An empty place in which the figures of the page stand from here on, by the names of their files."""
    figures: dict[str, SavedFigure] = {}
    st.session_state[FIGURES] = figures
    return figures


def file_button(label: str, file: str, make: Callable[[], str | bytes], mime: str, key: str, **look: Any) -> None:
    """A button that saves a file, which is made when it is asked for; the page does not run again for it."""
    st.download_button(label, make, file, mime, key=key, on_click="ignore", **look)


def csv_button(table: pd.DataFrame, name: str, provenance: Provenance) -> None:
    """One table as CSV, its provenance in the last columns."""
    make = partial(to_csv, table, provenance)
    file_button("CSV", f"{name}.csv", make, "text/csv", f"csv-{name}", icon=":material/download:")


def figure_buttons(chart: Any, name: str, title: str) -> None:
    """A chart as SVG and as PNG, as wide as is chosen, drawn by the same Vega-Lite without a browser."""
    st.session_state.setdefault(FIGURES, {})[name] = SavedFigure(chart, title)
    width = WIDTHS[segmented("Width", list(WIDTHS), f"form-{name}", label_visibility="collapsed")]
    for kind, draw, mime in (("svg", to_svg, "image/svg+xml"), ("png", to_png, "image/png")):
        file_button(kind.upper(), f"{name}.{kind}", partial(draw, chart, title, width), mime, f"{kind}-{name}")


def slug(title: str) -> str:
    """A file name from a title."""
    return re.sub(r"\W+", "-", title.lower()).strip("-")[:60] or "text"
