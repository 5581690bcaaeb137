"""What a study shows, at work or finished: findings, curves with bands, anchors with their stability, tables, texts left out."""

from pathlib import Path

import streamlit as st

from attn_core.charts.anchors import uniqueness_curve
from attn_core.charts.distances import distances_at_a_glance, layer_curve
from attn_core.charts.studies import stability_map
from attn_core.errors import InputError
from attn_core.findings import findings
from attn_core.measures.statistics import BY_NAME
from attn_core.study import folder as files
from attn_core.study.opened import Study, open_study
from attn_core.study.progress import WORKING, read_progress
from attn_core.ui import show, studies
from attn_core.ui.downloads import caption_figures, everything_button
from attn_core.ui.escape import plain
from attn_core.ui.fact import shares
from attn_core.ui.in_words import origin_in_words, study_in_words


def show_folder(folder: Path) -> None:
    """A study in whatever state it is: at work, stopped, or finished."""
    progress, manifest = read_progress(folder), files.read_json(folder / files.MANIFEST)
    if progress is None or progress.status == "finished":
        try:
            show_study(open_study(folder))
        except InputError as error:
            st.warning(plain(error), icon=":material/info:")
        return
    if manifest:
        st.caption(" · ".join(map(plain, origin_in_words(manifest))))
    if progress.status in WORKING:
        studies.watch(folder)
    else:
        studies.failure(folder, progress)


def show_study(study: Study) -> None:
    """The tables of a finished study."""
    name, *about = map(plain, study_in_words(study))
    st.caption(" · ".join([f"**{name}**", *about]))
    caption_figures(study_in_words(study), study.provenance)
    everything_button(study, study.folder.name, "Download the study", width="content")
    if not study.provenance["windows"]:
        st.info("No text of this corpus could be counted: the reasons are below.", icon=":material/info:")
        _bad_texts(study)
        return
    if study.provenance["texts"] < 2:
        st.info("One text has no interval: give a study several texts.", icon=":material/info:")
    st.header("What these texts show", anchor=False)
    for finding in findings(study):
        show.finding(finding)
    st.caption(
        "Choose the study under **Numbers from** in the sidebar, and Distances, Specialization and Anchor tokens show it."
    )
    _curves(study)
    _anchors(study)
    _numbers(study)
    _bad_texts(study)


def _curves(study: Study) -> None:
    """The statistics of the paper's claims by layer, each with its band and its chance level."""
    names = ("mean_distance", "same_sentence_share", "repetition_share", "separator_attention")
    for pair in (names[:2], names[2:]):
        for column, name in zip(st.columns(2, gap="large"), pair, strict=True):
            with column:
                st.header(BY_NAME[name].label, anchor=False)
                st.caption(BY_NAME[name].question)
                show.chart(layer_curve(study.heads, study.layers, BY_NAME[name]), f"study-{name}", across=0.5)
    st.header("All layers at a glance", anchor=False)
    st.caption("How many times more often than chance the strong pairs of a layer have a distance.")
    show.chart(distances_at_a_glance(study.distance_bins), "study-distances")


def _anchors(study: Study) -> None:
    """Anchors: how steady they are, and how much of its own each head's is."""
    heads = study.heads
    st.header("Do heads keep their anchors?", anchor=False)
    st.caption(
        "Every head's anchor over all texts, coloured by the share of texts in which it is the head's anchor too: "
        f"{heads['anchor_stability'].mean():.0%} on average, where another head of the model has it in "
        f"{heads['chance_anchor_stability'].mean():.0%}."
    )
    show.chart(stability_map(heads), "study-anchors")
    st.header("Has each head an anchor of its own?", anchor=False)
    st.caption("Distinct anchors within a text, mean over the texts.")
    show.chart(uniqueness_curve(study.uniqueness), "study-uniqueness")
    with st.expander("Anchors and runners-up of every head"):
        columns = shares("coverage", "chance_coverage", "stability")
        show.table(study.anchors, "study-anchors", study.provenance, columns)


def _numbers(study: Study) -> None:
    """Layers and heads as tables."""
    st.header("Numbers", anchor=False)
    show.table(study.layers, "study-layers", study.provenance)
    with st.expander("Every head"):
        show.table(study.heads, "study-heads", study.provenance)


def _bad_texts(study: Study) -> None:
    """The texts that were left out, and why."""
    bad = study.table("bad_texts")
    if len(bad):
        with st.expander(f"{len(bad):,} texts were left out"):
            show.table(bad, "study-bad-texts", study.provenance)
