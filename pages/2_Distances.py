"""Distances: how far the strong pairs of each layer reach, and whether they stay inside a sentence."""

from functools import partial

import streamlit as st

from attn_core.charts.curve import share_sensitivity
from attn_core.charts.pairs import bars_beside_chance, distances_at_a_glance
from attn_core.measures.distances import bins_of_head
from attn_core.measures.statistics import BY_LABEL, BY_NAME, Statistic
from attn_core.ui import derived
from attn_core.ui.readings import Choice
from attn_core.ui.shell import page
from attn_core.ui.shell.page import head_part
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import segmented


def show_other_shares(choice: Choice, statistics: tuple[Statistic, ...]) -> None:
    """Draw a statistic by layer for several shares of pairs, and the widget that chooses it."""
    curves = derived.layers_by_share(choice)
    chosen = segmented("Statistic", [statistic.label for statistic in statistics], "sensitivity")
    title = f"{chosen} by layer, for {curves['share'].nunique()} shares of strongest pairs"
    show.chart(share_sensitivity(curves, BY_LABEL[chosen], choice.settings.share), "sensitivity", title)


view = page.begin()
results = view.results
distance, sentence = BY_NAME["mean_distance"].over(results.unit), BY_NAME["same_sentence_share"]

left, right = st.columns(2, gap="large")
with left:
    st.header("Distances, times chance", anchor=False)
    title = "How much more often than chance strong pairs have a distance, by layer"
    show.chart(distances_at_a_glance(results.distance_bins, results.unit), "distances-at-a-glance", title)
with right:
    st.header("Mean distance by layer", anchor=False)
    view.show_curve(distance, "mean-distance", "Mean distance by layer of the strong pairs")
left, right = st.columns(2, gap="large")
with left:
    st.header("Inside one sentence, by layer", anchor=False)
    view.show_curve(sentence, "same-sentence", "Inside one sentence, by layer of the strong pairs")
with right, head_part(view):
    row = view.head_a.rows_of(results.statistics).iloc[0]
    st.markdown(
        f"Its strong pairs are **{row['mean_distance']:.0f} {results.unit}** apart on average (chance "
        f"{row['chance_mean_distance']:.0f}), **{row['same_sentence_share']:.0%}** of them lie inside one sentence "
        f"(chance {row['chance_same_sentence_share']:.1%})."
    )
    bins = bins_of_head(results.distances, results.distance_bins, view.head_a).sort_values("start")
    title = f"Distances of the strong pairs of {view.head_a}"
    show.chart(
        bars_beside_chance(bins, "distance", f"distance ({results.unit}; ranges double)", title),
        "distances-of-head",
        title,
    )

other_shares = partial(show_other_shares, view.choice, (distance, sentence))
show.folded("The same curves for other shares of pairs", "sensitivity", other_shares)
wanted = [column for s in (distance, sentence, BY_NAME["near_share"]) for column in (s.name, s.chance)]
show.table(results.layers[["layer", *wanted]], "layers", fold="Every layer")
show.table(results.distances, "distances", fold="Strong pairs of every head by distance")
show.help("Distances")
