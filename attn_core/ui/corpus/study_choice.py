"""The form of a new study."""

from dataclasses import asdict
from pathlib import Path

import streamlit as st

from attn_core.errors import InputError
from attn_core.study.in_words import layout_in_words, settings_in_words, short_name
from attn_core.texts.languages import AUTO, NAMES
from attn_core.ui.choice import Choice
from attn_core.ui.runs import background
from attn_core.ui.runs.corpus import choose_corpus
from attn_core.ui.runs.kinds import STUDY
from attn_core.ui.runs.starting import offer_run
from attn_core.ui.widgets.downloads import slug
from attn_core.ui.widgets.escape import plain

OF_EACH_TEXT = "each text's own"


def begin(choice: Choice) -> None:
    """Model and settings are those of the sidebar."""
    model = short_name(choice.spec)
    if (corpus := choose_corpus()) is None:
        return
    left, right = st.columns(2)
    languages = {OF_EACH_TEXT: AUTO} | {code: code for code in NAMES}
    language = right.selectbox(
        "Language of the texts",
        list(languages),
        key="corpus_language",
        bind="query-params",
        help="Decides where sentences end. Told by the little words of each text, unless you name one.",
    )
    usual = slug(f"{Path(corpus.source).stem} {model}")
    name = left.text_input("Name of the study", key="study_name", bind="query-params", placeholder=usual) or usual
    settings = ", ".join(settings_in_words(asdict(choice.settings)))
    st.caption(
        f"Model and settings are those of the sidebar: {plain(model)}, {settings}, {layout_in_words(choice.layout)}."
    )
    try:
        command = background.of_study(corpus, languages[language], choice)
    except InputError as error:
        st.caption(f":material/info: {plain(error)}")
        return
    offer_run(STUDY, name, command, plan="Counting a few windows of these texts")
