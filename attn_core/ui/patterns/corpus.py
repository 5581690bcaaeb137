"""Patterns over many texts: the one that the page shows is started from it, or by the command that stands there; and the scores
that `python -m attn_core patterns` has written.
"""

from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from attn_core.charts.patterns import best_relations, relation_map
from attn_core.errors import InputError
from attn_core.head import Head, every_head
from attn_core.io.tables import Provenance
from attn_core.patterns.opened import PatternScores
from attn_core.patterns.rules import RULES, OwnRule, Sought, TextWords, of_words, pairs_of
from attn_core.patterns.scores import ENOUGH
from attn_core.patterns.word_maps import DIRECTIONS, Map
from attn_core.report.of_tables import of_run
from attn_core.study.in_words import MEASURES
from attn_core.texts.languages import AUTO
from attn_core.ui.patterns.choice import pattern_name, words_of
from attn_core.ui.runs import background
from attn_core.ui.runs.kinds import PATTERNS
from attn_core.ui.runs.starting import choose_corpus, offer_run
from attn_core.ui.runs.watching import choose_run, open_run
from attn_core.ui.shell.handing_on import report_button
from attn_core.ui.shell.view import View
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import one_of, segmented
from attn_core.ui.widgets.downloads import slug
from attn_core.ui.widgets.escape import plain

RELATIONS = 24  # rows of the map: as many as one screen holds
SEEN_BY: dict[str, Map] = {**MEASURES, **dict(zip(DIRECTIONS, DIRECTIONS, strict=True))}
BY = {"score": "score", "pointing accuracy": "pointing"}
COMMAND = "python -m attn_core patterns FILE.conllu --out patterns/NAME"
OWN, MARKED = "own rule", "marked words"  # what scores call these patterns


def show_scores() -> None:
    """A finished folder of scores: relations by layers, what one head is best at, and pronouns."""
    folder = choose_run(PATTERNS)
    if folder is None:
        st.caption(
            f":material/info: `{COMMAND}` scores every head on dependencies (CoNLL-U), coreference (CorefUD) and pronouns "
            "(GAP); its folder opens here, and so does that of a pattern over a corpus."
        )
    scores: PatternScores | None = open_run(PATTERNS, folder)
    if scores is None:
        return
    provenance, corpus = scores.provenance, scores.manifest["corpus"]
    own = [
        f"{name}: {pattern_name(OwnRule(**rule))}" for name, rule in corpus.get("rules", ()) if isinstance(rule, dict)
    ]
    about = [f"{provenance['model']}, {provenance['texts']:,} texts of {corpus['source']}", *own]
    st.caption(". ".join(map(plain, about)) + ".")
    report_button("patterns", scores.folder.name, partial(of_run, scores), "pairs of its texts")
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
        show.chart(figure, "relation-map", f"How well the best head of each layer sees each relation ({by})")
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
            names.get(name) or name.replace("_low", ", 95% from").replace("_high", ", to").replace("_", " ")
        )
        for name in table.select_dtypes("float")
    }


def _best_at(of_map: pd.DataFrame, scores: PatternScores, provenance: Provenance) -> None:
    names = [str(head) for head in every_head(*scores.shape)]
    top = of_map.loc[of_map["score"].idxmax()]
    name = one_of("What is this head best at?", names, "of_head", str(Head.of_row(top["layer"], top["head"])))
    layer, head = Head.named(name).row
    own = of_map[(of_map["layer"] == layer) & (of_map["head"] == head)]
    show.chart(best_relations(own, "score"), "best-relations", f"The relations that {name} sees best")
    with st.expander("As a table"):
        show.table(own, "relations-of-head", provenance)


def offer(view: View, sought: Sought) -> None:
    """The form that scores the pattern over a corpus; model and layout are those of the sidebar."""
    choice = view.choice
    if choice.layout == "shuffled":
        st.caption(":material/info: In shuffled text a rule would pair other words: take the text as it stands.")
        return
    if not sought:
        st.caption(":material/info: Mark pairs in the text first: their words are then looked for in every text.")
        return
    try:
        how = background.of_model(choice.spec, choice.layout)
        pairs_of(sought, TextWords((), ()))  # an expression that is none is refused here
    except InputError as error:
        st.caption(f":material/info: {plain(error)}")
        return
    if (corpus := choose_corpus()) is None:
        return
    if isinstance(sought, tuple):
        st.caption("Marked pairs: their words, wherever they stand in that order, as near at most as you marked them.")
    called = sought if isinstance(sought, str) else OWN if isinstance(sought, OwnRule) else MARKED
    usual = slug(f"{Path(corpus.source).stem} {called}")
    name = st.text_input("Name of the scores", key="scores_name", bind="query-params", placeholder=usual) or usual
    pattern = of_pattern(sought, words_of(view, view.window.passage.index))
    offer_run(PATTERNS, name, [*background.of_corpus(corpus, AUTO), *pattern, *how])


def of_pattern(sought: Sought, text: TextWords) -> list[str]:
    """The pattern, as `patterns` is told of it. text: the words of the window in which pairs were marked."""
    if isinstance(sought, str):
        return ["--rule", RULES[sought].__name__]
    name, rules = (OWN, [sought]) if isinstance(sought, OwnRule) else (MARKED, of_words(sought, text))
    command = [part for rule in rules for part in ("--own", name, rule.first, rule.second)]
    command += ["--direction", rules[0].direction, "--farthest", str(rules[0].farthest)]
    return command + ([] if rules[0].within else ["--across"]) + (["--different"] if rules[0].different else [])
