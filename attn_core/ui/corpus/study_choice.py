"""The Corpus page's controls: the form of a new study, and which study to show."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import streamlit as st

from attn_core.errors import InputError, cause
from attn_core.runs.progress import WORKING
from attn_core.study.corpus import Corpus
from attn_core.study.in_words import layout_in_words, settings_in_words, short_name
from attn_core.texts.languages import AUTO
from attn_core.ui.choice import Choice
from attn_core.ui.jobs import background, studies
from attn_core.ui.jobs.corpus_choice import choose_corpus
from attn_core.ui.jobs.result_folders import ELSEWHERE, choose_elsewhere, root
from attn_core.ui.shell.text_source import LANGUAGES
from attn_core.ui.widgets.downloads import slug
from attn_core.ui.widgets.escape import plain

PLANNED = "study_planned"  # what was told last, and of what
OF_EACH_TEXT = "each text's own"


def begin(choice: Choice, known: Sequence[studies.Listed]) -> None:
    """The form of a new study; model and settings are those of the sidebar."""
    model = short_name(choice.spec)
    try:
        corpus = choose_corpus()
    except InputError as error:
        st.caption(f":material/info: {plain(error)}")
        return
    except OSError as error:
        st.caption(f":material/info: The texts cannot be read: {plain(cause(error))}.")
        return
    left, right = st.columns(2)
    with right:
        languages = {OF_EACH_TEXT: AUTO} | {code: code for code in LANGUAGES}
        language = languages[
            st.selectbox(
                "Language of the texts",
                list(languages),
                key="corpus_language",
                bind="query-params",
                help="Decides where sentences end. Told by the little words of each text, unless you name one.",
            )
        ]
    usual = slug(f"{Path(corpus.source).stem} {model}")
    name = left.text_input("Name of the study", key="study_name", bind="query-params", placeholder=usual) or usual
    busy = [one.folder.name for one in known if one.progress.here and one.progress.status in WORKING]
    settings = ", ".join(settings_in_words(asdict(choice.settings)))
    st.caption(
        f"Model and settings are those of the sidebar: {plain(model)}, {settings}, {layout_in_words(choice.layout)}."
        + (f" {plain(busy[0])} is running: wait for it, or cancel it." if busy else "")
    )
    _plan(name, corpus, language, choice)
    if st.button("Start", icon=":material/play_arrow:", type="primary", disabled=bool(busy), key="start-study"):
        try:
            folder = background.start(name, corpus, language, choice)
        except (InputError, OSError) as error:
            st.warning(plain(error), icon=":material/info:")
        else:
            st.session_state["study"] = folder.name
            st.rerun()


def _plan(name: str, corpus: Corpus, language: str, choice: Choice) -> None:
    """A button that tells what the study would take; what it told stays until something else is asked for."""
    asked = (corpus, language, choice.spec, choice.layout, choice.settings)
    if st.button("What will it take?", icon=":material/schedule:", type="tertiary", key="plan-study"):
        try:
            with st.spinner("Counting a few windows of these texts", show_time=True):
                st.session_state[PLANNED] = asked, background.plan(name, corpus, language, choice)
        except (InputError, OSError) as error:
            st.warning(plain(error), icon=":material/info:")
    told, line = st.session_state.get(PLANNED, (None, ""))
    if told == asked:
        st.caption(f":material/schedule: {plain(line)}")


def choose(known: Sequence[studies.Listed]) -> Path | None:
    """The folder of the study to show."""
    names = [*(one.folder.name for one in known), ELSEWHERE]
    if st.session_state.get("study") not in (None, *names):
        st.warning(f"There is no study named {plain(st.session_state['study'])} here.", icon=":material/link_off:")
    name = st.selectbox("Study", names, key="study", bind="query-params")
    if name != ELSEWHERE:
        return root("studies") / name
    return choose_elsewhere("Folder of the study", studies.ELSEWHERE, "/home/me/study")
