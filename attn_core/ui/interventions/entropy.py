"""How sure of a word a model is, layer by layer."""

import pandas as pd
import streamlit as st

from attn_core.charts.interventions import bits_by_kind, by_layer_in_bits
from attn_core.models.entropies import CHANCE
from attn_core.ui import removals
from attn_core.ui.interventions.removed_heads import Removed
from attn_core.ui.widgets import show
from attn_core.ui.widgets.escape import plain
from attn_core.ui.widgets.head_names import named


def show_entropies(removed: Removed) -> None:
    """Entropy by layer with all heads and without the removed ones; one sentence where there is no language-model head."""
    head = removals.language_head(removed.key.spec)
    if isinstance(head, str):
        st.caption(f":material/info: {plain(head)}")
        return
    states = {"all heads": None, f"without {named(removed.heads)}": removed.removal}
    parts = [removals.entropies(removed.key, state).assign(heads=name) for name, state in states.items()]
    table = pd.concat(parts, ignore_index=True)
    figure = by_layer_in_bits(bits_by_kind(table), float(table[CHANCE].iloc[0]))
    show.chart(figure, "entropy-by-layer", "Entropy and cross-entropy of the language-model head by layer")
    number = st.column_config.NumberColumn
    columns = {
        "entropy": number("entropy, bits", format="%.2f"),
        "cross_entropy": number("cross-entropy, bits", format="%.2f"),
        CHANCE: number("even guess, bits", format="%.2f"),
    }
    show.table(table, "entropies", columns, choices=removed.choices)
