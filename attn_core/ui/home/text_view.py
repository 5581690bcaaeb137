"""The text itself, token by token, shaded by similarity to the token that the user points at."""

import numpy as np
import pandas as pd
import streamlit as st

from attn_core.measures.examples import snippet
from attn_core.texts.passages import Passage
from attn_core.texts.token_names import quoted
from attn_core.ui.components.shaded_text import shaded_text
from attn_core.ui.shell.view import View
from attn_core.ui.widgets import show
from attn_core.ui.widgets.escape import plain

CLOSEST = 15
TALL = 560  # pixels of the text, which scrolls: its read-out stays in sight
AROUND = 12  # characters on either side of a token: more would be cut off in the narrowest column


def similar_tokens(view: View) -> None:
    """The shaded text of head A, and beside it the tokens closest to the one that is picked, with values."""
    passage, (layer, head) = view.window.passage, view.head_a
    similarity = view.similarity(view.head_a)
    start = int(view.window.pairs.first[layer, head, 0])
    text, closest = st.columns([3, 2], gap="large")
    with text:
        st.markdown(
            f"**The text as {view.head_a} sees it:** point at a token, the others shade by their similarity to it"
        )
        view.choose_window()
        with st.container(height=TALL, border=False):
            position = picked_token(passage, similarity, start, f"text-{view.identity}")
    with closest:
        st.markdown(
            f"**Closest to {plain(quoted(passage.surface(position)))}** (token {position}; click another to pick it)"
        )
        nearest = closest_tokens(passage, similarity, position)
        show.table(
            nearest.assign(layer=layer + 1, head=head + 1),
            "closest-tokens",
            columns={
                "similarity": st.column_config.NumberColumn(
                    "similarity", format=show.aligned(nearest["similarity"], 4), width=70
                ),
                "distance": st.column_config.NumberColumn("distance", width=60),
                "in_context": st.column_config.TextColumn("in context"),
            },
            column_order=["similarity", "distance", "in_context"],
            height=TALL - 40,
            choices={"window": passage.index + 1, "position_of_token": position},
        )


def closest_tokens(passage: Passage, similarity: np.ndarray, position: int) -> pd.DataFrame:
    """The tokens most similar to one token: position, token, in_context, similarity, distance."""
    row = similarity[position].copy()
    row[position] = -np.inf
    order = np.argsort(-row, kind="stable")[: min(CLOSEST, len(row) - 1)]
    return pd.DataFrame(
        {
            "position": order,
            "token": [passage.tokens[i] for i in order],
            "in_context": [snippet(passage, int(i), AROUND) for i in order],
            "similarity": row[order],
            "distance": np.abs(order - position),
        }
    )


def picked_token(passage: Passage, similarity: np.ndarray, start: int, key: str) -> int:
    """The text of a passage, shaded; returns the position of the token that is picked, at first `start`."""
    tokens = [passage.surface(i) for i in range(len(passage))]
    picked = shaded_text(tokens, _gaps(passage), similarity, special=passage.is_special.tolist(), start=start, key=key)
    return start if picked is None else picked


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
