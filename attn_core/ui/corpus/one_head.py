"""One head over all texts: its role and statistics in each, its patterns, and its strongest pairs."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from attn_core.charts.pairs import ONE_TEXT, THIS_HEAD
from attn_core.head import Head
from attn_core.measures.roles import Notable, clearest_head, notable_heads
from attn_core.patterns.scores import CHOSEN, ENOUGH
from attn_core.study.by_text import BY_HEAD
from attn_core.study.examples import PIECES
from attn_core.study.opened import SubjectTables
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import choose_head
from attn_core.ui.widgets.escape import marked, plain
from attn_core.ui.widgets.figures import show_figure

OF_ONE = ("text_roles", "text_heads", "relation_heads", "examples")  # tables that say something of one head
MOST_TEXTS = 0.5  # share of texts in which a role is stable from which on it is for all of them
SHOWN = 4  # pairs of a head on the screen; the table has all


def show_head(tables: SubjectTables) -> None:
    """Draw what the study says of one head, which a widget chooses."""
    head = choose_head("Head", "a", tables.shape, partial(worth_a_look, tables), width=120)
    for draw in show.in_columns(draw for name, draw in BY_TEXT.items() if tables.has(name)):
        draw(tables, head)
    if tables.has("text_heads"):
        mine = partial(_by_text, tables, head)
        show.table(mine, "head-by-text", provenance=tables.provenance, fold="Its statistics in each text, in numbers")
    if tables.has("relation_heads"):
        _relations(tables, head)
    if tables.has("examples"):
        _examples(tables, head)


def worth_a_look(tables: SubjectTables) -> Head:
    """The head that is most worth a look, see `notable_heads`; that of the clearest role if none is."""
    heads, found = tables.heads, list[Notable]()
    if tables.has("text_roles"):
        shares = heads[["layer", "head", "role"]].merge(tables.table("text_roles"), "left")["share"]
        found = notable_heads(heads, shares >= MOST_TEXTS, {name: copy.heads for name, copy in tables.copies.items()})
    return found[0].head if found else clearest_head(heads)


def _roles(tables: SubjectTables, head: Head) -> None:
    """Draw the share of texts in which the head has each stable role, and how well texts agree."""
    st.header("Its stable role, text by text", anchor=False)
    copies = {name: copy for name, copy in tables.copies.items() if copy.has("text_roles")}

    def points() -> pd.DataFrame:
        of_heads = {THIS_HEAD: head.rows_of(tables.table("text_roles"))}
        of_heads |= {name: copy.table("text_roles") for name, copy in copies.items()}
        means = [
            rows.groupby("role", sort=False)["share"].mean().reset_index().assign(of=of)
            for of, rows in of_heads.items()
        ]
        every = pd.concat(means, ignore_index=True).rename(columns={"role": "row", "share": "value"})
        return every.assign(text="", said=every["value"].map("{:.1%}".format))

    _show(tables, "head-roles", points, head)
    said = [
        _agreement(of, name) for name, of in {"": tables, **{f"{name}: ": of for name, of in copies.items()}}.items()
    ]
    st.caption(f"Copies: the mean of all their heads. **All heads of the model:** {'; '.join(said)}.")


def _agreement(tables: SubjectTables, name: str) -> str:
    (row,) = tables.table("role_agreement").to_dict("records")
    stable = f"{name}{row['stable']:.0%} have a stable role in a text"
    if pd.isna(row["same_role"]):
        return stable
    return f"{stable}, and of those that have one in two texts {row['same_role']:.0%} have the same"


def _statistics(tables: SubjectTables, head: Head) -> None:
    """Draw the statistics of the head in each text, over chance."""
    st.header("Its statistics, text by text", anchor=False)

    def points() -> pd.DataFrame:
        of_layer = {name: copy.layers[copy.layers["layer"] == head.row[0]] for name, copy in tables.copies.items()}
        parts = [
            pd.DataFrame({"value": rows[one.name] / rows[one.chance], "said": rows[one.name].map(one.text)}).assign(
                row=one.label, of=of, text=rows["name"] if of == ONE_TEXT else ""
            )
            for one in BY_HEAD
            for of, rows in {ONE_TEXT: _by_text(tables, head), **of_layer}.items()
        ]
        return pd.concat(parts, ignore_index=True).dropna(subset=["value"])

    _show(tables, "head-statistics", points, head)
    st.caption("Copies: the mean of the heads of that layer, over all texts.")


def _show(tables: SubjectTables, figure: str, points: Callable[[], pd.DataFrame], head: Head) -> None:
    show_figure(tables.study, figure, points, inputs=tables.subject, words={"head": head})


def _by_text(tables: SubjectTables, head: Head) -> pd.DataFrame:
    """The statistics of the head in each text, with the names of the texts."""
    names = tables.table("texts")[["text", "name"]]
    return names.merge(head.rows_of(tables.table("text_heads")), on="text").drop(columns=["layer", "head"])


def _relations(tables: SubjectTables, head: Head) -> None:
    """Draw the table of how well the head sees each relation, and its place among the heads."""
    st.header("Its patterns", anchor=False)
    rows = tables.table("relation_heads")
    rows = rows[(rows["map"] == CHOSEN) & (rows["pairs"] >= ENOUGH)]
    rows = rows.assign(place=rows.groupby("relation")["score"].rank(ascending=False, method="min").astype(int))
    mine = head.rows_of(rows).sort_values("place", kind="stable").drop(columns=["map", "layer", "head"])
    show.table(mine, "head-relations", show.shares("score", "chance_score"), provenance=tables.provenance)
    st.caption(f"By the centred cosine, over all texts; *place*: by score among the {len(tables.heads):,} heads.")


def _examples(tables: SubjectTables, head: Head) -> None:
    """Draw the strongest pairs of the head in their texts, and the table of the pairs of all heads."""
    st.header("Its strongest pairs", anchor=False)
    rows = tables.table("examples")
    mine = head.rows_of(rows)
    for row in show.in_columns(mine.head(SHOWN).to_dict("records")):
        _example(row)
    st.caption(
        f"{min(SHOWN, len(mine))} of {len(mine)} pairs: the strongest of the head in the whole corpus, at most two of "
        "a text."
    )
    show.table(rows, "examples-corpus", provenance=tables.provenance, fold="The pairs of every head")


def _example(row: Mapping[str, Any]) -> None:
    """Draw one pair in its text, with its kind and distance."""
    with st.container(border=True):
        st.markdown(marked([(row[piece], piece.endswith("_text")) for piece in PIECES]))
        st.caption(
            f"**{Head.of_row(row['layer'], row['head'])}** · {row['kind']}, {row['distance']:,} tokens apart · "
            f"{plain(row['name'])}, window {row['window'] + 1}"
        )


BY_TEXT = {"text_roles": _roles, "text_heads": _statistics}  # what is drawn of a table
