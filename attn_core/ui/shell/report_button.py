"""A report of what stands on the screen, as one HTML file that is made when it is asked for."""

from collections.abc import Callable, Sequence

import streamlit as st

from attn_core.errors import InputError
from attn_core.report.document import Report, Section, html
from attn_core.report.file import marked
from attn_core.report.kept_views import Notebook, chapter
from attn_core.ui.runs.kinds import STUDY
from attn_core.ui.widgets.downloads import slug

Make = Callable[[bool, Sequence[Section]], Report]


def report_button(name: str, title: str, make: Make, quoting: str = "", quiet: bool = False) -> None:
    """A menu: what may be quoted, whether the kept views come along, and the file.

    name: of the widget, one a page. make: the report, given whether it may quote and the chapters at its end. quoting: what
    it would quote, in words; empty where there is nothing. quiet: as a line of small room.
    """
    with st.popover(
        "Report", icon=":material/description:", type="tertiary" if quiet else "secondary", width="content"
    ):
        quote = bool(quoting) and st.checkbox(
            f"Quote {quoting}", key=f"quote-{name}", help="Else its SHA-256 alone tells which it was."
        )
        along = st.checkbox("Add the kept views", key=f"views-{name}") if _any_view() else False
        st.download_button(
            "Download as HTML",
            data=lambda: _file(make, quote, along),
            file_name=f"{slug(title) if quote or not quoting else name}.html",
            mime="text/html",
            icon=":material/download:",
            key=f"report-{name}",
            on_click="ignore",
            width="stretch",
        )


def _file(make: Make, quote: bool, along: bool) -> bytes:
    chapters = [chapter(Notebook(STUDY.root).views(), quote)] if along else []
    return marked(html(make(quote, chapters)))


def _any_view() -> bool:
    try:
        return bool(Notebook(STUDY.root).views())
    except (InputError, OSError):
        return False  # Home says what is wrong with it
