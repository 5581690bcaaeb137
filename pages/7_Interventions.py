"""Interventions: what heads matter."""

from functools import partial

import streamlit as st

from attn_core.ui.shell import page
from attn_core.ui.widgets import show

view = page.begin()
with show.starting():
    from attn_core.ui.interventions import (
        after,
        effect,
        entropy_part,
        heads_off,
        importance_of_heads,
        over_texts,
        pruning_part,
    )
removed = heads_off.choose(view)
left, right = st.columns([3, 2], gap="large")
with right:
    effect.show_effect(view, removed)
importance = importance_of_heads.find(removed)
with left:
    effect.show_map(view, removed, importance)

after.show_after(view, removed)

st.header("How many heads can go", anchor=False)
pruning_part.show_pruning(view, removed)
show.folded(
    "All heads and the curve in numbers",
    "importance",
    partial(importance_of_heads.show_numbers, view, removed, importance),
)

st.header("Other questions", anchor=False)
show.folded(
    "How sure of a word is the model, layer by layer?", "entropy", partial(entropy_part.show_entropies, removed)
)
show.folded("Over many texts: a folder of `ablate`", "ablation", partial(over_texts.show_over_texts, view))

show.help("Interventions")
