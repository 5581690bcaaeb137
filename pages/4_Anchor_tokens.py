"""Anchor tokens: the token that each head gathers around, how much of its own it is, and where it stands."""

from functools import partial

import streamlit as st

from attn_core.charts.anchors import anchor_grid
from attn_core.measures.anchors import anchor_overview, anchor_table, token_labels
from attn_core.ui.anchor_tokens import anchors
from attn_core.ui.shell import page
from attn_core.ui.shell.view import head_part
from attn_core.ui.widgets import show
from attn_core.ui.widgets.pick import head_chart

view = page.begin()
labels = token_labels(view.results.windows)
ranked = anchor_table(view.results.coverage)
heads = anchor_overview(ranked, labels)

left, right = st.columns(2, gap="large")
with left:
    st.header("The anchor of every head", anchor=False)
    head_chart(
        view.marked(anchor_grid(heads)), "anchor-grid", "The anchor of every head, and how far it stands above chance"
    )
with right:
    st.header("All heads", anchor=False)
    anchors.show_heads(view, heads)
with head_part(view):
    anchors.show_tokens_of_head(view, ranked, labels)

show.folded("Distinct anchors by layer", "uniqueness", partial(anchors.show_distinct, view))
show.folded("The heads around one token", "around", partial(anchors.show_heads_around_token, view, heads, labels))
show.folded("Keywords of the text", "keywords", partial(anchors.show_keywords, view))
show.help("Anchor_tokens")
