"""What stands around a page: the sidebar, the analysis of the current choice, and what an error looks like."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attn_core.analysis.one_text import Analysis
from attn_core.errors import InputError, ModelNotHere
from attn_core.head import Head
from attn_core.io.tables import table_files
from attn_core.measures.few_pairs import MIN_PAIRS, describe_left_out, enough_share, too_few
from attn_core.models.controls import CONTROLS, control_of
from attn_core.models.files import ModelSpec
from attn_core.texts.documents import samples
from attn_core.ui import readings
from attn_core.ui.readings import Choice
from attn_core.ui.shell import model_download, sidebar
from attn_core.ui.shell.copies import Copies
from attn_core.ui.shell.view import View
from attn_core.ui.widgets import controls, show
from attn_core.ui.widgets.downloads import report_button, zip_button
from attn_core.ui.widgets.escape import plain

if TYPE_CHECKING:
    from attn_core.report.document import Report

LAST = "last_good_choice"
WHOLE = "choice_with_noise"
SAID = "said_before_drawn_again"
VIEW, CHOICE = "view_of_the_run", "choice_of_the_run"


def begin() -> View:
    """What the page shows, once for each run; a page that is opened without the dashboard draws its sidebar here."""
    return st.session_state.pop(VIEW, None) or _prepare(one_window=False).view


def choice() -> Choice:
    """Model and settings of the sidebar, for a page that reads no text."""
    with st.sidebar:
        return st.session_state.pop(CHOICE, None) or sidebar.choose_without_text()


@contextmanager
def of_text(one_window: bool) -> Iterator[None]:
    """Draw what stands around a page about a text: sidebar and warnings; and the page again once more is known.

    one_window: the page is of the first window unless another is chosen, and says so.
    """
    frame = _prepare(one_window)
    st.session_state[VIEW] = frame.view
    yield
    _complete(frame)


@contextmanager
def of_corpora() -> Iterator[None]:
    """Draw the sidebar of a page that reads no text and loads no model."""
    controls.remember()
    with st.sidebar:
        st.caption("Of a new study")
        st.session_state[CHOICE] = sidebar.choose_without_text()
    ignored = st.container()
    yield
    controls.warn(ignored)


@dataclass(frozen=True, eq=False)
class _Frame:
    """A page being drawn. said: the warnings above it; ignored, of_copies: places above what it draws."""

    view: View
    said: list[str]
    ignored: DeltaGenerator
    of_copies: DeltaGenerator


def _prepare(one_window: bool) -> _Frame:
    """Draw what stands above a page, and find what the page shows."""
    controls.remember()
    said = _said_before()
    first_chart = _fetch_what_draws()
    drawn = sidebar.draw()
    asked, results = _shown(drawn.choice, one_window, said)
    st.session_state[show.PROVENANCE] = results.provenance
    choice = asked.of_one_window if one_window else asked
    first_chart.empty()
    st.session_state[LAST] = asked
    heads = _draw_sidebar(drawn.heads, choice, results)
    ignored = st.container()
    _say_what_differs(choice, results)
    if asked.window != choice.window:
        _say_which_window(choice)
    view = View(choice, results, *heads, Copies(choice))
    return _Frame(view, said, ignored, st.container())


def _complete(frame: _Frame) -> None:
    """Wait for what the page shows besides the text, and draw it again with that."""
    said = frame.said + controls.warn(frame.ignored)
    choice = frame.view.choice
    if not _is_known(choice):
        with st.spinner("Reading the reference texts, for the noise rate"):
            readings.results(choice)
        st.session_state[WHOLE] = choice
        _draw_again(said)
    with frame.of_copies:
        if frame.view.copies.complete():
            _draw_again(said)


def _said_before() -> list[str]:
    """The warnings of the run that this one only completes, shown again: what they are about has left the address."""
    said = st.session_state.pop(SAID, [])
    for message in said:
        st.warning(message, icon=":material/info:")
    return said


def _draw_again(said: list[str]) -> None:
    """Run the page anew, complete, with the warnings of this run."""
    st.session_state[SAID] = said
    st.rerun()


def _draw_sidebar(place: DeltaGenerator, choice: Choice, results: Analysis) -> tuple[Head, Head]:
    """Draw the part of the sidebar that needs the numbers, and return the heads chosen in it. place: of the heads."""
    with place:
        heads = sidebar.choose_heads(*results.shape)
    with st.sidebar:
        _badge(results)
        zip_button("All tables (ZIP)", choice.title, partial(_files, results), "tables")
        report_button(choice.title, partial(_report, results, choice.title), "text")
    return heads


def _files(results: Analysis) -> dict[str, bytes]:
    """All tables of a text and its keywords."""
    from attn_core.analysis.keywords import keywords  # nltk takes most of a second to import

    return table_files({**results.tables(), "keywords": keywords(results.reading)}, results.provenance)


def _report(results: Analysis, title: str) -> "Report":
    """The report of a text. A text of the user's has no name in it, since its name begins as the text does."""
    from attn_core.report.of_tables import of_text as report_of_text

    return report_of_text(results, title if title in {sample.title for sample in samples()} else None)


def _say_which_window(choice: Choice) -> None:
    if (windows := len(readings.passages(choice.key))) > 1:
        st.caption(
            f":material/info: This page reads window {choice.key.number} of {windows} alone, and its numbers of heads are of "
            "that window. *Window* in the sidebar chooses another."
        )


def _fetch_what_draws() -> DeltaGenerator:
    """A place that says what is waited for at the start of a session, and holds an empty chart.

    With it the browser fetches what draws charts while a text is read.
    """
    place = st.empty()
    if LAST not in st.session_state:
        with place.container():
            st.caption(
                ":material/hourglass_top: Starting torch and transformers, loading the model and reading the text: about ten "
                "seconds at a start of the dashboard, less from then on."
            )
            st.vega_lite_chart({"data": {"values": []}, "mark": "point"}, width=1, height=1)
    return place


def _shown(asked: Choice | InputError, one_window: bool, said: list[str]) -> tuple[Choice, Analysis]:
    """A choice and its numbers, or those of one window; where they cannot be had, the reason, and what was shown before."""
    choice = _explain_and_fall_back(asked, said) if isinstance(asked, InputError) else asked
    try:
        return choice, _find(choice, one_window)
    except InputError as error:
        choice = _explain_and_fall_back(error, said)
        return choice, _find(choice, one_window)


def _explain_and_fall_back(error: InputError, said: list[str]) -> Choice:
    """Say what is wrong in one sentence, unless it is said, and go on with what was shown before, or with the first sample."""
    sample = samples()[0]
    last = st.session_state.get(LAST) or Choice(ModelSpec(), sample.title, sample.text, sample.language)
    shown = f"Still showing “{plain(last.title)}” with {plain(last.spec)}."
    if not said:
        said.append(f"{plain(error)} {shown}")
        st.warning(said[0], icon=":material/info:")
    if isinstance(error, ModelNotHere):
        model_download.offer(ModelSpec(st.session_state["model"], st.session_state.get("revision") or None))
    return last


def _find(choice: Choice, one_window: bool) -> Analysis:
    with st.spinner("Reading the text", show_time=True):
        shown = choice.of_one_window if one_window else choice
        return readings.results(shown) if _is_known(shown) else readings.without_noise(shown)


def _is_known(choice: Choice) -> bool:
    """Whether the numbers of a choice wait for no reference text; what was whole a run ago stays so, whatever a cache dropped."""
    return st.session_state.get(WHOLE) == choice or readings.is_known(choice)


def _badge(results: Analysis) -> None:
    model = results.reading.model
    kind = "cross-attention" if model.spec.stack == "cross" else "decoder, causal" if model.causal else "encoder"
    with st.expander(f"{model.layers} x {model.heads} heads, checked", icon=":material/verified:"):
        st.markdown(f"**{plain(model.spec)}**, {kind}, on {model.device}, float32. When it was loaded: {model.check}.")
        st.caption(f"Revision: {model.revision}")


def _say_what_differs(choice: Choice, results: Analysis) -> None:
    """What a reader would not expect of these numbers: a control in the model's place, words, windows that are left out."""
    if control := control_of(choice.spec, choice.layout):
        st.caption(f":orange-badge[{CONTROLS[control]}] These are the numbers of a baseline.")
    if results.unit == "words":
        st.caption(":material/notes: Counted over words: where this page says token, it means a word.")
    if short := results.provenance.get("short_windows"):
        st.caption(f":material/warning: {describe_left_out(short)}")
    if too_few(results.statistics):
        _warn_of_few(results)


def _warn_of_few(results: Analysis) -> None:
    """Says why no head is named, and offers the share of the pairs that would be enough."""
    first = results.statistics.iloc[0]
    pairs = round(first["pairs"] / first["windows"])
    number = "1 strong pair a head is" if pairs == 1 else f"{pairs} strong pairs a head are"
    few = f":material/warning: {number} too few to name or colour heads by: it takes {MIN_PAIRS} in a window"
    share = enough_share([len(one.all_pairs[0]) for one in results.windows])
    wanted = round(100 * share, 1)
    with st.container(horizontal=True, gap="xsmall", vertical_alignment="center"):
        if wanted <= sidebar.MOST:
            st.caption(f"{few}, which are the strongest {wanted:g}% of this text.", width="content")
            choose_them = st.session_state.update
            st.button(
                f"Take {wanted:g}%", key="enough-pairs", type="tertiary", on_click=choose_them, args=({"q": wanted},)
            )
        else:
            st.caption(f"{few}. Take more text.")
