"""Why a claim holds, in a line: learned, language, both, neither; or that two subjects differ."""

import streamlit as st

from attn_core.ui.widgets.escape import plain

BADGES = {
    "learned": ":green-badge",
    "language": ":blue-badge",
    "learned and language": ":violet-badge",
    "different": ":orange-badge",
}


def show_cause(claim: str, topic: str, verdict: str, sentence: str) -> None:
    """One line. verdict: as of `comparison.causes`. sentence: with the numbers that decide, on pointing."""
    st.markdown(f"{badge(verdict)} :gray[{claim}] **{topic}.**", help=plain(sentence))


def badge(verdict: str) -> str:
    """The verdict in its colour, as Markdown."""
    return f"{BADGES.get(verdict, ':gray-badge')}[{verdict}]"
