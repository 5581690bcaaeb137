"""Heads: two heads of the same text side by side, matrix by matrix, pair by pair, statistic by statistic."""

from functools import partial

import streamlit as st

from attn_core.measures.comparison import side_by_side
from attn_core.ui.heads.alike import heads_like
from attn_core.ui.heads.head_pair import CROP, crops, facts, matrices, strongest_pairs
from attn_core.ui.shell import page
from attn_core.ui.widgets import show

ORDER = ["statistic", "first_value", "second_value", "difference", "first_chance", "second_chance", "unit", "question"]

view = page.begin()
a, b = view.head_a, view.head_b
facts(view)
panels, pair = matrices(view)
show.folded("Strongest pairs of both heads", "strongest", partial(strongest_pairs, view))
show.folded(f"Heads most like {a}", "alike", partial(heads_like, view, a))
show.folded(f"Zoom on {CROP} tokens", "crop", partial(crops, view, panels, pair))

number = st.column_config.NumberColumn
show.table(
    side_by_side(view.results.statistics, a, b)[ORDER],
    "statistics-of-two-heads",
    {
        "first_value": number(str(a), format="%.3f"),
        "first_chance": number(f"chance, {a}", format="%.3f"),
        "second_value": number(str(b), format="%.3f"),
        "second_chance": number(f"chance, {b}", format="%.3f"),
        "difference": number("difference", format="%+.3f"),
    },
    choices={"first": str(a), "second": str(b)},
    fold="Statistics side by side",
)

show.help("Heads")
