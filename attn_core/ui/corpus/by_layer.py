"""A subject by layer and by head: the charts of the text pages, with intervals over texts and copies in grey."""

from collections.abc import Callable, Sequence
from functools import partial

import pandas as pd
import streamlit as st

from attn_core.charts.anchors import stability_map
from attn_core.charts.curve import LAYER, curve, layer_curve
from attn_core.charts.pairs import distances_at_a_glance
from attn_core.measures.statistics import ANCHOR_UNIQUENESS, BY_NAME
from attn_core.models.files import COPIES
from attn_core.study.opened import SubjectTables
from attn_core.ui.widgets import show

CURVES = ("mean_distance", "same_sentence_share", "repetition_share", "separator_attention")


def show_layers(tables: SubjectTables) -> None:
    """Curves by layer, anchors, distances, and the tables."""
    copies = _copies(tables)
    parts: list[Callable[[], None]] = [
        partial(_curve, tables, name, copies) for name in CURVES if name in tables.layers
    ]
    _in_pairs(parts)
    if tables.has("distance_bins"):
        show.folded("How far strong pairs reach", "study-reach", partial(_distances, tables))
    if tables.has("anchors"):
        anchors = [partial(_uniqueness, tables, copies), partial(_stability, tables)]
        show.folded("Anchors by layer and head", "study-anchors", partial(_in_pairs, anchors))
        shares = show.shares("coverage", "chance_coverage", "chance_token_coverage", "stability")
        label = "Anchors and runners-up of every head"
        show.table(tables.table("anchors"), "study-anchor-tokens", shares, provenance=tables.provenance, fold=label)
    show.table(tables.layers, "study-layers", provenance=tables.provenance, fold="Every layer")
    show.table(tables.heads, "study-heads", provenance=tables.provenance, fold="Every head")


def _in_pairs(parts: Sequence[Callable[[], None]]) -> None:
    """Charts, two in a row."""
    for start in range(0, len(parts), 2):
        for column, draw in zip(st.columns(2, gap="large"), parts[start : start + 2], strict=False):
            with column:
                draw()


def _copies(tables: SubjectTables) -> dict[str, pd.DataFrame]:
    """The layers of the first copy of each kind, by its name, where the study has one."""
    study = tables.study
    first = {one.baseline: one for one in reversed(study.subjects) if one.serves(tables.subject)}
    return {COPIES[kind]: study.of(first[kind].name, first[kind].step).layers for kind in COPIES if kind in first}


def _curve(tables: SubjectTables, name: str, copies: dict[str, pd.DataFrame]) -> None:
    """A statistic by layer, with its band and its chance level."""
    statistic = BY_NAME[name].over(tables.unit)
    st.header(statistic.label, anchor=False)
    st.caption(statistic.question)
    figure = layer_curve(tables.heads, tables.layers, statistic, copies=copies)
    show.chart(figure, f"study-{name}", f"{statistic.label} of every head, by layer")


def _distances(tables: SubjectTables) -> None:
    st.caption("How many times more often than chance the strong pairs of a layer have a distance.")
    title = "How much more often than chance strong pairs have a distance, by layer"
    show.chart(distances_at_a_glance(tables.table("distance_bins"), tables.unit), "study-distances", title)


def _uniqueness(tables: SubjectTables, copies: dict[str, pd.DataFrame]) -> None:
    st.header("Has each head an anchor of its own?", anchor=False)
    st.caption("Distinct anchors of a layer over its heads, within a window.")
    title = "How many of a layer's heads have an anchor of their own"
    show.chart(curve(tables.layers, LAYER, ANCHOR_UNIQUENESS, copies=copies), "study-uniqueness", title)


def _stability(tables: SubjectTables) -> None:
    st.header("Do heads keep their anchor?", anchor=False)
    by_chance = tables.heads["chance_anchor_stability"].mean()
    st.caption(
        "The share of windows in which the head's anchor over all texts is its anchor too. Another head has that "
        f"anchor in {by_chance:.0%} of them."
    )
    title = "How often the anchor of each head is its anchor in one window"
    show.chart(stability_map(tables.heads), "study-anchors", title)
