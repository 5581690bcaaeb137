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
    "How sure of a word is the model, layer by layer?", "entropy", partial(entropy_part.show_entropies, view, removed)
)
show.folded("Over many texts: a folder of `ablate`", "ablation", partial(over_texts.show_over_texts, view))

show.how_to_read(
    """
- The **effect** of taking heads away is 1 − cosine: of the sentence embedding, the mean of the last states over the window's
  tokens, with all heads and without those that are off; in the shaded text, of the last state of each word. All of it is
  of one window: the first, unless another is chosen in the sidebar.
- **Chance**: as many heads of the same layers, drawn at random, 20 times, or all sets where there are fewer. An effect within
  that band says nothing of these heads in particular: any would do as much. One head is ranked among all heads of the model,
  each alone; one of them is always the strongest.
- **Importance** of a head is the effect of removing it alone. It is estimated for all heads at once from gradients, and
  measured head by head where you ask for it. Heads that do the same stand in for each other: each seems unimportant alone.
- **How sure of a word**: the language-model head, where the weights hold one, is applied to the states of every layer at places
  that are masked (a decoder: for every next token). Entropy: how sure it is; cross-entropy: how wrong. It was trained for the
  last layer only, so that earlier layers are read through it (logit lens). Chance is an even guess among all words of the
  vocabulary.
""",
    "A removed head puts out its mean over the reference texts, unless you choose otherwise; the effect is on the mean "
    "of the last states, whatever pooling the model was trained with.",
)
