"""What leaves the dashboard: tables as CSV, everything as a ZIP, figures as SVG and PNG."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, Literal

import pandas as pd
import streamlit as st

from attn_core.charts.paper import FORMS, PAGE, Caption, in_words, to_png, to_svg
from attn_core.columns.dictionary import in_markdown
from attn_core.io.table_folder import PROVENANCE, signed_provenance
from attn_core.io.tables import Provenance, to_csv, to_zip
from attn_core.models.controls import CONTROLS as KINDS
from attn_core.models.controls import NAMES
from attn_core.ui.widgets.controls import segmented

Width = Literal["stretch", "content"]
Shows = Mapping[str, str | None]
WITHOUT = {"CSV": ".parquet", "Parquet": ".csv", "both": None}  # what an archive of a format leaves out
FIGURES = "figures_of_the_page"
ON_SCREEN = "on_screen"  # where text, model and settings of what is on the screen are kept, in words and in full
# Streamlit puts what a widget shows into the address, so that these labels must stay as they are.
CONTROLS = {NAMES[control]: control for control in KINDS}
# What the words tell that stand above a page and under its figures, in their order.
OF_TEXT = ("text", "size", "model", "layout", "measure", "pairs")
OF_STUDY = ("study", "size", "corpus", "model", "layout", "measure", "pairs", "intervals")
OF_SERIES = ("series", "layout", "measure", "pairs")
OF_REPRODUCTION = ("reproduction", "corpus", "models", "size")


@dataclass(frozen=True, eq=False)
class SavedFigure:
    """A figure as it is saved: `width` pixels wide."""

    chart: Any
    about: Caption
    width: int

    def files(self, name: str) -> dict[str, bytes]:
        """As SVG as it is on the page and as a journal sets it, and its caption, by the names of the files."""
        drawn = {
            f"{name}{f'-{form.split()[0]}mm' if wide else ''}.svg": to_svg(self.chart, self.about, self.width, form)
            for form, wide in FORMS.items()
        }
        drawn[f"{name}.txt"] = in_words(self.chart, self.about)
        return {file: text.encode() for file, text in drawn.items()}


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
    return {PROVENANCE: signed_provenance(about, kept), **kept}


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


def caption_figures(words: Mapping[str, str], provenance: Provenance) -> None:
    """Say what is on the screen, in words and in full, for the figures that are saved from here on.

    words: by what they tell, as in `OF_TEXT`.
    """
    st.session_state[ON_SCREEN] = dict(words), provenance


@contextmanager
def captioned(words: Mapping[str, str], provenance: Provenance) -> Iterator[None]:
    """The same for the figures of one part of the page, which are of other texts than the rest."""
    before = st.session_state[ON_SCREEN]
    caption_figures(words, provenance)
    try:
        yield
    finally:
        st.session_state[ON_SCREEN] = before


def caption(title: str, shows: Shows = MappingProxyType({})) -> Caption:
    """What goes with a figure. shows: in which of the words it differs from what is on the screen; None: it has none of these."""
    on_screen, provenance = st.session_state[ON_SCREEN]
    more = {part: words for part, words in shows.items() if part not in on_screen}
    return Caption(title, ", ".join(filter(None, (more | on_screen | dict(shows)).values())), provenance)


def figure_buttons(chart: Any, name: str, about: Caption, across: float) -> None:
    """A chart as SVG and as PNG, in the form that is chosen, drawn by the same Vega-Lite without a browser, and its caption.

    across: its share of the page's width.
    """
    width = round(PAGE * across)
    st.session_state.setdefault(FIGURES, {})[name] = SavedFigure(chart, about, width)
    form = segmented("Width", list(FORMS), f"form-{name}", label_visibility="collapsed")
    for kind, draw, mime in (("svg", to_svg, "image/svg+xml"), ("png", to_png, "image/png")):
        make = partial(draw, chart, about, width, form)
        file_button(kind.upper(), f"{name}.{kind}", make, mime, f"{kind}-{name}")
    file_button("Caption", f"{name}.txt", partial(in_words, chart, about), "text/plain", f"caption-{name}")


def slug(title: str) -> str:
    """A file name from a title."""
    return re.sub(r"\W+", "-", title.lower()).strip("-")[:60] or "text"
