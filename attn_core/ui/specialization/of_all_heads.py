"""All heads in other pictures: by two statistics, by the kinds of their pairs, by cluster, by noise, and two by two."""

import pandas as pd
import streamlit as st

from attn_core.charts.bars import kinds_at_a_glance
from attn_core.charts.clusters import Group, likeness_map, profile_table
from attn_core.charts.curve import Across, curve, layer_curve
from attn_core.charts.scatter import scatter
from attn_core.measures.clusters import Clustering, cluster_profiles
from attn_core.measures.comparison import overlap_of_all
from attn_core.measures.few_pairs import too_few
from attn_core.measures.statistics import BY_LABEL, BY_NAME, STATISTICS, Statistic
from attn_core.ui.shell.view import View
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import one_of
from attn_core.ui.widgets.pick import head_chart

SILHOUETTE = Statistic("silhouette", "mean silhouette", "ratio", "")
NUMBER = Across("clusters:O", "number of clusters")


def show_scatter(view: View, heads: pd.DataFrame, by: Group) -> None:
    """A point a head by two statistics that are chosen, in the colours of the map. heads: with role and cluster."""
    labels = [one.label for one in STATISTICS if heads[one.name].notna().all()]
    with st.container(horizontal=True):
        x = BY_LABEL[one_of("x axis", labels, "x", "Mean distance", width=220)].over(view.results.unit)
        y = BY_LABEL[one_of("y axis", labels, "y", "Repetition", width=220)].over(view.results.unit)
    title = f"{y.label} against {x.label[:1].lower()}{x.label[1:]}, every head a point"
    head_chart(view.marked(scatter(heads, x, y, by)), "scatter", title)


def show_kinds(view: View) -> None:
    """The kinds of the strong pairs of every head."""
    st.caption("Each strong pair counts once, as the first kind of the legend that fits it.")
    figure = kinds_at_a_glance(view.results.kinds)
    head_chart(view.marked(figure), "kinds", "Kinds of the strong pairs of every head, by layer")


def explain_clusters(view: View, clusters: Clustering) -> None:
    """The silhouettes by number of clusters, and what sets each cluster apart."""
    if too_few(view.results.statistics):
        st.caption("No clusters: too few strong pairs.")
        return
    if clusters.silhouettes:
        silhouettes = pd.Series(clusters.silhouettes, name=SILHOUETTE.name).rename_axis("clusters").reset_index()
        figure = curve(silhouettes, NUMBER, SILHOUETTE, note=f"chosen: {clusters.number}")
        show.chart(figure, "silhouette", "How well the heads part into clusters, by their number")
    show.chart(profile_table(cluster_profiles(clusters)), "profiles", "What sets each cluster of heads apart")


def show_noise(view: View) -> None:
    """The noise by layer, as a rate and in decibels."""
    results = view.results
    if results.layers["noise_rate"].isna().all():
        st.caption("Noise is not applicable where a model reads fewer than nine in ten tokens of the reference texts.")
        return
    for side, name in zip(st.columns(2, gap="large"), ("noise_rate", "snr_db"), strict=True):
        with side:
            statistic = BY_NAME[name]
            st.caption(statistic.question)
            figure = layer_curve(results.statistics, results.layers, statistic, copies=view.copies.layers)
            show.chart(figure, name.replace("_", "-"), f"{statistic.label} of every head, by layer")


def show_likeness(view: View, heads: pd.DataFrame) -> None:
    """The strong pairs that every two heads have in common. heads: with the cluster of each."""
    overlap, chance = overlap_of_all(view.results.windows)
    figure = likeness_map(overlap, heads, chance)
    head_chart(view.marked(figure), "likeness", "Strong pairs that every two heads have in common")
