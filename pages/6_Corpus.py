"""Corpus: the same questions asked of many texts, in the background, with intervals over the texts."""

from pathlib import Path

import streamlit as st

from attn_core.charts.distances import distances_at_a_glance
from attn_core.charts.studies import banded_curve, stability_map
from attn_core.errors import InputError
from attn_core.measures.statistics import BY_NAME
from attn_core.study.opened import Study, open_study
from attn_core.study.progress import WORKING, read_progress
from attn_core.ui import show, studies
from attn_core.ui.downloads import slug
from attn_core.ui.escape import plain
from attn_core.ui.frame import page

OTHER = "another folder"


def begin() -> None:
    """The form of a new study."""
    choice = view.choice
    model = choice.spec.name.split("/")[-1]
    try:
        corpus = studies.choose_corpus()
    except InputError as error:
        st.caption(f":material/info: {plain(error)}")
        return
    name = st.text_input("Name of the study", value=slug(f"{Path(corpus.source).stem} {model}"), key="study_name")
    busy = [one.folder.name for one in known if one.progress.status in WORKING]
    st.caption(
        f"Model and settings are those of the sidebar: {plain(model)}, {choice.settings.measure}, strongest "
        f"{choice.settings.share:.1%} of pairs, {choice.layout} layout, language {choice.language}."
        + (f" {plain(busy[0])} is running: wait for it, or cancel it." if busy else "")
    )
    if st.button("Start", icon=":material/play_arrow:", type="primary", disabled=bool(busy), key="start-study"):
        try:
            folder = studies.start(name, corpus, choice)
        except (InputError, OSError) as error:
            st.warning(plain(error), icon=":material/info:")
        else:
            st.session_state["study"] = folder.name
            st.rerun()


def choose() -> Path | None:
    """The folder of the study to show."""
    labels = {one.folder.name: one.folder.name for one in known} | {OTHER: "A folder elsewhere on this machine"}
    if st.session_state.get("study") not in (None, *labels):
        st.warning(f"There is no study named {plain(st.session_state['study'])} here.", icon=":material/link_off:")
    name = st.selectbox("Study", list(labels), format_func=labels.__getitem__, key="study", bind="query-params")
    if name != OTHER:
        return studies.root() / name
    path = st.text_input(
        "Folder of the study", key="study_folder", persist_state="session", placeholder="/home/me/study"
    )
    return Path(path.strip()).expanduser() if path.strip() else None


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
        bad_texts(study)
        return
    if about["texts"] < 2:
        st.info("One text has no interval: give a study several texts.", icon=":material/info:")
    curves(study)
    anchors(study)
    numbers(study)
    bad_texts(study)


def curves(study: Study) -> None:
    """Reach and sentences by layer."""
    for column, name in zip(st.columns(2, gap="large"), ("mean_distance", "same_sentence_share"), strict=True):
        with column:
            st.subheader(BY_NAME[name].label, anchor=False)
            st.caption(BY_NAME[name].question)
            show.chart(banded_curve(study.layers, BY_NAME[name]), f"study-{name}")
    st.subheader("All layers at a glance", anchor=False)
    st.caption("How many times more often than chance the strong pairs of a layer have a distance.")
    show.chart(distances_at_a_glance(study.table("distance_bins")), "study-distances")


def anchors(study: Study) -> None:
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


def numbers(study: Study) -> None:
    """Layers and heads as tables."""
    st.subheader("Numbers", anchor=False)
    show.table(study.layers, "study-layers", study.provenance)
    with st.expander("Every head"):
        show.table(study.heads, "study-heads", study.provenance)


def bad_texts(study: Study) -> None:
    """The texts that were left out, and why."""
    bad = study.table("bad_texts")
    if len(bad):
        with st.expander(f"{len(bad):,} texts were left out"):
            show.table(bad, "study-bad-texts", study.provenance)


view = page(
    "Corpus",
    "One text is an anecdote. A **study** asks the same of many texts, in the background, and says how far the numbers would "
    "move with other texts.",
)
known = studies.studies()
with st.expander("Start a study", icon=":material/add:", expanded=not known):
    begin()
if (
    known
    or st.session_state.get("study") == OTHER
    or st.toggle("Open a study that was made elsewhere", key="elsewhere")
):
    folder = choose()
    progress = read_progress(folder) if folder else None
    if folder is None:
        st.caption("Name the folder of a study, finished or not.")
    elif progress is not None and progress.status in WORKING:
        studies.watch(folder)
    elif progress is not None and progress.status != "finished":
        studies.failure(folder, progress)
    else:
        try:
            show_study(open_study(folder))
        except InputError as error:
            st.warning(plain(error), icon=":material/info:")

show.how_to_read(
    """
- The **line** is the mean of a layer's heads over all texts of the study, the **band** its 95 % interval: texts drawn
  again with replacement, 1000 times. The dashed line is **chance**, the same statistic over all pairs of tokens.
- Texts weigh by their strong pairs, as windows of one text do. The **stability** of an anchor is the share of texts that
  have the same anchor.
- A study goes on when you close this page. Cancelled, killed or cut off, it goes on later where it was.
- On a command line: `python -m attn_core study TEXTS --out FOLDER`; `--workers` and `--dask` use more processes and machines.
"""
)
show.our_choice("A text with fewer than 16 tokens is left out. Very long texts are read in parts.")
