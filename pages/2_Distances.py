"""Distances: how far the strong pairs of each layer reach, and whether they stay inside a sentence."""

from functools import partial

import streamlit as st

from attn_core.measures.statistics import BY_LABEL, BY_NAME, Statistic
from attn_core.ui import derived
from attn_core.ui.shell import page
from attn_core.ui.shell.page import View, head_part
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import segmented


def show_other_shares(view: View, statistics: tuple[Statistic, ...]) -> None:
    """Draw a statistic by layer for several shares of pairs, and the widget that chooses it."""
    chosen = segmented("Statistic", [statistic.label for statistic in statistics], "sensitivity")
    tables = {"layers_by_share": partial(derived.layers_by_share, view.choice)}
    view.show("shares", BY_LABEL[chosen].name, tables=tables, chosen=view.choice.settings.share)


view = page.begin()
results = view.results
distance, sentence = BY_NAME["mean_distance"], BY_NAME["same_sentence_share"]

left, right = st.columns(2, gap="large")
with left:
    st.header("Distance of strong pairs, relative to chance", anchor=False)
    view.show("distances")
with right:
    st.header("Mean distance by layer", anchor=False)
    view.show("layers", distance.name)
left, right = st.columns(2, gap="large")
with left:
    st.header("Inside one sentence, by layer", anchor=False)
    view.show("layers", sentence.name)
with right, head_part(view):
    row = view.head_a.rows_of(results.statistics).iloc[0]
    st.markdown(
        f"Its strong pairs are **{row['mean_distance']:.0f} {results.unit}** apart on average (chance "
        f"{row['chance_mean_distance']:.0f}), **{row['same_sentence_share']:.1%}** of them lie inside one sentence "
        f"(chance {row['chance_same_sentence_share']:.1%})."
    )
    view.show("distances-of-head", head=view.head_a)

other_shares = partial(show_other_shares, view, (distance, sentence))
show.folded("The same curves for other shares of pairs", "sensitivity", other_shares)
wanted = [f"{kind}{name}" for name in (distance.name, sentence.name, "near_share") for kind in ("", "chance_")]
show.table(results.layers[["layer", *wanted]], "layers", fold="Every layer")
show.table(results.distances, "distances", fold="Strong pairs of every head by distance")
show.help("Distances")
