"""Another text from the page itself: a box to paste into, and the samples."""

import streamlit as st

from attn_core.texts.documents import samples
from attn_core.ui.shell import text_source


def choose_another() -> None:
    """A pasted text is kept and read, as one of the sidebar is; a sample is read."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_area(
            "Your own text (kept on this machine until you delete it)",
            key="pasted",
            on_change=_keep_pasted,
            height=68,
            placeholder="Paste a text and press Ctrl+Enter",
        )
        titles = [one.title for one in samples()]
        st.menu_button("Or a sample", titles, key="sample", on_click=_read_sample)


def _keep_pasted() -> None:
    text, st.session_state["pasted"] = st.session_state["pasted"], ""
    if text.strip():
        text_source.keep(text)


def _read_sample() -> None:
    st.session_state.pop("language", None)  # what was set by hand belongs to the text before
    st.session_state["text"] = st.session_state["sample"]
