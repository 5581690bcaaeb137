"""What changes in the text when heads are removed."""

import pandas as pd
import streamlit as st

from attn_core.similarity.words import find_words
from attn_core.ui import removals
from attn_core.ui.interventions.removed_heads import Removed
from attn_core.ui.removals import passage_of
from attn_core.ui.widgets import show
from attn_core.ui.widgets.escape import shaded_html

TEXT_HEIGHT = 300


def show_words(removed: Removed) -> None:
    """The text, shaded by how far each word's last state moves, and the words as a table."""
    words = word_table(removed)
    text = passage_of(removed.key).document.text
    shaded = shaded_html(text, words["start"].tolist(), words["end"].tolist(), words["change"].to_numpy(), ".2%")
    st.container(height=TEXT_HEIGHT).html(shaded)
    st.caption("The darker a word, the further its last state moves (1 − cosine). Point at it for the number.")
    columns = {"change": show.share_column("change of its last state")}
    show.table(words, "words-changed", columns, choices=removed.choices)


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
