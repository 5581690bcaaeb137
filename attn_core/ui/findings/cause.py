"""Why a row of a claim holds, in a line: what is learned, what is language; or that two subjects differ."""

import streamlit as st

from attn_core.ui.widgets.escape import plain

BADGES = {"learned": ":green-badge", "language": ":blue-badge", "different": ":orange-badge"}


def show_cause(name: str, label: str, sentence: str) -> None:
    """One line. name: of the row. label: as of `comparison.causes`. sentence: with the numbers that decide."""
    st.markdown(f"{badges(label)} **{plain(name)}.** {plain(sentence)}")


def badges(label: str) -> str:
    """The words of a label in their colours, as Markdown."""
    return " ".join(f"{BADGES.get(word, ':gray-badge')}[{word}]" for word in label.split("; "))
