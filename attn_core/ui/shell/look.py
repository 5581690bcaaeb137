"""How every page looks, and what its keys and its history do (`look.js`)."""

from pathlib import Path

import streamlit as st

# Columns side by side need room: where the page is narrow they stand below each other. Streamlit's own CSV button on
# tables knows neither provenance nor what a spreadsheet would run, and its PNG of a chart has no title, and
# the colours of the screen; ours stand below each table and chart.
STYLE = """
[data-testid="stMainBlockContainer"] { padding: 1.5rem clamp(1rem, 5vw, 5rem) 2rem; }
.st-key-model input { font-size: 0.7rem; }
[data-testid="stMain"] h1 { font-size: 2.25rem; padding: 0.25rem 0; }
[data-testid="stMain"] h2 { font-size: 1.5rem; padding: 0.25rem 0; }
[data-testid="stElementContainer"]:has(> .stHtml > script),
[data-testid="stElementContainer"]:has([data-testid="stCaptionContainer"]:empty) { display: none; }
[data-testid="stMainBlockContainer"] > [data-testid="stVerticalBlock"] { gap: 0.75rem; }
:has(> [data-testid="stExpander"]) + [data-testid="stLayoutWrapper"]:has(> [data-testid="stExpander"]) { margin-top: -0.5rem; }
[data-testid="stMain"] [data-testid="stExpander"] summary { min-height: 0; padding-block: 0.35rem; }
[data-testid="stMain"] button[kind="tertiary"] { min-height: 1.75rem; padding-block: 0; }
[data-testid="stMain"] .st-key-notable button { justify-content: flex-start; text-align: left; }
[data-testid="stMain"] [data-testid="stHorizontalBlock"]:has(> [data-testid="stColumn"]) { flex-wrap: wrap; row-gap: 1rem; }
[data-testid="stMain"] [data-testid="stColumn"] { min-width: min(100%, 20rem); }
button[aria-label^="Download as CSV"], button[aria-label^="Download as PNG"] { display: none; }
"""
_SCRIPT = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")


def apply() -> None:
    """Draw nothing, and set the style and the script of the page."""
    st.html(f"<style>{STYLE}</style>")
    st.html(f"<script>{_SCRIPT}</script>", unsafe_allow_javascript=True)
