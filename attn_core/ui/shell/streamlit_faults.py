"""What Streamlit 1.67 does otherwise than a reader needs, and what mends it on every page.

- It pushes an entry of the browser's history wherever it completes or corrects an address, so that Back leads nowhere:
  `history.js`; `tests/browser/test_history.py` fails without it.
- Its grid takes the Tab key for "next cell", column after column: `keyboard.js`; `test_the_tab_key_leaves_a_table_at_once`.
- It names Home after its file and has no way past its sidebar by keys: `landmarks.js`; `tests/browser/test_frame.py`.
- It forgets the names of other pages' choices as the page changes: `widgets/address.py`; `tests/browser/test_links.py`.
"""

from pathlib import Path

import streamlit as st

# The menu stands in three groups; to group pages by itself Streamlit would have to forget pages/, and with it deep links.
# Columns side by side need room: where the page is narrow they stand below each other.
# Streamlit's own CSV button on
# tables knows neither provenance nor what a spreadsheet would run, and its PNG of a chart has no title, and
# the colours of the screen; ours stand below each table and chart.
STYLE = """
[data-testid="stMainBlockContainer"] { padding: 1.5rem clamp(1rem, 5vw, 5rem) 2rem; }
[data-testid="stSidebarNavItems"] > li::before { display: block; font-size: 0.8rem; opacity: 0.65; padding-left: 0.5rem; }
[data-testid="stSidebarNavItems"] > li:is(:nth-child(8), :nth-child(10))::before { margin-top: 0.5rem; }
[data-testid="stSidebarNavItems"] > li:nth-child(1)::before { content: "This text"; }
[data-testid="stSidebarNavItems"] > li:nth-child(8)::before { content: "What follows"; }
[data-testid="stSidebarNavItems"] > li:nth-child(10)::before { content: "Over many texts"; }
.st-key-model input { font-size: 0.7rem; }
[data-testid="stMain"] h1 { font-size: 2.25rem; padding: 0.25rem 0; }
[data-testid="stMain"] h2 { font-size: 1.5rem; padding: 0.25rem 0; }
[data-testid="stElementContainer"]:has(> .stHtml > script),
[data-testid="stElementContainer"]:has([data-testid="stCaptionContainer"]:empty) { display: none; }
[data-testid="stMainBlockContainer"] > [data-testid="stVerticalBlock"] { gap: 0.75rem; }
:has(> [data-testid="stExpander"]) + [data-testid="stLayoutWrapper"]:has(> [data-testid="stExpander"]) { margin-top: -0.5rem; }
[data-testid="stMain"] [data-testid="stExpander"] summary { min-height: 0; padding-block: 0.35rem; }
[data-testid="stMain"] button[kind="tertiary"] { min-height: 1.75rem; padding-block: 0; }
[data-testid="stMain"] .st-key-notable [data-testid="stHorizontalBlock"] { flex-wrap: nowrap; align-items: baseline; }
[data-testid="stMain"] .st-key-notable button { min-height: 0; padding-block: 0; }
[data-testid="stMain"] [data-testid="stHorizontalBlock"]:has(> [data-testid="stColumn"]) { flex-wrap: wrap; row-gap: 1rem; }
[data-testid="stMain"] [data-testid="stColumn"] { min-width: min(100%, 20rem); }
button[aria-label^="Download as CSV"], button[aria-label^="Download as PNG"] { display: none; }
"""
_BESIDE = Path(__file__)
_SCRIPTS = [
    _BESIDE.with_name(f"{name}.js").read_text(encoding="utf-8") for name in ("keyboard", "history", "landmarks")
]


def mend() -> None:
    """Draw nothing, and mend what can be mended in the browser."""
    st.html(f"<style>{STYLE}</style>")
    st.html(f"<script>{''.join(_SCRIPTS)}</script>", unsafe_allow_javascript=True)
