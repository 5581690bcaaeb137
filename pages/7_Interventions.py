"""Interventions: what happens without a head."""

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from attn_core.charts.catalogue import ABLATION as OF_ABLATION
from attn_core.charts.catalogue import Tables, reported
from attn_core.errors import InputError
from attn_core.head import Head, every_head
from attn_core.interventions.ablation import Ablation, about, answers
from attn_core.interventions.ablation_tables import curve_table
from attn_core.interventions.orders import (
    LEAST,
    at_random,
    by_role,
    by_value,
    counts_up_to,
    heads_that_can_go,
    sets_alike,
)
from attn_core.measures.roles import FEW
from attn_core.numerics.ranks import correlation, ranks
from attn_core.report.of_tables import of_run
from attn_core.similarity.words import find_words
from attn_core.texts.reference_texts import joined_references
from attn_core.ui import removals
from attn_core.ui.readings import TextKey
from attn_core.ui.removals import Removed, in_names, passage_of, without
from attn_core.ui.runs.background import ABLATION
from attn_core.ui.runs.watching import choose_run, delete_button, open_run, show_outcome
from attn_core.ui.shell import page
from attn_core.ui.shell.page import View
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import number_input, one_of
from attn_core.ui.widgets.escape import plain, shaded_html
from attn_core.ui.widgets.figures import show_figure
from attn_core.ui.widgets.show import report_button

TEXT_HEIGHT = 300
LARGEST = 1.0  # percent that the embedding may move
COMMAND = "python -m attn_core ablate TEXTS --heads L3H10 --out ablations/NAME"
# The tables, the answer first, by what they are called.
TABLES_BY_NAME = {
    "effects": "What follows from the removal", "accuracy": "Labelled texts", "importance": "Every head",
    "curve": "The curve", "orders": "The order", "texts": "The texts",
}  # fmt: skip


def show_map(view: View, removed: Removed) -> None:
    """Draw the map of importance, with a cross at removed heads; a click removes another."""
    beside = tuple(head for head in removed.heads if head != view.head_a)

    def importance() -> pd.DataFrame:
        known = removed.importance if removed.is_measured else removals.estimate(removed.key, removed.how).ravel()
        off = [head in beside for head in every_head(*removed.shape)]
        return view.results.statistics[["layer", "head"]].assign(importance=known, off=off)

    click = partial(removals.click, shape=removed.shape)
    kind = "importance" if removed.is_measured else "estimated importance"
    view.show("removal", tables={"importance": importance}, inputs=(beside, removed.how), on_select=click, kind=kind)
    st.caption("A cross marks a removed head. Click a head to remove it, Shift-click to remove several.")


def show_effect(view: View, removed: Removed) -> None:
    """Draw how far the sentence embedding moves, among the effects of as many other heads of the same layers."""
    names = in_names(removed.heads, removed.shape[1])
    st.header(f"Without {names}", anchor=False)
    others = sets_alike(removed.heads, removed.shape)
    place = st.container()
    effect, *others_ = removals.effects(removed.key, [removed.heads, *others], removed.how, "Removing other heads")
    drawn = np.array(others_)
    with place:
        chance = f"chance: {drawn.min():.2%} to {drawn.max():.2%}" if len(drawn) else None
        explained = "1 − cosine of the mean of the last states, with and without the heads. 0: no change."
        show.beside_chance("Change of the sentence embedding", f"{effect:.2%}", chance, explained)
        st.markdown(sentence(effect, drawn, alone=len(removed.heads) == 1))
        effects = {"effects": lambda: pd.DataFrame({"effect": [effect, *drawn]})}
        view.show("effect", tables=effects, inputs=removed.how, words={"names": names})


def sentence(effect: float, drawn: np.ndarray, alone: bool) -> str:
    """A sentence that compares an effect with those of other heads."""
    if not len(drawn):
        return "Whole layers are removed, so that no other heads of these layers are left to compare with."
    others = "other head of its layer" if alone else "as many random heads of the same layers"
    if effect > drawn.max():
        return f"The embedding moves further than without any {others}."
    if effect < drawn.min():
        return f"The embedding moves less than without any {others}."
    return f"The embedding moves about as far as without {'another head of its layer' if alone else others}."


def show_words(removed: Removed) -> None:
    """Draw the text, shaded by how far each word's last state moves, and the words as a table."""
    words = word_table(removed)
    text = passage_of(removed.key).document.text
    shaded = shaded_html(text, words["start"].tolist(), words["end"].tolist(), words["change"].to_numpy(), ".2%")
    st.container(height=TEXT_HEIGHT).html(shaded)
    st.caption("The darker a word, the further its last state moves (1 − cosine). Point at it for the number.")
    columns = {"change": show.share_column("change of its last state")}
    show.table(words, "words-changed", columns, choices=removed.choices)


def word_table(removed: Removed) -> pd.DataFrame:
    """One row per word in the order of the text: start, end (characters), word, change (mean over its tokens)."""
    passage = passage_of(removed.key)
    tokens = removals.effect(removed.key, removed.heads, removed.how).tokens[0]
    words = find_words(passage)
    changes = words.mean(tokens[:, None])[:, 0]
    table = pd.DataFrame({"start": words.starts, "end": words.ends, "change": changes})
    text = passage.document.text
    table.insert(2, "word", [text[a:b] for a, b in zip(table["start"], table["end"], strict=True)])
    return table.sort_values("start", ignore_index=True)


def show_importance(view: View, removed: Removed) -> None:
    """Draw the table of the effects of removing each head alone, measured and estimated."""
    measured, estimated = removed.importance, removals.estimate(removed.key, removed.how).ravel()
    if len(measured) > 2:
        agreement = correlation(ranks(estimated), ranks(measured))
        st.caption(f"Rank correlation of estimate and measurement: {agreement:z.2f}.")
    heads = view.results.statistics[["layer", "head", "role", "anchor"]].assign(
        measured_importance=measured, estimated_importance=estimated
    )
    heads = heads.sort_values("measured_importance", ascending=False, kind="stable", ignore_index=True)
    columns = {f"{kind}_importance": show.share_column(kind) for kind in ("measured", "estimated")}
    show.table(heads, "importance", columns, choices={"replaced_by": removed.how})


def show_curve(view: View, removed: Removed) -> None:
    """Draw the effect by the number of removed heads, in one order and in random orders."""
    roles = view.results.statistics["role"].tolist()
    orders = {LEAST: ""} | {f"{role} first": role for role in dict.fromkeys(roles) if role != FEW}
    with show.facts():
        largest = number_input("Largest change, %", 0.1, 100.0, LARGEST, 0.5, key="largest", width=170)
        name = one_of("Order", list(orders), "order", width=220)
        place = show.facts()
    every = [_order(removed, roles, orders[name]), *at_random(removed.shape)]
    counts = counts_up_to(len(roles))
    sets = [tuple(sorted(order[:count])) for order in every for count in counts]
    effects = removals.effects(removed.key, sets, removed.how, "Removing more and more heads").reshape(len(every), -1)
    own, *by_chance = (heads_that_can_go(counts, one, largest / 100) for one in effects)
    with place:
        chance = f"in random orders: {min(by_chance)} to {max(by_chance)}"
        explained = "Largest tested number of heads whose removal keeps the change below the limit."
        show.beside_chance("Heads that can go", f"{own} of {len(roles)}", chance, explained)
    table = curve_table(name, effects[:1], counts, effects[1:, None])
    view.show("curve", tables={"curve": lambda: table}, inputs=(name, removed.how), allowed=largest / 100)
    choices = {"replaced_by": removed.how, "orders_chosen_on": "the reference texts"}
    show.table(table, "pruning-curve", show.shares("effect", "low", "high"), choices=choices)


def _order(removed: Removed, roles: list[str], first: str) -> list[Head]:
    """The order of removal, by importance in another text, so that it is not chosen on the text it is measured on."""
    importance = removals.estimate(_other_text(removed), removed.how)
    return by_role(roles, first, importance) if first else by_value(importance)


def _other_text(removed: Removed) -> TextKey:
    """The first window of the reference texts."""
    document = joined_references(removals.passage_of(removed.key).document.text)
    return replace(removed.key, text=document.text, language=document.language, window=0)


def show_entropies(view: View, removed: Removed) -> None:
    """Draw the entropy by layer with all heads and without the removed ones; or say why there is no entropy."""
    states = {"all heads": None, without(removed.removal): removed.removal}
    try:
        parts = [removals.entropies(removed.key, state).assign(heads=name) for name, state in states.items()]
    except InputError as error:
        st.caption(f":material/info: {plain(str(error))}")
        return
    table = pd.concat(parts, ignore_index=True)
    view.show("entropies", tables={"entropies": lambda: table}, inputs=removed.removal)
    number = st.column_config.NumberColumn
    columns = {
        "entropy": number("entropy, bits", format="%.2f"),
        "cross_entropy": number("cross-entropy, bits", format="%.2f"),
    }
    order = ["heads", "layer", *columns]
    show.table(table, "entropies", columns, column_order=order, choices=removed.choices)


def show_ablation() -> None:
    """Draw a finished ablation over many texts: its answers, report, figures and tables."""
    show_outcome()
    folder = choose_run(ABLATION, "Ablation", "ablation", width=320)
    if folder is None:
        st.caption(
            f":material/info: `{COMMAND}` removes heads over many texts, and each of them with `--importance` or "
            "`--curve` in place of `--heads`. Its folder opens here."
        )
    ablation: Ablation | None = open_run(ABLATION, folder)
    if ablation is None:
        return
    provenance = ablation.provenance
    st.caption(plain(f"{ablation.folder.name}: {about(ablation)}"))
    for sentence in answers(ablation):
        st.markdown(plain(sentence))
    with st.container(horizontal=True):
        report_button(ablation.folder.name, partial(of_run, ablation), "ablation")
        delete_button(ablation.folder)
    of = Tables(OF_ABLATION, tuple(filter(ablation.has, TABLES_BY_NAME)), ablation.table)
    for figure, *_ in reported(of):
        show_figure(ablation, figure, of, heading=True)
    tables = {label: name for name, label in TABLES_BY_NAME.items() if ablation.has(name)}
    label = one_of("Table", list(tables), "ablation_table", width=320)
    show.table(ablation.table(tables[label]), f"ablation-{tables[label]}", provenance=provenance)


view = page.begin()

left, right = st.columns([3, 2], gap="large")
folds, last = st.container(), st.container()
with left:
    removed = removals.choose(view)
with last:
    show.help("Interventions")
with right:
    show_effect(view, removed)
with folds:
    show.folded("What changes in the text", "words-changed", partial(show_words, removed))
    show.folded("Importance of every head", "importance", partial(show_importance, view, removed))
    show.folded("How many heads can go", "pruning-curve", partial(show_curve, view, removed))
    show.folded("Prediction entropy by layer", "entropy", partial(show_entropies, view, removed))
    show.folded("Ablations over many texts", "ablation", show_ablation)
with left:  # at the end: to measure every head takes longest
    show_map(view, removed)
