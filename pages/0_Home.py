"""Home: the map of all heads, heads worth a look, and the text itself as head A sees it."""

import streamlit as st

from attn_core.charts.heads import head_map
from attn_core.measures.roles import TOKENS
from attn_core.measures.statistics import BY_LABEL, STATISTICS
from attn_core.ui.home import text_view
from attn_core.ui.home.notable import show_notable
from attn_core.ui.shell import page
from attn_core.ui.shell.view import head_part
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import one_of
from attn_core.ui.widgets.pick import head_chart

view = page.begin()
heads = view.results.statistics
label = one_of("Colour the heads by", list(BY_LABEL), "by")
statistic = BY_LABEL[label].over(view.results.unit)
st.caption(f"{statistic.question} **Click a cell: head A.**")
head_chart(view.marked(head_map(heads, statistic)), "head-map", f"{label} of every head, beside chance")
show_notable(view)

with head_part(view):
    text_view.similar_tokens(view)

show.help("Home")
show.table(
    heads[["layer", "head", "role", *TOKENS, *(column for s in STATISTICS for column in (s.name, s.chance))]],
    "heads",
    fold="The numbers of every head",
)
