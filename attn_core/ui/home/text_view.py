"""The text itself, token by token, shaded by similarity to the token that the user points at."""

import streamlit as st

from attn_core.texts.passages import Passage
from attn_core.ui.components.shaded_text import shaded_text
from attn_core.ui.shell.view import View

TALL = 560  # pixels of the text, which scrolls: its read-out stays in sight


def text_of_head(view: View) -> None:
    """The text as head A sees it, at first from a token of its strongest pair."""
    passage, head = view.window.passage, view.head_a
    st.caption(
        f"The text as {head} sees it: point at a token to shade the others by their similarity to it; a click keeps it."
    )
    view.choose_window()
    with st.container(height=TALL, border=False):
        shaded_text(
            [passage.surface(i) for i in range(len(passage))],
            _gaps(passage),
            view.similarity(head),
            special=passage.is_special.tolist(),
            start=int(view.window.pairs.first[head][0]),
            key=f"text-{view.identity}",
        )


def _gaps(passage: Passage) -> list[str]:
    """The blanks of the text before each token; a blank around special tokens, which the text does not have."""
    result, end = [], None
    for position in range(len(passage)):
        if passage.is_special[position]:
            result.append(" ")
            continue
        start = int(passage.starts[position])
        result.append(" " if end is None else passage.document.text[end:start])
        end = int(passage.ends[position])
    return result
