"""What the sidebar offers to take away: a report of what stands on the screen, and the view itself, with a note."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from attn_core.analysis.one_text import Analysis
from attn_core.findings.robustness import SoFar
from attn_core.findings.verdicts import findings
from attn_core.io.disk_cache import VARIABLE
from attn_core.io.paths import PROJECT
from attn_core.report.document import Report, Section
from attn_core.report.kept_views import HOME, LONGEST_NOTE, KeptView, Notebook
from attn_core.report.of_results import of_study, of_text
from attn_core.study.opened import Study
from attn_core.texts.documents import samples
from attn_core.ui.caches.other_settings import so_far
from attn_core.ui.choice import Choice
from attn_core.ui.findings.firmness import firm_of
from attn_core.ui.runs.kinds import STUDY
from attn_core.ui.shell.report_button import report_button
from attn_core.ui.widgets.address import lead_to
from attn_core.ui.widgets.escape import plain

NOTE, KEPT = "view_note", "view_kept"  # in the session; KEPT: the page whose view was kept last


def of_the_page(results: Analysis | Study, choice: Choice) -> None:
    """The report of the text, or of the study that stands in its place."""
    quoting = "pairs of its texts" if isinstance(results, Study) else "the text"
    make = partial(report_of, results, choice, so_far(choice))
    report_button("report", choice.title, make, quoting, quiet=True)


def report_of(
    results: Analysis | Study, choice: Choice, known: SoFar, quote: bool, chapters: Sequence[Section]
) -> Report:
    """The same. known: the verdicts under other settings, as far as they are known. A text of the user's has no name in it
    unless it may be quoted, since its name begins as the text does."""
    if isinstance(results, Study):
        return of_study(results, quote, chapters)
    title = choice.title if quote or choice.title in {sample.title for sample in samples()} else None
    text = results.reading.document.text if quote else ""
    return of_text(results, title, text, firm_of(findings(results), known, choice), chapters)


def keep_this_view(
    page: str, results: Analysis | Study | None, title: str, about: Sequence[str], claims: Sequence[str]
) -> None:
    """A menu with a note of the user's own, and a button that keeps the view; Home shows what was kept.

    page: its title. about: what is on the screen, in words. claims: those that the page is about, all where it names none.
    """
    with st.popover("Keep this view", icon=":material/bookmark_add:", type="tertiary", width="content"):
        notebook = Notebook(STUDY.root)
        if not notebook.kept:
            st.caption(f":material/info: Nothing is kept ({VARIABLE} is off).")
            return
        st.text_area("Note", key=NOTE, max_chars=LONGEST_NOTE, placeholder="What is to be seen here")
        st.button("Keep", key="keep-view", on_click=_keep, args=(notebook, page, results, title, about, claims))
        if st.session_state.get(KEPT) == page:
            st.success("Kept.", icon=":material/bookmark_added:")
            if st.button("See the kept views on Home", key="to-kept", type="tertiary", icon=":material/arrow_forward:"):
                lead_to("dashboard.py")


def _keep(
    notebook: Notebook,
    page: str,
    results: Analysis | Study | None,
    title: str,
    about: Sequence[str],
    claims: Sequence[str],
) -> None:
    numbers = tuple(
        f"{one.bars.name}: {one.label}{f', {one.number}' if one.number else ''}"
        for one in (findings(results) if results else ())
        if not claims or one.claim in claims
    )
    address = tuple((name, value) for name in st.query_params for value in st.query_params.get_all(name))
    view = KeptView(_page_named(page), address, st.session_state[NOTE].strip(), title, ", ".join(about), numbers)
    try:
        aside = notebook.keep(view)
    except OSError as error:
        st.toast(
            f"The view could not be kept: {plain(error.strerror or error)}.", icon=":material/warning:", duration="long"
        )
        return
    st.session_state[NOTE], st.session_state[KEPT] = "", page
    more = f" The views before were damaged and lie aside in {plain(aside.name)}." if aside else ""
    st.toast(f"Kept: Home shows it.{more}", icon=":material/bookmark_added:")


def _page_named(title: str) -> str:
    """A page by the name that stands in its address; Home has none there."""
    return title if [*(PROJECT / "pages").glob(f"*_{title.replace(' ', '_')}.py")] else HOME
