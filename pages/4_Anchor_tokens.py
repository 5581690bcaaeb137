"""Anchor tokens: the token that each head gathers around, how much of its own it is, and where it stands."""

from functools import partial

import streamlit as st

from attn_core.charts.anchors import anchor_grid, uniqueness_curve
from attn_core.measures.few_pairs import too_few
from attn_core.texts.token_names import quoted
from attn_core.ui.anchor_tokens import anchors
from attn_core.ui.shell import page
from attn_core.ui.shell.view import head_part
from attn_core.ui.widgets import show
from attn_core.ui.widgets.escape import plain
from attn_core.ui.widgets.pick import head_chart

view = page.begin()
a, b = view.head_a, view.head_b
st.caption("**Click a cell to choose head A.**")
ranked, labels = anchors.ranked_tokens(view)
heads = anchors.overview(view, ranked, labels)

head_chart(
    view.marked(anchor_grid(heads)), "anchor-grid", "The anchor of every head, and how far it stands above chance"
)

mine = ranked[(ranked["layer"] == a.row[0]) & (ranked["head"] == a.row[1])]
first = mine.iloc[0]
above_chance = first["is_anchor"] and first["coverage"] > first["chance_coverage"]
gathers = f"It gathers around {plain(quoted(first['token']))}" if above_chance else "It has no anchor above chance"
numbers = show.shares("coverage", "chance_coverage", "chance_token_coverage")
numbers["in_words"] = st.column_config.TextColumn("anchor", width=120)
numbers["lift"] = st.column_config.NumberColumn("lift", format="%.1f")
with head_part(view):
    st.markdown(f"**{gathers}: its first tokens, each beside its chance**")
    show.table(
        mine.assign(in_words=mine["token_id"].map(labels)),
        f"tokens-{a}",
        numbers | {"in_words": st.column_config.TextColumn("token")},
        column_order=[
            "rank",
            "in_words",
            "coverage",
            "chance_coverage",
            "chance_token_coverage",
            "lift",
            "occurrences",
        ],
        height=220,
    )

left, right = st.columns(2, gap="large")
if not too_few(view.results.statistics):
    with left:
        st.header("Has each head an anchor of its own?", anchor=False)
        anchors.show_facts(view.results.layers, heads)
        title = "How many of a layer's heads have an anchor of their own"
        show.chart(uniqueness_curve(view.results.layers, view.copies.layers), "uniqueness", title)
with right:
    anchors.heads_around_token(view, heads, labels)
show.folded("Keywords of the text", "keywords", partial(anchors.show_keywords, view))

show.help("Anchor_tokens")
show.table(heads.drop(columns="anchor"), "anchors", numbers, fold="The anchor of every head")
