"""Anchor tokens: the token that each head gathers around, how much of its own it is, and where it stands."""

from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from attn_core.analysis.one_text import Analysis
from attn_core.charts.anchors import anchor_overview, named_sources, source_overview
from attn_core.measures.anchors import (
    anchor_table,
    content_coverage,
    content_tokens,
    heads_around,
    occurrence_table,
    token_labels,
)
from attn_core.measures.sources import NO_SOURCES, largest_excess
from attn_core.measures.token_coverage import TokenCoverage
from attn_core.texts.token_names import quoted, readable
from attn_core.ui import derived
from attn_core.ui.shell import page
from attn_core.ui.shell.completion import SOURCES
from attn_core.ui.shell.page import View, head_part
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import one_of, segmented
from attn_core.ui.widgets.escape import plain

TOUCHED, READ = "touched by its pairs", "read by its pairs"


def show_heads(view: View, heads: pd.DataFrame, of_content: bool) -> None:
    """Draw the table of anchors, and the largest share in a copy of the model. heads, of_content: of `anchors_of`."""
    columns = _columns("anchor")
    show.table(heads, "anchors", columns, column_order=[*columns], height=390)
    st.caption(f"By chance the most common of these tokens has {heads['chance_coverage'].iloc[0]:.1%}.")
    largest = {name: of_copy["anchor_coverage"].max() for name, of_copy in view.copies.heads.items()}
    if largest and not of_content:
        said = (f"{name} {'–' if pd.isna(share) else format(share, '.1%')}" for name, share in largest.items())
        st.caption(f"The largest share of any head of a copy: {', '.join(said)}.")


def show_sources(view: View, of_content: bool) -> None:
    """Draw the map and the table of sources, the most above chance in a copy, and the sources of head A."""
    read, copies = view.completion.ask(SOURCES), view.copies_with_sources.sources
    problem = read.problem if read else ""
    if read and view.results.reading.model.causal and not copies:
        problem = "The sources of a causal model are shown beside its copies alone, in which they are the first tokens."
    if problem:
        st.caption(plain(problem))
        return
    table = NO_SOURCES if read is None or view.few else read.table
    every, heads = view.kept(
        ("sources of all", of_content, len(table)), partial(sources_of, view.results, table, of_content)
    )
    columns = _columns_of_sources()
    left, right = st.columns(2, gap="large")
    with left:
        st.header("The source of every head", anchor=False)
        view.show("sources", tables={"sources": lambda: heads}, inputs=(of_content, len(table)))
    with right:
        st.header("Sources, ranked", anchor=False)
        show.table(heads, "sources", columns, column_order=["layer", "head", *columns], height=390)
        said = [f"{name} {largest_excess(one):.1%}" for name, one in copies.items()]
        st.caption(f"The most above chance in any head of a copy: {', '.join(said) or 'not known'}.")
    with head_part(view):
        shown = ["rank", *columns][:-1]  # no next in rank
        show.table(view.head_a.rows_of(every), f"sources-{view.head_a}", columns, column_order=shown, height=220)


def sources_of(results: Analysis, table: pd.DataFrame, of_content: bool) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The tables of `named_sources` and of `source_overview`, those furthest above chance first.

    of_content: whether sources are words of content alone.
    """
    counted = table["token_id"].isin(content_tokens(results.windows)) | (not of_content)
    named = named_sources(table[counted], token_labels(results.windows))
    return named, source_overview(named, results.statistics).sort_values("excess", ascending=False, kind="stable")


def _columns_of_sources() -> dict[str, Any]:
    """Streamlit's settings for the columns of sources."""
    return {
        "source_word": st.column_config.TextColumn("source", width=75),
        "share": show.share_column("share", "Of the similarity of its strong pairs, what comes from reading it.", 66),
        "chance_share": show.share_column("of any pair", "The same of as many average pairs.", 75),
        "excess": show.share_column("above chance", "The share less that of any pair.", 95),
        "occurrences": st.column_config.Column(width=90),
        "runners_up": st.column_config.Column("next in rank"),
    }


def show_tokens_of_head(view: View, ranked: pd.DataFrame, labels: dict[int, str]) -> None:
    """Draw the tokens of largest coverage in head A. ranked: from `anchor_table`."""
    mine = view.head_a.rows_of(ranked)
    show.table(
        mine.assign(anchor_word=mine["token_id"].map(labels)), f"tokens-{view.head_a}", _columns("token"),
        column_order=["rank", "anchor_word", "coverage", "chance_token_coverage", "lift", "occurrences"], height=220,
    )  # fmt: skip


def _columns(token: str) -> dict[str, Any]:
    """Streamlit's settings for the columns of tokens and their coverage. token: the heading of the tokens."""
    return {
        **{name: st.column_config.Column(width=44) for name in ("layer", "head")},
        "anchor_word": st.column_config.TextColumn(token, width=75),
        "coverage": show.share_column("share", "Of the head's strong pairs, those that touch the token.", 66),
        "chance_token_coverage": show.share_column(
            "chance of this token", "The share of all pairs that touch it.", 130
        ),
        "lift": st.column_config.NumberColumn("lift", format="%.1f", width=44),
        "shared_in_layer": st.column_config.Column(
            "same anchor in layer", help="Other heads of the layer that have the same anchor.", width=130
        ),
        "runners_up": st.column_config.Column("next in rank"),
    }


def show_distinct(view: View) -> None:
    """Draw the number of distinct anchors of a layer over its heads, by layer."""
    if view.few:
        st.caption("No anchors: too few strong pairs.")
        return
    view.show("uniqueness")


def show_heads_around_token(view: View, heads: pd.DataFrame, labels: dict[int, str]) -> None:
    """Draw the coverage of a chosen token by head, and the places of the token in the text."""
    windows, touching = view.results.windows, view.results.coverage
    token = _choose_token(heads, touching, labels)
    left, right = st.columns(2, gap="large")
    with left:
        tables = {"around": partial(heads_around, touching, token)}
        view.show("token", tables=tables, inputs=token, words={"word": quoted(labels[token])})
    with right:
        places = ["window", "sentence", "context"] if len(windows) > 1 else ["sentence", "context"]
        show.table(occurrence_table(windows, token)[places], "occurrences", choices={"token_id": token})


def _choose_token(heads: pd.DataFrame, touching: TokenCoverage, labels: dict[int, str]) -> int:
    """The id of the chosen token. Anchors of most heads come first. heads: with the column anchor_id."""
    leading = heads["anchor_id"].value_counts()
    counted = zip(touching.token_ids.tolist(), touching.occurrences.tolist(), strict=True)
    ordered = sorted((-leading.get(token_id, 0), -times, token_id) for token_id, times in counted)
    ids: dict[str, int] = {}
    for *_, token_id in ordered:
        ids.setdefault(readable(labels[token_id]), token_id)
    return ids[one_of("Token (the anchor of most heads first)", list(ids), "token", width=320)]


def show_keywords(view: View) -> None:
    """Draw the table of keywords, which depend only on text and model."""
    from attn_core.analysis.keywords import NO_KEYWORDS, SETTINGS  # nltk takes most of a second to import

    table = derived.keywords(view.choice.key)
    if table.empty:
        st.info(NO_KEYWORDS, icon=":material/search_off:")
        return
    number = st.column_config.NumberColumn
    columns = {
        "score": number("score", format="%.2f"), "chance_score": number("chance", format="%.2f"),
        "start": number("first character"),
    }  # fmt: skip
    show.table(table, "keywords", columns, choices=SETTINGS)


def anchors_of(results: Analysis, of_content: bool) -> tuple[dict[int, str], pd.DataFrame, pd.DataFrame]:
    """The labels of tokens, the table of anchors, and that of `anchor_overview`, those furthest above chance first.

    of_content: whether they leave out special tokens, punctuation and function words, if any token is left then.
    """
    labels, ranked = token_labels(results.windows), results.anchors
    if of_content and len((content := content_coverage(results.coverage, results.windows)).token_ids):
        ranked = anchor_table(content)
    overview = anchor_overview(ranked, labels)
    above_chance = overview["coverage"] - overview["chance_coverage"]
    return labels, ranked, overview.loc[above_chance.sort_values(ascending=False, kind="stable").index]


def show_anchors(view: View, ranked: pd.DataFrame, heads: pd.DataFrame, labels: dict[int, str], content: bool) -> None:
    """Draw the map and the table of anchors, and the tokens of head A. Arguments: of `anchors_of`."""
    left, right = st.columns(2, gap="large")
    with left:
        st.header("The anchor of every head", anchor=False)
        tables = {"anchors": lambda: ranked.assign(token=ranked["token_id"].map(labels))}
        view.show("anchors", tables=tables, inputs=content)
    with right:
        st.header("Anchors, ranked", anchor=False)
        show_heads(view, heads, content)
    with head_part(view):
        show_tokens_of_head(view, ranked, labels)


view = page.begin()
with st.container(horizontal=True, vertical_alignment="center"):
    by = segmented("Tokens", (TOUCHED, READ), "tokens", label_visibility="collapsed", width="content")
    of_content = st.toggle("Leave out punctuation and function words", key="content", bind="query-params")
labels, ranked, heads = view.kept(("anchors", of_content), partial(anchors_of, view.results, of_content))
if by == TOUCHED:
    show_anchors(view, ranked, heads, labels, of_content)
else:
    show_sources(view, of_content)

show.folded("Distinct anchors by layer", "uniqueness", partial(show_distinct, view))
show.folded("The heads around one token", "around", partial(show_heads_around_token, view, heads, labels))
show.folded("Keywords of the text", "keywords", partial(show_keywords, view))
show.help("Anchor_tokens")
