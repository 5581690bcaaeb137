"""What a finished study shows: curves with bands, anchors with their stability, tables, the texts that were left out."""

import streamlit as st

from attn_core.charts.distances import distances_at_a_glance
from attn_core.charts.studies import banded_curve, stability_map
from attn_core.measures.statistics import BY_NAME
from attn_core.study.opened import Study
from attn_core.ui import show, studies
from attn_core.ui.escape import plain


def show_study(study: Study) -> None:
    """The tables of a finished study."""
    about, settings = study.provenance, study.manifest["settings"]
    st.caption(
        f"**{about['texts']:,} texts** in {about['windows']:,} windows, {about['bad_texts']:,} bad texts · "
        f"{plain(about['model'])} · {settings['measure']} · strongest {settings['share']:.1%} of pairs · "
        f"{settings['layout']} layout · 95 % intervals over texts"
    )
    studies.everything(study)
    if not about["windows"]:
        st.info("No text of this corpus could be counted: the reasons are below.", icon=":material/info:")
        _bad_texts(study)
        return
    if about["texts"] < 2:
        st.info("One text has no interval: give a study several texts.", icon=":material/info:")
    _curves(study)
    _anchors(study)
    _numbers(study)
    _bad_texts(study)


def _curves(study: Study) -> None:
    """Reach and sentences by layer."""
    for column, name in zip(st.columns(2, gap="large"), ("mean_distance", "same_sentence_share"), strict=True):
        with column:
            st.subheader(BY_NAME[name].label, anchor=False)
            st.caption(BY_NAME[name].question)
            show.chart(banded_curve(study.layers, BY_NAME[name]), f"study-{name}")
    st.subheader("All layers at a glance", anchor=False)
    st.caption("How many times more often than chance the strong pairs of a layer have a distance.")
    show.chart(distances_at_a_glance(study.table("distance_bins")), "study-distances")


def _anchors(study: Study) -> None:
    """Anchors and their stability."""
    st.subheader("Do heads keep their anchors?", anchor=False)
    st.caption(
        "Every head's anchor over all texts, coloured by the share of texts in which it is the head's anchor too."
    )
    show.chart(stability_map(study.heads), "study-anchors")
    with st.expander("Anchors and runners-up of every head"):
        share = st.column_config.NumberColumn(format="percent")
        columns = dict.fromkeys(("coverage", "chance_coverage", "stability"), share)
        show.table(study.anchors, "study-anchors", study.provenance, columns)


def _numbers(study: Study) -> None:
    """Layers and heads as tables."""
    st.subheader("Numbers", anchor=False)
    show.table(study.layers, "study-layers", study.provenance)
    with st.expander("Every head"):
        show.table(study.heads, "study-heads", study.provenance)


def _bad_texts(study: Study) -> None:
    """The texts that were left out, and why."""
    bad = study.table("bad_texts")
    if len(bad):
        with st.expander(f"{len(bad):,} texts were left out"):
            show.table(bad, "study-bad-texts", study.provenance)
