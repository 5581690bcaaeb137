"""A study in whatever state it is, and the tabs of a finished one: Study, Findings, and Training where it has steps."""

from functools import partial
from pathlib import Path

import streamlit as st

from attn_core.report.of_tables import of_run
from attn_core.study.in_words import study_in_words, warnings_of
from attn_core.study.opened import Study
from attn_core.ui.corpus.findings_tab import show_findings
from attn_core.ui.corpus.study_tab import show_subject
from attn_core.ui.corpus.training_tab import show_training
from attn_core.ui.runs import watching
from attn_core.ui.runs.kinds import STUDY
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import keep_among
from attn_core.ui.widgets.downloads import report_button, zip_button
from attn_core.ui.widgets.escape import plain


def show_folder(folder: Path) -> None:
    """A study at work, stopped, damaged, or finished."""
    study: Study | None = watching.open_run(STUDY, folder)
    if study is None:
        return
    name, *about = map(plain, study_in_words(study))
    st.caption(" · ".join([f"**{name}**", *about]))
    with st.container(horizontal=True):
        zip_button("All tables (ZIP)", study.folder.name, study.files, "study")
        report_button(study.folder.name, partial(of_run, study, quote=False), "study")
        watching.delete_button(study.folder)
    subjects = study.table("subjects")
    for row in subjects[subjects["problem"] != ""].to_dict("records"):
        st.warning(f"{plain(row['subject'])} could not be counted: {plain(row['problem'])}", icon=":material/error:")
    if subjects["windows"].fillna(0).any():
        _tabs(study)
    else:
        st.info("No text of this corpus could be counted: the reasons are below.", icon=":material/info:")
    show_bad_texts(study)


def _tabs(study: Study) -> None:
    for said in warnings_of(study):
        st.info(said, icon=":material/info:")
    tabs = {"Study": show_subject, "Findings": show_findings}
    if any(subject.step is not None for subject in study.own):
        tabs["Training"] = show_training
    keep_among("tab", list(tabs), "Study")
    for place, draw in zip(st.tabs(list(tabs), key="tab", bind="query-params"), tabs.values(), strict=True):
        if place.open:
            with place:
                draw(study)


def show_bad_texts(study: Study) -> None:
    """The texts that were left out, and why."""
    bad = study.table("bad_texts")
    if len(bad):
        texts = bad["text"].nunique()
        label = "1 text was left out" if texts == 1 else f"{texts:,} texts were left out"
        show.table(bad, "study-bad-texts", provenance=study.provenance, fold=label)
