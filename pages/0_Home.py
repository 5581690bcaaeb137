"""Home: a box for another text, the map of all heads with those worth a look, and the text as head A sees it."""

import streamlit as st

from attn_core.measures.roles import TOKENS
from attn_core.measures.statistics import STATISTICS
from attn_core.ui.home.another_text import choose_another
from attn_core.ui.home.head_overview import map_of_heads, worth_a_look
from attn_core.ui.home.text_view import text_of_head
from attn_core.ui.shell import page
from attn_core.ui.shell.view import head_part
from attn_core.ui.widgets import show

view = page.begin()
choose_another()
heads, text = st.columns(2, gap="large")
with heads:
    map_of_heads(view)
    worth_a_look(view)
with text, head_part(view):
    text_of_head(view)

show.table(
    view.results.statistics[
        ["layer", "head", "role", *TOKENS, *(column for s in STATISTICS for column in (s.name, s.chance))]
    ],
    "heads",
    fold="Numbers of every head",
)
show.help("Home")
