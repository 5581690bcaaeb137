"""What the sidebar offers to take away: a report of what stands on the screen, as one HTML file that is made when it is
asked for; and all that a page rests on in one archive: tables, keywords, the page's figures.
"""

from collections.abc import Callable, Mapping
from functools import partial

import pandas as pd
import streamlit as st

from attn_core.analysis.one_text import Analysis
from attn_core.io.tables import table_files
from attn_core.report.document import Report, html
from attn_core.report.of_tables import of_text
from attn_core.texts.documents import samples
from attn_core.ui.choice import Choice
from attn_core.ui.widgets.downloads import SavedFigure, archive_menu, archived, begin_figures, file_button, slug

Make = Callable[[bool], Report]


def of_the_page(results: Analysis, choice: Choice) -> None:
    """The report of the text."""
    report_button("report", choice.title, partial(report_of, results, choice), "the text", quiet=True)


def report_of(results: Analysis, choice: Choice, quote: bool) -> Report:
    """The report. A text of the user's has no name in it unless it may be quoted, since its name begins as the text does."""
    title = choice.title if quote or choice.title in {sample.title for sample in samples()} else None
    text = results.reading.document.text if quote else ""
    return of_text(results, title, text)


def report_button(name: str, title: str, make: Make, quoting: str = "", quiet: bool = False) -> None:
    """A menu: what may be quoted, and the file.

    name: of the widget, one a page. make: the report, given whether it may quote. quoting: what it would quote, in words; empty
    where there is nothing. quiet: as a line of small room.
    """
    with st.popover(
        "Report", icon=":material/description:", type="tertiary" if quiet else "secondary", width="content"
    ):
        quote = bool(quoting) and st.checkbox(
            f"Quote {quoting}", key=f"quote-{name}", help="Else its SHA-256 alone tells which it was."
        )
        file = f"{slug(title) if quote or not quoting else name}.html"

        def made() -> bytes:
            return html(make(quote))

        icon = ":material/download:"
        file_button("Download as HTML", file, made, "text/html", f"report-{name}", icon=icon, width="stretch")


def everything_button(results: Analysis, choice: Choice) -> None:
    """A menu: the format of the tables, and the archive, which is made when it is asked for."""
    figures = begin_figures()
    archive_menu(
        "Download everything",
        choice.title,
        lambda form: archive(results, choice, form, figures),
        "tables-as",
        "Tables, and the figures of this page",
        "stretch",
    )


def archive(results: Analysis, choice: Choice, form: str, figures: Mapping[str, SavedFigure]) -> dict[str, bytes]:
    """The files by name. form: of `downloads.WITHOUT`."""
    files = table_files(_tables(results), results.provenance)
    every = (figure.files(name) for name, figure in dict(figures).items())
    drawn = {f"figures/{file}": data for files_of_one in every for file, data in files_of_one.items()}
    return archived(files, choice.title, form) | drawn


def _tables(results: Analysis) -> dict[str, pd.DataFrame]:
    """All tables of a text and its keywords."""
    from attn_core.analysis.keywords import keywords  # nltk takes most of a second to import

    return {**results.tables(), "keywords": keywords(results.reading)}
