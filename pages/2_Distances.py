"""Distances: how far the strong pairs of each layer reach, and whether they stay inside a sentence."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from attn_core.charts.distances import distance_distribution, distances_at_a_glance, layer_curve, share_sensitivity
from attn_core.measures.distances import bins_of_head
from attn_core.measures.statistics import BY_LABEL, BY_NAME, Statistic
from attn_core.ui import derived
from attn_core.ui.choice import Choice
from attn_core.ui.shell import page
from attn_core.ui.shell.view import head_part
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import segmented
from attn_core.ui.widgets.pick import head_chart


def _sensitivity(choice: Choice, statistics: Sequence[Statistic]) -> None:
    """Does the share of strongest pairs matter? One statistic by layer for several shares, and the widget that chooses it."""
    st.caption("The same curve for other shares of strongest pairs, from the same head outputs. Dashed: chance.")
    curves = derived.layers_by_share(choice)
    labels = [statistic.label for statistic in statistics]
    chosen = segmented("Statistic", labels, "sensitivity")
    shares = curves["share"].unique().tolist()
    show.chart(
        share_sensitivity(curves, BY_LABEL[chosen], choice.settings.share),
        "sensitivity",
        f"{chosen} by layer, for {len(shares)} shares of strongest pairs",
    )


view = page.begin()
results = view.results
heads, layers, binned, provenance = results.statistics, results.layers, results.distance_bins, results.provenance
distance, sentence = BY_NAME["mean_distance"].over(results.unit), BY_NAME["same_sentence_share"]
copies = view.copies.layers

st.caption("Each point is a head. **Click one to make it head A everywhere.**")
left, right = st.columns(2, gap="large")
with left:
    st.header("Mean distance by layer", anchor=False)
    curve = layer_curve(heads, layers, distance, copies=copies)
    head_chart(view.marked(curve), "mean-distance", "Mean distance of strong pairs, by layer")
with right:
    st.header("Inside one sentence, by layer", anchor=False)
    curve = layer_curve(heads, layers, sentence, copies=copies)
    head_chart(view.marked(curve), "same-sentence", "Strong pairs inside one sentence, by layer")

a = view.head_a
with head_part(view):
    row = heads.set_index(["layer", "head"]).loc[a.row]
    st.markdown(
        f"Its strong pairs are **{row['mean_distance']:.0f} {results.unit}** apart on average (chance "
        f"{row['chance_mean_distance']:.0f}), **{row['same_sentence_share']:.0%}** of them lie inside one sentence (chance "
        f"{row['chance_same_sentence_share']:.1%})."
    )
    figure = distance_distribution(bins_of_head(results.distances, binned, a), results.unit)
    show.chart(figure, "distances-of-head", f"Distances of the strong pairs of {a}")

st.header("All layers at a glance", anchor=False)
st.caption("How many times more often than chance the strong pairs of a layer have a distance.")
title = "How much more often than chance strong pairs have a distance, by layer"
show.chart(distances_at_a_glance(binned, results.unit), "distances-at-a-glance", title)

sensitivity = partial(_sensitivity, view.choice, (distance, sentence))
show.folded("Does the share of pairs matter?", "sensitivity", sensitivity)

show.help("Distances")
wanted = [c for s in (distance, sentence, BY_NAME["near_share"]) for c in (s.name, *s.bounds, s.chance) if c in layers]
show.table(layers[["layer", *wanted]], "layers", fold="The statistics of every layer")
show.table(results.distances, "distances", fold="Strong pairs of every head by distance")
