"""Interventions: what happens without a head."""

from functools import partial

import streamlit as st

from attn_core.ui.interventions import ablations, changed_text, effect, entropy, measured, pruning, removed_heads
from attn_core.ui.shell import page
from attn_core.ui.widgets import show

view = page.begin()

left, right = st.columns([3, 2], gap="large")
folds, last = st.container(), st.container()
with left:
    removed = removed_heads.choose(view)
    effect.show_map(view, removed)
with last:
    show.help("Interventions")
with right:
    effect.show_effect(removed)
with folds:
    show.folded("What changes in the text", "words-changed", partial(changed_text.show_words, removed))
    show.folded("Importance of every head, measured", "importance", partial(measured.show_importance, view, removed))
    show.folded("How many heads can go", "pruning-curve", partial(pruning.show_curve, view, removed))
    show.folded("How sure of a word the model is, by layer", "entropy", partial(entropy.show_entropies, removed))
    show.folded("Over many texts: a folder of `ablate`", "ablation", ablations.show_ablation)
