"""Corpus: the claims of the paper over many texts, and the studies that count them in the background."""

from collections.abc import Callable
from functools import partial

import pandas as pd
import streamlit as st

from attn_core.charts.catalogue import TEXT, Tables, reported
from attn_core.report.of_tables import of_run
from attn_core.study.descriptions import left_out, warnings_of
from attn_core.study.opened import Study, SubjectTables
from attn_core.ui.corpus.one_head import OF_ONE, show_head
from attn_core.ui.corpus.relations import WIDTH, choose_subject, show_relations_of
from attn_core.ui.corpus.starting import show_form
from attn_core.ui.corpus.texts import show_texts
from attn_core.ui.corpus.training import show_training
from attn_core.ui.corpus.verdicts import show_numbers, show_verdicts
from attn_core.ui.readings import Choice
from attn_core.ui.runs.background import STUDY
from attn_core.ui.runs.watching import choose_run, delete_button, open_run, show_outcome
from attn_core.ui.shell import page
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import segmented
from attn_core.ui.widgets.figures import show_figure
from attn_core.ui.widgets.show import report_button, zip_button


def choose() -> tuple[Study, SubjectTables | None] | None:
    """The chosen study and subject; no subject if nothing was counted; None if no study can be shown."""
    choosers = st.container(horizontal=True, vertical_alignment="bottom")
    with choosers:
        folder = choose_run(STUDY, "Study", "study", width=WIDTH)
    study: Study | None = open_run(STUDY, folder)
    if study is None:
        return None
    _download(study)
    subjects = study.table("subjects")
    _warn(study, subjects)
    counted = subjects["windows"].fillna(0).any()
    with choosers:
        tables = choose_subject(study, "subject") if counted else None
        delete_button(study.folder)
    return study, tables


def show_tabs(study: Study, tables: SubjectTables | None, choice: Choice) -> None:
    """Draw the chosen tab. tables: of the subject. choice: of the sidebar, for a new study."""
    tabs = _of_subject(study, tables) if tables else {}
    tabs |= {"Texts": partial(show_texts, study, tables), "Start a study": partial(show_form, choice)}
    tabs[segmented("Part of the study", list(tabs), "tab", label_visibility="collapsed")]()


def _of_subject(study: Study, tables: SubjectTables) -> dict[str, Callable[[], None]]:
    """The tabs about a subject for which the study has data, by name."""
    every_setting = bool(study.manifest["settings"]["every_setting"])
    draws: list[tuple[str, bool, Callable[[], None]]] = [
        ("Claims", True, partial(show_claims, tables)),
        ("Every setting", every_setting, partial(show_verdicts, study, tables)),
        (
            "Every subject",
            not every_setting and len({one.name for one in study.subjects}) > 1,
            partial(show_verdicts, study, tables),
        ),
        ("By layer and head", True, partial(show_layers, tables)),
        ("Training", any(one.step is not None for one in study.own), partial(show_training, study, tables)),
        ("Patterns", tables.has("relations"), partial(show_relations_of, tables)),
        ("One head", any(map(tables.has, OF_ONE)), partial(show_head, tables)),
    ]
    return {name: draw for name, there, draw in draws if there}


def show_claims(tables: SubjectTables) -> None:
    """Draw the claims as one picture, and as a table."""
    st.caption(
        f"Claims of the paper's abstract over {tables.claims['texts'].max():,} texts. *Supported*: the whole interval "
        "of the effect lies beyond our threshold. *More than untrained*: it lies beyond the copies too."
    )
    show_figure(tables.study, "claims", lambda: tables.claims, inputs=tables.subject)
    numbers = partial(show_numbers, tables.claims, "study-claims", tables.provenance)
    show.folded("The claims in numbers", "study-claims", numbers)


def show_layers(tables: SubjectTables) -> None:
    """Draw the curves by layer, distances and anchors of a subject, and its tables."""
    _show_charts(tables, "layers")
    if tables.has("distance_bins"):
        show.folded("How far strong pairs reach", "study-reach", partial(_show_charts, tables, "distances"))
    if tables.has("anchors"):
        anchors = partial(_show_charts, tables, "uniqueness", "stability")
        show.folded("Anchors by layer and head", "study-anchors", anchors)
        label = "Anchors and runners-up of every head"
        show.table(tables.table("anchors"), "study-anchor-tokens", provenance=tables.provenance, fold=label)
    show.table(tables.layers, "study-layers", provenance=tables.provenance, fold="Every layer")
    show.table(tables.heads, "study-heads", provenance=tables.provenance, fold="Every head")


def _show_charts(tables: SubjectTables, *charts: str) -> None:
    """Draw the figures of these names, two in a row."""
    copies = {name: copy.layers for name, copy in tables.copies.items()}
    of = Tables(TEXT, ("heads", "layers", "distance_bins"), tables.table, tables.unit, copies=copies)
    for name, statistics, _ in show.in_columns(reported(of, *charts)):
        show_figure(tables.study, name, of, *statistics, inputs=tables.subject, heading=True)


def _download(study: Study) -> None:
    with st.sidebar:
        zip_button(study.folder.name, study.files, "study")
        report_button(study.folder.name, partial(of_run, study), "study")


def _warn(study: Study, subjects: pd.DataFrame) -> None:
    """Draw the table of the subjects that failed, and what else limits the study."""
    if len(left := left_out(study)):
        st.warning("Some subjects could not be counted, or not in full:", icon=":material/error:")
        show.table(left, "study-left-out", height="content", provenance=study.provenance)
    if not subjects["windows"].fillna(0).any():
        st.info("No text of this corpus could be counted: the tab *Texts* has the reasons.", icon=":material/info:")
        return
    for said in warnings_of(study):
        st.info(said, icon=":material/info:")


choice = page.choice()
show_outcome()
if chosen := choose():
    show_tabs(*chosen, choice)
else:
    show_form(choice)

show.help("Corpus")
