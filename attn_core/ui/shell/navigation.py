"""The menu: the ten pages, what each of them asks, and what it reads."""

from dataclasses import dataclass
from typing import Any, Literal

import streamlit as st

from attn_core.ui.shell import look, page


@dataclass(frozen=True)
class Entry:
    """A page of the menu. reads: what is analysed before it is drawn; Corpus reads no text and loads no model."""

    file: str
    title: str
    question: str
    reads: Literal["text", "one window", "nothing"] = "text"
    heading: str = ""


MENU: dict[str, tuple[Entry, ...]] = {
    "This text": (
        Entry("0_Home", "Home", "What do this model's heads do with my text?", heading="Attention heads"),
        Entry("1_Heads", "Heads", "How do two heads differ?"),
        Entry("2_Distances", "Distances", "How far apart are the two tokens of a head's strong pairs?"),
        Entry("3_Specialization", "Specialization", "What is each head for?"),
        Entry("4_Anchor_tokens", "Anchor tokens", "Which token does each head gather around?"),
        Entry("5_Segmentation", "Segmentation", "Where does the text break?"),
        Entry("6_Patterns", "Patterns", "Which heads see this pattern?"),
    ),
    "What if": (
        Entry("7_Interventions", "Interventions", "What happens without a head?", "one window"),
        Entry("8_Compare", "Compare", "What does training, or another model, change?"),
    ),
    "Many texts": (Entry("9_Corpus", "Corpus", "Does the paper hold over many texts?", "nothing"),),
}
# One click away on every page, since every number rests on these words.
TERMS = """
**Strong pairs** of a head: the pairs of tokens whose output vectors in it are most alike, 1% of all pairs unless *Settings* say
otherwise. **Chance**: the same number over all pairs. **Untrained copy**: the same network with weights drawn anew; **shuffled
weights**: the trained weights, the entries of each matrix permuted; **shuffled text**: the same tokens in random order.
Frames and rings: head A blue, head B orange.
"""
FORMER = ("Findings", "Training")  # pages that are tabs of Corpus now: their addresses lead there


def show() -> None:
    """Draw the menu, the sidebar and the page that the address asks for."""
    menu = {group: [_page(entry) for entry in entries] for group, entries in MENU.items()}
    former = [st.Page("pages/9_Corpus.py", title="Corpus", url_path=name, visibility="hidden") for name in FORMER]
    st.set_page_config(layout="wide")
    here = st.navigation({**menu, "": former})
    entry = next(entry for entries in MENU.values() for entry in entries if entry.title == here.title)
    look.apply()
    st.title(entry.heading or entry.title, anchor=False)
    st.markdown(entry.question, help=TERMS)
    if entry.reads == "nothing":
        with page.of_corpora():
            here.run()
    else:
        with page.of_text(one_window=entry.reads == "one window"):
            here.run()


def _page(entry: Entry) -> Any:
    return st.Page(f"pages/{entry.file}.py", title=entry.title, default=entry.title == "Home")
