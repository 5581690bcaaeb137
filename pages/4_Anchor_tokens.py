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
heads = anchor_overview(ranked, labels, view.results.windows)

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
show.how_to_read(
    """
- **Share of pairs**: the share of a head's strong pairs that touch the token. **Chance**: the share of all pairs that the most
  common token touches, the next most common one and so on, rank by rank: the first token is the best of many, and the best of
  random pairs is the most common one. **Chance of this token**: the share of all pairs that touch this very token.
- **Lift**: the share over the chance of this token. By the share alone the most common token of a text has a head start.
- **No anchor** (–): the head's first token covers no more than its own chance. Such a head is not counted among different
  anchors. A head **gathers** where its anchor touches 10% of its pairs more than the most common token does by
  chance, and more than luck. On the map a head is grey, and names none, where its first token is not above **chance**.
- **Distinct anchors**: different anchors of a layer's heads, over its heads. Copies that never learned have more of them.
- A part of a word stands with the words that it is a part of: ##ing (walking, talking).
- **Shared**: in how many other heads, of the layer and of the model, the token is the anchor.
- **Keywords** are the phrases around whose words heads gather: by strong pairs of all heads (centred cosine, whatever the sidebar
  says) and by attention received in the last layer; an average word has 1 in each place, and places add up by squares. On 500
  abstracts with given keywords this finds more of them than TF-IDF does (docs/results.md).
""",
    "Which pairs are strong, and what breaks a tie (the rarer token). [CLS] and [SEP] may be anchors: see the switch in the "
    "sidebar.",
)
