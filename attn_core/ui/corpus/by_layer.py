"""A subject by layer and by head: the charts of the text pages, with intervals over texts and copies in grey."""

from functools import partial

import streamlit as st

from attn_core.report.registry import Tables, drawn_of
from attn_core.study.opened import SubjectTables
from attn_core.ui.widgets import show


def show_layers(tables: SubjectTables) -> None:
    """Draw the curves by layer, distances and anchors of a subject, and its tables."""
    _show_charts(tables, "layers")
    if tables.has("distance_bins"):
        show.folded("How far strong pairs reach", "study-reach", partial(_show_charts, tables, "distances"))
    if tables.has("anchors"):
        anchors = partial(_show_charts, tables, "uniqueness", "stability")
        show.folded("Anchors by layer and head", "study-anchors", anchors)
        shares = show.shares("coverage", "chance_coverage", "chance_token_coverage", "stability")
        label = "Anchors and runners-up of every head"
        show.table(tables.table("anchors"), "study-anchor-tokens", shares, provenance=tables.provenance, fold=label)
    show.table(tables.layers, "study-layers", provenance=tables.provenance, fold="Every layer")
    show.table(tables.heads, "study-heads", provenance=tables.provenance, fold="Every head")


def _show_charts(tables: SubjectTables, *charts: str) -> None:
    """Draw the registered charts of these names, two in a row."""
    names = ("heads", "layers", "distance_bins")
    of = Tables("text", names, tables.table, tables.unit, copies=tables.copies)
    for at, one in enumerate(drawn_of(of, *charts)):
        if at % 2 == 0:
            sides = st.columns(2, gap="large")
        with sides[at % 2]:
            st.header(one.title, anchor=False)
            show.chart(one.chart, f"study-{one.name}", one.title)
