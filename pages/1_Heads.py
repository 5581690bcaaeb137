"""Heads: two heads of the same text side by side, matrix by matrix, pair by pair, statistic by statistic."""

import streamlit as st

from attn_core.measures.comparison import matrix_correlation, pair_overlap, side_by_side
from attn_core.ui.heads.alike import heads_like
from attn_core.ui.heads.head_pair import choose_scale, matrices, show_asked, show_strongest
from attn_core.ui.shell import page
from attn_core.ui.widgets import show

ORDER = ["statistic", "first_value", "second_value", "difference", "first_chance", "second_chance", "unit", "question"]

view = page.begin()
a, b = view.head_a, view.head_b
scale = choose_scale()
show_asked(view)
matrices(view, scale)
heads_like(view, a)

overlap, chance = pair_overlap(view.results.windows, a, b)
correlation = matrix_correlation(view.similarity(a), view.similarity(b), view.window.pairs.eligible)
with show.facts():
    show.beside_chance(
        "Strong pairs in common", f"{overlap:.1%}", f"chance: {chance:.1%}", "Strong in A and in B: K / P by chance."
    )
    show.beside_chance(
        "Correlation of the matrices",
        f"{correlation:z.2f}",
        ", ".join(filter(None, ["chance: 0", view.part_shown])),
        "Pearson's, over all pairs of tokens.",
    )

show_strongest(view)

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
    fold="How their statistics differ",
)

show.help("Heads")
