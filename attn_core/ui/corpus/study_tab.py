"""One subject of a study: the claims, curves with bands, anchors that texts keep, pairs to read, tables.

A study that came with the project has fewer tables than one that was counted here.
"""

from functools import partial

import streamlit as st

from attn_core.charts.anchors import stability_map, uniqueness_curve
from attn_core.charts.claims import claim_picture
from attn_core.charts.distances import distances_at_a_glance, layer_curve
from attn_core.head import every_head
from attn_core.measures.statistics import BY_NAME
from attn_core.study.opened import Study, SubjectTables
from attn_core.ui.corpus.examples import show_examples
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import one_of

# Curves of the claims: beside the picture, and folded.
MAIN, OTHERS = "mean_distance", ("same_sentence_share", "repetition_share", "separator_attention")


def choose_subject(study: Study, key: str) -> SubjectTables:
    """The subject that is chosen; by itself the first model, or the last step of a training. key: of the widget."""
    by_label = {subject.label: subject for subject in study.own}
    label = next(iter(by_label))
    if len(by_label) > 1:
        usual = [label for label, subject in by_label.items() if subject.name == study.own[0].name][-1]
        label = one_of("Subject", list(by_label), key, usual, width=420)
    return study.of(by_label[label].name, by_label[label].step)


def show_subject(study: Study) -> None:
    """The claims, curves, pairs and tables of the subject that is chosen."""
    tables = choose_subject(study, "subject")
    left, right = st.columns(2, gap="large")
    with left:
        st.header("What these texts show", anchor=False)
        title = "The claims: effects with their 95% intervals among the thresholds"
        show.chart(claim_picture(tables.claims), "claims-study", title)
        show.table(tables.claims, "study-claims", provenance=tables.provenance, fold="The claims in numbers")
    with right:
        st.header(BY_NAME[MAIN].label, anchor=False)
        _curve(tables, MAIN)
    if study.has("examples"):
        _pairs(tables)
    show.folded("Other curves by layer", "study-curves", partial(_other_curves, tables))
    if study.has("distance_bins"):
        show.folded("How far all layers reach, at a glance", "study-reach", partial(_reach, tables))
    if study.has("anchors"):
        label = "Anchors: do heads keep theirs, has each one of its own?"
        show.folded(label, "study-anchors", partial(_anchors, tables))
        columns = show.shares("coverage", "chance_coverage", "chance_token_coverage", "stability")
        label = "Anchors and runners-up of every head"
        show.table(tables.anchors, "study-anchor-tokens", columns, provenance=tables.provenance, fold=label)
    show.table(tables.layers, "study-layers", provenance=tables.provenance, fold="Every layer")
    show.table(tables.heads, "study-heads", provenance=tables.provenance, fold="Every head")
    show.table(study.table("subjects"), "study-subjects", provenance=study.provenance, fold="Every subject")


def _pairs(tables: SubjectTables) -> None:
    """Pairs of a head to read, and which head."""
    names = {str(head): head for head in every_head(*tables.shape)}
    with st.container(border=True, key="head-a"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.header("Pairs to read", anchor=False, width="content")
            head = one_of("Head", list(names), "a", width=120, label_visibility="collapsed")
        show_examples(tables, names[head])


def _curve(tables: SubjectTables, name: str) -> None:
    """A statistic by layer, with its band and its chance level."""
    statistic = BY_NAME[name].over(tables.unit)
    st.caption(statistic.question)
    figure = layer_curve(tables.heads, tables.layers, statistic)
    show.chart(figure, f"study-{name}", f"{statistic.label} of every head, by layer")


def _other_curves(tables: SubjectTables) -> None:
    names = [name for name in OTHERS if name in tables.layers]
    for column, name in zip(st.columns(len(names), gap="large"), names, strict=True):
        with column:
            st.header(BY_NAME[name].label, anchor=False)
            _curve(tables, name)


def _reach(tables: SubjectTables) -> None:
    st.caption("How many times more often than chance the strong pairs of a layer have a distance.")
    title = "How much more often than chance strong pairs have a distance, by layer"
    show.chart(distances_at_a_glance(tables.distance_bins, tables.unit), "study-distances", title)


def _anchors(tables: SubjectTables) -> None:
    """Anchors: how steady they are, and how much of its own each head's is."""
    heads = tables.heads
    st.caption(
        "Every head's anchor over all texts, coloured by the share of windows in which it is the head's anchor too: "
        f"{heads['anchor_stability'].mean():.0%} on average, where another head of the model has it in "
        f"{heads['chance_anchor_stability'].mean():.0%}."
    )
    show.chart(stability_map(heads), "study-anchors", "How often the anchor of each head is its anchor in one window")
    st.caption("Distinct anchors within a window, mean over the windows.")
    title = "How many of a layer's heads have an anchor of their own"
    show.chart(uniqueness_curve(tables.layers), "study-uniqueness", title)
