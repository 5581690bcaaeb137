"""How sure of a word a model is, layer by layer."""

from functools import partial

import pandas as pd
import streamlit as st

from attn_core.charts.interventions import bits_by_kind, by_layer_in_bits
from attn_core.models.entropies import CHANCE
from attn_core.ui import removals
from attn_core.ui.interventions.heads_off import Removed
from attn_core.ui.runs import in_thread
from attn_core.ui.widgets import show
from attn_core.ui.widgets.escape import plain
from attn_core.ui.widgets.head_names import named

ALL_ON = "all heads"


def show_entropies(removed: Removed) -> None:
    """The curves, and below them the words at a place; one sentence for a model without a language-model head."""
    head = removals.language_head(removed.key.spec)
    if isinstance(head, str):
        st.caption(f":material/info: {plain(head)}")
        return
    key, states = removed.key, (None, removed.removal) if removed.heads else (None,)
    work = in_thread.begin("entropy", (key, states), lambda: [partial(removals.entropies, key, one) for one in states])
    in_thread.watched(work, partial(_draw, removed))


def _draw(removed: Removed, work: in_thread.Work) -> None:
    names = [ALL_ON, f"without {named(removed.heads)}"] if removed.heads else [ALL_ON]
    if work.complete:
        parts = [part.assign(heads=name) for part, name in zip(work.parts, names, strict=True)]
        table = pd.concat(parts, ignore_index=True)
        title = "Entropy and cross-entropy of the language-model head by layer"
        figure = by_layer_in_bits(bits_by_kind(table), float(table[CHANCE].iloc[0]))
        show.chart(figure, "entropy-by-layer", title)
        st.caption(sentence(table[table["heads"] == ALL_ON]))
        number = st.column_config.NumberColumn
        columns = {
            "entropy": number("entropy, bits", format="%.2f"),
            "cross_entropy": number("cross-entropy, bits", format="%.2f"),
            CHANCE: number("even guess, bits", format="%.2f"),
        }
        show.table(table, "entropies", columns=columns, choices=(removed.provenance if removed.heads else {}))
    in_thread.progress(work, "Reading the window", "entropy")


def sentence(table: pd.DataFrame) -> str:
    """What the numbers say of the last layer, and whether entropy falls on the way to it."""
    last, steps = table.iloc[-1], table["entropy"].diff().iloc[1:]
    return (
        f"After the last layer **{last['entropy']:.2f} bits** of entropy and **{last['cross_entropy']:.2f} bits** of "
        f"cross-entropy, at {last['places']:,} places of this window; dashed: {last[CHANCE]:.2f} bits, an even guess among all "
        f"words of the vocabulary. Entropy falls in {(steps < 0).sum()} of {len(steps)} steps from layer to layer, from "
        f"{table['entropy'].iloc[0]:.2f} bits at the embeddings."
    )
