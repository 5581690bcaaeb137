"""Patterns over many texts: the relations of a finished study."""

from pathlib import Path

import streamlit as st

from attn_core.charts.catalogue import TEXT, Tables
from attn_core.charts.patterns import WAYS
from attn_core.patterns.scores import DIRECTIONS, ENOUGH, Map
from attn_core.runs import folder as run_folder
from attn_core.similarity.strong_pairs import LABELLED_MEASURES
from attn_core.study.opened import Study, SubjectTables
from attn_core.ui.runs.background import STUDY
from attn_core.ui.runs.watching import choose_run, open_run
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import one_of, segmented
from attn_core.ui.widgets.figures import show_figure

SEEN_BY: dict[str, Map] = {**LABELLED_MEASURES, **{f"attention, {WAYS[one]}": one for one in DIRECTIONS}}
SCORES = ("score", "score_low", "score_high")
COLUMNS = ("relation", "pairs", *SCORES, "pointing", "pointing_low", "pointing_high", "fixed_offset", "pointing_heads")
WIDTH = 420  # pixels of a chooser


def choose_subject(study: Study, key: str) -> SubjectTables:
    """The chosen subject; by default the first model, or the last step of the first training. key: of the widget."""
    by_label = {subject.label: subject for subject in study.subjects}
    usual = [label for label, subject in by_label.items() if subject.name == study.own[0].name][-1]
    label = usual if len(by_label) == 1 else one_of("Subject", list(by_label), key, usual, width=WIDTH)
    return study.of(by_label[label].name, by_label[label].step)


def show_relations() -> None:
    """Draw the relations of a subject of a study that is chosen here."""
    folder = choose_run(STUDY, "Study", "relations", among=_has_relations)
    if folder is None or not _has_relations(folder):
        st.caption("A study has relations where it is started with a pattern on Corpus, or reads annotated texts.")
    elif study := open_run(STUDY, folder):
        show_relations_of(choose_subject(study, "relations_of"))


def show_relations_of(tables: SubjectTables) -> None:
    """Draw the relations of a subject: the best head of each layer, and the scores of heads that other texts chose."""
    kind = SEEN_BY[segmented("Seen by", list(SEEN_BY), "seen_by", "centred cosine")]
    heads, relations = tables.table("relation_heads"), tables.table("relations")
    of_map = heads[(heads["map"] == kind) & (heads["pairs"] >= ENOUGH)]
    if of_map.empty:
        st.info(f"No relation has {ENOUGH} pairs: count more texts.", icon=":material/info:")
        return
    show_figure(tables.study, "relations", Tables(TEXT, (), tables.table), inputs=tables.subject, seen_by=kind)
    st.caption("Heads were chosen on one half of the corpus and scored on the other; intervals are over its texts.")
    provenance = tables.provenance | {"map": kind}
    of_kind = relations[relations["map"] == kind]
    columns = {"relation": st.column_config.TextColumn("relation", width=170), **show.shares(*SCORES)}
    show.table(of_kind, "relations", columns, column_order=COLUMNS, height=360, provenance=provenance)
    if tables.has("joined"):
        st.subheader("Which of two names does a pronoun mean?", anchor=False)
        joined = tables.table("joined")
        ways = {f":{one}": f" ({WAYS[one]})" for one in DIRECTIONS}
        said = joined.assign(heads=joined["heads"].replace(ways, regex=True))
        show.table(joined, "joined", provenance=tables.provenance, in_words=lambda _: said)


def _has_relations(folder: Path) -> bool:
    return (folder / run_folder.TABLES / "relations.parquet").is_file()
