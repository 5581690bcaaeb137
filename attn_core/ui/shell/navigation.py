"""The menu: the ten pages, what each of them asks and reads; and the style of all pages."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import streamlit as st

from attn_core.ui.shell import page


@dataclass(frozen=True)
class Entry:
    """A page of the menu.

    reads: what is analysed before the page is drawn; nothing on Corpus, which loads no model.
    """

    file: str
    title: str
    question: str
    reads: Literal["text", "one window", "nothing"] = "text"


MENU: dict[str, tuple[Entry, ...]] = {
    "This text": (
        Entry("0_Home", "Home", "What do this model's heads do with my text?"),
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
**Strong pairs** of a head: the pairs of tokens whose output vectors in it are most alike, 1% of all pairs unless
*Settings* say otherwise. **Chance**: the same number over all pairs. **Untrained copy**: the same network with weights
drawn anew; **shuffled weights**: the trained weights, the entries of each matrix permuted; **shuffled text**: the same
tokens in random order. **A** (blue) marks head A, on *Heads* **B** (purple) the head that it is compared with.
"""
# Addresses of before lead to the pages that answer them now.
FORMER = {"Findings": "9_Corpus", "Training": "9_Corpus", "Home": "0_Home"}
# Columns side by side need room: where the page is narrow they stand below each other, and the grid of claims
# is scrolled. Streamlit's own CSV button on tables knows neither provenance nor what a spreadsheet would run, and its
# PNG of a chart has no title, and the colours of the screen; ours stand below each table and chart.
STYLE = """
[data-testid="stMainBlockContainer"] { padding: 1.5rem clamp(1rem, 5vw, 5rem) 2rem; }
@media (max-width: 768px) { [data-testid="stMainBlockContainer"] { padding-top: 4rem; } } /* below the header */
[data-testid="stCaptionContainer"] { color: inherit; opacity: 0.8; }
.st-key-model input { font-size: 0.7rem; }
[data-testid="stMain"] h1 { font-size: 2.25rem; padding: 0.25rem 0; }
[data-testid="stMain"] h2 { font-size: 1.5rem; padding: 0.25rem 0; }
[data-testid="stElementContainer"]:has(> .stHtml > script),
[data-testid="stElementContainer"]:has([data-testid="stCaptionContainer"]:empty) { display: none; }
[data-testid="stMainBlockContainer"] > [data-testid="stVerticalBlock"] { gap: 0.75rem; }
:has(> [data-testid="stExpander"]) + [data-testid="stLayoutWrapper"]:has(> [data-testid="stExpander"]) {
  margin-top: -0.5rem;
}
[data-testid="stMain"] [data-testid="stExpander"] summary { min-height: 0; padding-block: 0.35rem; }
[data-testid="stMain"] button[kind="tertiary"] { min-height: 1.75rem; padding-block: 0; }
[data-testid="stMain"] .st-key-notable { min-height: 24rem; }
[data-testid="stMain"] .st-key-notable button { justify-content: flex-start; text-align: left; }
[data-testid="stMain"] [data-testid="stHorizontalBlock"]:has(> [data-testid="stColumn"]) {
  flex-wrap: wrap; row-gap: 1rem;
}
.st-key-claims-grid [data-testid="stElementContainer"] { overflow-x: auto; }
.st-key-claims-grid [data-testid="stFullScreenFrame"] { min-width: 44rem; }
[data-testid="stMain"] [data-testid="stColumn"] { min-width: min(100%, 20rem); }
button[aria-label^="Download as CSV"], button[aria-label^="Download as PNG"] { display: none; }
"""
# What keys do, and one entry of the browser's history for each page.
SCRIPT = Path(__file__).with_name("look.js").read_text(encoding="utf-8")


def show() -> None:
    """Draw the menu, the sidebar and the page that the address asks for."""
    menu = {group: [_page(entry) for entry in entries] for group, entries in MENU.items()}
    by_file = {entry.file: entry for entries in MENU.values() for entry in entries}
    former = [_page(by_file[file], url_path=name, visibility="hidden") for name, file in FORMER.items()]
    st.set_page_config(layout="wide")
    here = st.navigation({**menu, "": former})
    entry = next(entry for entry in by_file.values() if entry.title == here.title)
    st.html(f"<style>{STYLE}</style>")
    st.html(f"<script>{SCRIPT}</script>", unsafe_allow_javascript=True)
    st.title(entry.title, anchor=False)
    st.markdown(entry.question, help=TERMS)
    if entry.reads == "nothing":
        with page.of_corpora():
            here.run()
    else:
        with page.of_text(entry.reads == "one window"):
            here.run()


def _page(entry: Entry, **address: Any) -> Any:
    """The page of an entry. address: arguments of `st.Page` for its address."""
    if entry.title == "Home" and not address:  # its own name would keep /Home from being an address
        address = {"default": True, "url_path": "Start"}
    return st.Page(f"pages/{entry.file}.py", title=entry.title, **address)
