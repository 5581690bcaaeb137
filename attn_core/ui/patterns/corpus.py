"""Patterns over many texts: the relations of a finished study, by layer, by head, and of pronouns."""

from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from attn_core.charts.patterns import relation_map
from attn_core.head import Head, every_head
from attn_core.patterns.scores import ENOUGH
from attn_core.patterns.word_maps import DIRECTIONS, Map
from attn_core.runs import folder as files
from attn_core.study.in_words import MEASURES
from attn_core.study.opened import Study, SubjectTables
from attn_core.ui.corpus.choosing import choose_subject
from attn_core.ui.runs.kinds import STUDY
from attn_core.ui.runs.watching import choose_run, open_run
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import one_of, segmented
from attn_core.ui.widgets.escape import plain

ROWS = 24  # of the map: as many as one screen holds
SEEN_BY: dict[str, Map] = {**MEASURES, **dict(zip(DIRECTIONS, DIRECTIONS, strict=True))}
BY = {"score": "score", "pointing accuracy": "pointing"}
COMMAND = "python -m attn_core study TEXTS --rule same_word --out studies/NAME"


def show_relations() -> None:
    """A study that has relations, and those of its subject."""
    folder = choose_run(STUDY, "Study", "relations", among=_has_relations)
    study: Study | None = open_run(STUDY, folder)
    if study is None and folder is not None:
        return  # what keeps it from being shown stands there
    if study is None or not study.has("relations"):
        st.caption(
            f":material/info: A study has relations where it is started with a pattern (`{COMMAND}`, or on Corpus), or with "
            "annotated texts: dependencies and coreference (CoNLL-U), pronouns (GAP)."
        )
        return
    show_relations_of(choose_subject(study, "relations_of"))


def show_relations_of(tables: SubjectTables) -> None:
    """The relations of a subject: by layers, what one head is best at, and pronouns."""
    heads, provenance = tables.table("relation_heads"), tables.provenance
    st.caption(plain(tables.subject.label))
    with st.container(horizontal=True, gap="medium"):
        seen_by = segmented(
            "Seen by", list(SEEN_BY), "seen_by", "centred cosine",
            help="Three measures of similarity; attends: the dependent's attention to its head; attended: the other way.",
        )  # fmt: skip
        by = segmented("Value", list(BY), "value")
    kind = SEEN_BY[seen_by]
    of_map = heads[(heads["map"] == kind) & (heads["pairs"] >= ENOUGH)]
    if of_map.empty:
        st.info(f"No relation has {ENOUGH} pairs: count more texts.", icon=":material/info:")
        return
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.caption("The best head of each layer. **Colour: above chance**, which is 50% for the score and the best fixed "
                   "offset for pointing. Chosen and scored on the same texts here; the table below is not.")  # fmt: skip
        figure = relation_map(of_map, BY[by], by, ROWS)
        show.chart(figure, "relation-map", f"How well the best head of each layer sees each relation ({by})")
    with right:
        _best_at(of_map, tables, kind)
    relations = tables.table("relations")
    show.table(relations[relations["map"] == kind], "relations", columns=_columns(relations), column_order=[
            "relation", "pairs", "score", "score_low", "score_high", "pointing", "pointing_low", "pointing_high",
            "fixed_offset", "last_state", "pointing_heads",
        ], height=360, provenance=provenance | {"map": kind})  # fmt: skip
    st.caption(
        "Heads chosen on one half of the corpus and scored on the other; 95% intervals over its texts, or groups."
    )
    if tables.has("joined"):
        st.subheader("Which of two names does a pronoun mean?", anchor=False)
        joined = tables.table("joined")
        show.table(joined, "joined", columns=_columns(joined), provenance=provenance)


def _has_relations(folder: Path) -> bool:
    return (folder / files.TABLES / "relations.parquet").is_file()


def _columns(table: pd.DataFrame) -> dict[str, Any]:
    """Shares as percentages, plain names for bounds and baselines, and room for the names of relations."""
    names = {"fixed_offset": "best fixed offset", "last_state": "last hidden state"}
    return {"relation": st.column_config.TextColumn("relation", width=170)} | {
        name: show.share_column(
            names.get(name) or name.replace("_low", ", 95% from").replace("_high", ", to").replace("_", " ")
        )
        for name in table.select_dtypes("float")
    }


def _best_at(of_map: pd.DataFrame, tables: SubjectTables, kind: Map) -> None:
    names = [str(head) for head in every_head(*tables.shape)]
    top = of_map.loc[of_map["score"].idxmax()]
    name = one_of("What is this head best at?", names, "of_head", str(Head.of_row(top["layer"], top["head"])))
    layer, head = Head.named(name).row
    own = of_map[(of_map["layer"] == layer) & (of_map["head"] == head)]
    show.table(
        own.sort_values("score", ascending=False), "relations-of-head", provenance=tables.provenance | {"map": kind}
    )
