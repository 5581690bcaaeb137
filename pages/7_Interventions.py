"""Interventions: what heads matter, and what a word does."""

from functools import partial

import streamlit as st

from attn_core.ui.runs.kinds import ABLATION
from attn_core.ui.shell.frame import page
from attn_core.ui.widgets import show
from attn_core.ui.widgets.sections import section

with page(
    "Interventions",
    "What does a head matter? Take heads away and see how far the model's output moves, beside other heads.",
    one_window=True,
) as view:
    with show.starting():
        from attn_core.ui.interventions import (
            after,
            effect,
            entropy_part,
            heads_off,
            importance_of_heads,
            over_texts,
            pruning_part,
            tasks,
            temperature,
            word_part,
        )
    removed = heads_off.choose(view)
    left, right = st.columns([3, 2], gap="large")
    with right:
        effect.show_effect(view, removed)
    importance = importance_of_heads.find(removed)
    with left:
        effect.show_map(view, removed, importance)

    after.show_after(view, removed)

    section("Which heads matter")
    left, right = st.columns(2, gap="large")
    with left:
        importance_of_heads.show_scatter(view, removed, importance)
    with right:
        pruning_part.show_pruning(view, removed)
    show.folded(
        "All heads, all statistics and all orders in numbers",
        "importance",
        partial(importance_of_heads.show_numbers, view, removed, importance),
    )

    section("Other changes")
    show.folded(
        f"Temperature of the attention of {view.head_a}",
        "temperature",
        partial(temperature.show_temperature, view, removed),
    )
    show.folded(
        "How sure of a word is the model, layer by layer?",
        "entropy",
        partial(entropy_part.show_entropies, view, removed),
    )
    show.folded("What the model still can, on texts of yours", "tasks", partial(tasks.show_tasks, view, removed))
    show.folded("Change a word", "word", partial(word_part.show_word_change, view, removed.key))
    show.folded("Over many texts: a folder of `ablate`", ABLATION.place, partial(over_texts.show_over_texts, view))

    show.how_to_read(
        """
- The **effect** of taking heads away is 1 − cosine: of the sentence embedding, the mean of the last states over the window's
  tokens, with all heads and without those that are off; in the shaded text, of the last state of each word. All of it is
  of one window: the first, unless another is chosen in the sidebar.
- **Chance**: as many heads of the same layers, drawn at random, 20 times, or all sets where there are fewer. An effect within
  that band says nothing of these heads in particular: any would do as much. One head is ranked among all heads of the model,
  each alone; one of them is always the strongest, so that a rank has no p.
- **Importance** of a head is the effect of removing it alone. It is estimated for all heads at once from gradients, and
  measured head by head where you ask for it. Heads that do the same stand in for each other: each seems unimportant alone.
- The **change of a head's matrix** is 1 − rank correlation of its similarities before and after. Heads before the removed ones
  cannot change; a removed head has nothing left to compare.
- **Within layers**, importance is ranked among the heads of its layer only: late heads move the output more for being late.
- **How sure of a word**: the language-model head, where the weights hold one, is applied to the states of every layer at places
  that are masked (a decoder: for every next token). Entropy: how sure it is; cross-entropy: how wrong. It was trained for the
  last layer only, so that earlier layers are read through it (logit lens). Chance is an even guess among all words of the
  vocabulary.
- **Accuracy on labelled texts**: a logistic probe on the sentence embedding, trained under the same removal and asked about texts
  that it has not seen. Each text is read in its first window.
- **Whom pronouns mean**: the heads that are left answer, those that are right most often on one half of the snippets about the
  other, chosen anew under each removal. What is lost is what no other head holds; a removed head answers nothing.
- **Where texts break**: each gold text is cut by the optimal partition of head outputs and sentence embeddings, as on
  Segmentation, by the heads that are left. Pk is how often two sentences half a segment apart are wrongly told to be of one
  segment or of two: 0 is best. Chance is even cuts where the number of segments is given, no cut where it is found.
- **Change a word**: which heads make other pairs alike once one word is another, against other words of the text in that
  place, since any new word changes something.
""",
        "A removed head puts out its mean over the English sample texts, unless you choose otherwise; the effect is on the mean "
        "of the last states, whatever pooling the model was trained with. Matrices are compared over 200 tokens of the window at "
        "most, evenly spread.",
    )
