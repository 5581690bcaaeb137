"""Home: the map of all heads, heads worth a look, and the text itself as head A sees it."""

import streamlit as st

from attn_core.charts.heads import head_map
from attn_core.columns import dictionary
from attn_core.measures.roles import TOKENS
from attn_core.measures.statistics import BY_LABEL, STATISTICS
from attn_core.similarity.strong_pairs import SHARE
from attn_core.study.in_words import percents
from attn_core.texts.documents import samples
from attn_core.ui.home import text_view
from attn_core.ui.home.notable import show_notable
from attn_core.ui.shell import page
from attn_core.ui.shell.view import head_part
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import one_of
from attn_core.ui.widgets.escape import plain
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

paper, address = dictionary.paper()
look_for = next((sample.look_for for sample in samples() if sample.title == view.choice.title), "a text of yours")
show.how_to_read(
    f"""
- **In this text**: {plain(look_for)}
- **The paper** is {paper}, [arXiv 2512.21956]({address}).
- A **cell** of the map is one head; its number is the statistic over the head's strong pairs, its colour the difference
  to **chance**, the same statistic over all pairs of tokens. Grey is what chance gives.
- In the **text**, point at a token: the others take the colour of their similarity to it in head A.
""",
    f"Strong pairs are the strongest {percents([SHARE])} (move it in the sidebar); special tokens count.",
)
show.folded_table(
    "The numbers of every head",
    heads[["layer", "head", "role", *TOKENS, *(column for s in STATISTICS for column in (s.name, s.chance))]],
    "heads",
    view.provenance(),
)
