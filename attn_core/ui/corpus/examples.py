"""Pairs of a study to read, with where they stand."""

import pandas as pd
import streamlit as st

from attn_core.head import Head, every_head
from attn_core.study.examples import PIECES
from attn_core.study.opened import SubjectTables
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import one_of
from attn_core.ui.widgets.escape import marked, plain

SHOWN, FOUND = 4, 8  # pairs on the screen, and where a token is looked for; the table has all


def show_examples(tables: SubjectTables) -> None:
    """The pairs of a head, searchable by token."""
    names = {str(head): head for head in every_head(*tables.shape)}
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        head = names[one_of("Head", list(names), "a", width=120)]
        wanted = st.text_input(
            "Find a token", key="find-corpus", bind="query-params", placeholder="sea", width=260
        ).strip()
        everywhere = st.toggle("In all heads", key="everywhere-corpus", bind="query-params")
    rows = tables.table("examples")
    if not everywhere:
        rows = rows[(rows["layer"] == head.row[0]) & (rows["head"] == head.row[1])]
    if wanted:
        rows = rows[_has(rows, wanted)]
    if rows.empty:
        st.caption(f"None of the pairs has a token with “{plain(wanted)}”: a study has 10 pairs a head.")
        return
    shown = rows.head(FOUND if wanted else SHOWN)
    columns = st.columns(2, gap="large")
    for at, (_, row) in enumerate(shown.iterrows()):
        with columns[at % 2]:
            _example(row, f"example-{at}")
    st.caption(
        f"{len(shown)} of {len(rows):,} pairs: the strongest of a head in the whole corpus, at most two of a text."
    )
    provenance = {**tables.provenance, "token": wanted, "all_heads": everywhere}
    show.table(rows, "examples-corpus", provenance=provenance, fold="All of them")


def _example(row: pd.Series, key: str) -> None:
    """One pair in its text, and what it is."""
    with st.container(border=True, key=key):
        st.markdown(marked([(row[piece], piece.endswith("_text")) for piece in PIECES]))
        st.caption(
            f"**{Head.of_row(row['layer'], row['head'])}** · {row['kind']}, {row['distance']:,} tokens apart · "
            f"{plain(row['name'])}, window {row['window'] + 1}"
        )


def _has(rows: pd.DataFrame, wanted: str) -> pd.Series:
    """Which pairs have a token with these letters, whatever their case."""
    ends = [
        rows[column].str.casefold().str.contains(wanted.casefold(), regex=False)
        for column in ("first_text", "second_text")
    ]
    return ends[0] | ends[1]
