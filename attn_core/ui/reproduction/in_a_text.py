"""A claim in a text of the corpus: read again when it is asked for, since a reproduction keeps no text."""

from collections.abc import Hashable
from typing import Any

import streamlit as st

from attn_core.analysis.one_text import Analysis
from attn_core.errors import InputError, cause
from attn_core.models.files import ModelSpec
from attn_core.reproduction.examples import pairs_for, read_again
from attn_core.reproduction.opened import SAMPLES
from attn_core.texts.documents import SAMPLES_FOLDER
from attn_core.ui.caches import models_held
from attn_core.ui.findings.examples import example
from attn_core.ui.reproduction.choosing import Shown
from attn_core.ui.widgets.controls import number_input
from attn_core.ui.widgets.escape import plain

KEPT = 4  # analyses


def show_in_a_text(shown: Shown, claim: str, model: str) -> None:
    """A toggle, and pairs for the claim in a text that the reader chooses."""
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        wanted = st.toggle("Read it in a text", key="read_claim", bind="query-params")
        if not wanted:
            return
        of_corpus = shown.reproduction.readings[shown.reproduction.readings["corpus"] == shown.corpus]
        texts = int((of_corpus["texts"] + of_corpus["bad_texts"]).max())
        number = number_input("Text of the corpus", 1, texts, key="claim_text", width=180)
    corpora = shown.reproduction.corpora
    about = corpora[corpora["corpus"] == shown.corpus].iloc[0].to_dict()
    ours = shown.reproduction.folder.parent == SAMPLES  # whose texts come with the project too
    source = str(SAMPLES_FOLDER) if ours else shown.reproduction.source(shown.corpus)
    revision = str(of_corpus.loc[of_corpus["model"] == model, "revision"].iloc[0])
    try:
        with st.spinner("Reading the text", show_time=True):
            analysis = _analysis(shown.reproduction.spec(model, revision), revision, about, source, number - 1)
            rows = pairs_for(claim, analysis, f"text {number}")
    except InputError as error:
        st.caption(f":material/info: {plain(error)}")
        return
    except OSError as error:
        st.caption(f":material/info: The texts cannot be read: {plain(cause(error))}.")
        return
    columns = st.columns(max(1, len(rows)))
    for column, (at, row) in zip(columns, rows.iterrows(), strict=False):
        with column:
            example(row, f"claim-{at}")
    st.caption("Pairs of its first window under our usual choice. They show what the claim means; they prove nothing.")


@st.cache_resource(max_entries=KEPT, show_spinner=False)
def _analysis(spec: ModelSpec, revision: str, corpus: dict[Hashable, Any], source: str, number: int) -> Analysis:
    return read_again(models_held.model(spec), revision, corpus, source, number)
