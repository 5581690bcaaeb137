"""What follows in the text when heads are off."""

from functools import partial

import pandas as pd
import streamlit as st

from attn_core.similarity.words import find_words
from attn_core.ui import removals
from attn_core.ui.interventions.heads_off import Removed
from attn_core.ui.removals import passage_of
from attn_core.ui.shell.view import View
from attn_core.ui.widgets import show
from attn_core.ui.widgets.escape import shaded_html

TEXT_HEIGHT = 300


def show_after(view: View, removed: Removed) -> None:
    """The text, shaded by how far each word's last state moves."""
    st.header("What changes in the text", anchor=False)
    if not removed.heads:
        st.caption("With all heads on nothing changes: take some off on the map above.")
        return
    _show_text(removed)
    show.folded("Every word in numbers", "changes", partial(_show_numbers, view, removed))


def word_table(removed: Removed) -> pd.DataFrame:
    """One row a word, in the order of the text: start, end (characters), word, change (mean over its tokens)."""
    passage = passage_of(removed.key)
    tokens = removals.effect(removed.key, removed.heads, removed.how).tokens[0]
    words = find_words(passage)
    changes = words.mean(tokens[:, None])[:, 0]
    table = pd.DataFrame({"start": words.starts, "end": words.ends, "change": changes})
    text = passage.document.text
    table.insert(2, "word", [text[a:b] for a, b in zip(table["start"], table["end"], strict=True)])
    return table.sort_values("start", ignore_index=True)


def _show_text(removed: Removed) -> None:
    words = word_table(removed)
    most, half = words.loc[words["change"].idxmax()], words["change"].median()
    starts, ends = words["start"].tolist(), words["end"].tolist()
    text = passage_of(removed.key).document.text
    shaded = shaded_html(text, starts, ends, words["change"].to_numpy(), ".2%")
    st.container(height=TEXT_HEIGHT).html(shaded)
    st.caption(
        f"How far each word's last state moves (1 − cosine). Deepest: {most['change']:.1%}; half of the words move by less than "
        f"{half:.1%}. Point at a word for its number."
    )


def _show_numbers(view: View, removed: Removed) -> None:
    provenance = view.provenance(**removed.provenance, window=removed.key.number)
    columns = {"change": show.share_column("change of its last state")}
    show.table(word_table(removed), "words-changed", columns=columns, provenance=provenance)
