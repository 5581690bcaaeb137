"""What the Patterns page shows of many texts: the scores that `python -m attn_core patterns` has written."""

from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from attn_core.charts.patterns import best_relations, relation_map
from attn_core.head import Head, every_head
from attn_core.io.tables import Provenance
from attn_core.patterns.opened import PatternScores
from attn_core.patterns.rules import OwnRule
from attn_core.patterns.scores import ENOUGH
from attn_core.patterns.word_maps import DIRECTIONS, Map
from attn_core.report.of_patterns import of_patterns
from attn_core.study.in_words import MEASURES
from attn_core.ui.patterns.choice import pattern_name
from attn_core.ui.runs.kinds import PATTERNS
from attn_core.ui.runs.shown import choose_run, open_run
from attn_core.ui.shell.report_button import report_button
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import one_of, segmented
from attn_core.ui.widgets.downloads import caption_figures
from attn_core.ui.widgets.escape import plain

RELATIONS = 24  # rows of the map: as many as one screen holds
SEEN_BY: dict[str, Map] = {**MEASURES, **dict(zip(DIRECTIONS, DIRECTIONS, strict=True))}
BY = {"score": "score", "pointing accuracy": "pointing"}
COMMAND = "python -m attn_core patterns FILE.conllu --out patterns/NAME"


def show_scores() -> None:
    """A finished folder of scores: relations by layers, what one head is best at, and pronouns."""
    scores = _choose()
    if scores is None:
        return
    provenance, corpus = scores.provenance, scores.manifest["corpus"]
    own = [
        f"{name}: {pattern_name(OwnRule(**rule))}" for name, rule in corpus.get("rules", ()) if isinstance(rule, dict)
    ]
    about = [f"{provenance['model']}, {provenance['texts']:,} texts of {corpus['source']}", *own]
    st.caption(". ".join(map(plain, about)) + ".")
    caption_figures({"scores": ". ".join(about)}, provenance)
    report_button("patterns", scores.folder.name, partial(of_patterns, scores), "pairs of its texts")
    if not scores.has("relations"):
        st.info("No pair was found in these texts.", icon=":material/search_off:")
        return
    with st.container(horizontal=True, gap="medium"):
        seen_by = segmented(
            "Seen by", list(SEEN_BY), "seen_by", "centred cosine",
            help="Three measures of similarity; attends: the dependent's attention to its head; attended: the other way.",
        )  # fmt: skip
        by = segmented("Value", list(BY), "value")
    heads, kind = scores.table("heads"), SEEN_BY[seen_by]
    of_map = heads[(heads["map"] == kind) & (heads["pairs"] >= ENOUGH)]
    if of_map.empty:
        st.info(f"No relation has {ENOUGH} pairs: score more texts.", icon=":material/info:")
        return
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.caption("The best head of each layer. **Colour: above chance**, which is 50% for the score and the best fixed "
                   "offset for pointing. Chosen and scored on the same texts here; the table below is not.")  # fmt: skip
        figure = relation_map(of_map, BY[by], by, RELATIONS)
        show.chart(
            figure, "relation-map", f"How well the best head of each layer sees each relation ({by})", across=0.6
        )
    with right:
        _best_at(of_map, scores, provenance | {"map": kind})
    relations = scores.table("relations").merge(scores.table("examples"), how="left")
    show.table(
        relations[relations["map"] == kind], "relations", provenance | {"map": kind}, columns=_columns(relations),
        column_order=[
            "relation", "pairs", "score", "score_low", "score_high", "score_above_attention", "score_above_attention_low",
            "score_above_attention_high", "pointing", "pointing_low", "pointing_high",
            "fixed_offset", "nearest", "last_state", "pointing_heads", "examples",
        ], height=360,
    )  # fmt: skip
    st.caption(
        "Heads chosen on one half of the corpus and scored on the other; 95% intervals over its texts, or groups. *Above "
        "attention*: minus the score of attention, whose head and direction are chosen alike, by this number."
    )
    if scores.has("joined"):
        st.subheader("Which of two names does a pronoun mean?", anchor=False)
        joined = scores.table("joined")
        show.table(joined, "joined", provenance, columns=_columns(joined))


def _columns(table: pd.DataFrame) -> dict[str, Any]:
    """Shares as percentages, plain names for bounds and baselines, and room for the names of relations."""
    names = {"fixed_offset": "best fixed offset", "last_state": "last hidden state", "nearest": "nearest candidate"}
    return {"relation": st.column_config.TextColumn("relation", width=170)} | {
        name: show.share_column(
            names.get(name) or name.replace("_low", ", 95 % from").replace("_high", ", to").replace("_", " ")
        )
        for name in table.select_dtypes("float")
    }


def _choose() -> PatternScores | None:
    """The scores that the user wants; None, and how far they are or how to make some, where there are none."""
    folder = choose_run(PATTERNS)
    if folder is None:
        st.caption(
            f":material/info: `{COMMAND}` scores every head on dependencies (CoNLL-U), coreference (CorefUD) and pronouns "
            "(GAP); its folder opens here, and so does that of a pattern over a corpus."
        )
    return open_run(PATTERNS, folder)


def _best_at(of_map: pd.DataFrame, scores: PatternScores, provenance: Provenance) -> None:
    names = [str(head) for head in every_head(*scores.shape)]
    top = of_map.loc[of_map["score"].idxmax()]
    name = one_of("What is this head best at?", names, "of_head", str(Head.of_row(top["layer"], top["head"])))
    layer, head = Head.named(name).row
    own = of_map[(of_map["layer"] == layer) & (of_map["head"] == head)]
    show.chart(best_relations(own, "score"), "best-relations", f"The relations that {name} sees best", across=0.4)
    with st.expander("As a table"):
        show.table(own, "relations-of-head", provenance)
