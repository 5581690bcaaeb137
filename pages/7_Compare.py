"""Compare: two subjects or more side by side, and the controls that make a claim a claim."""

import streamlit as st

from attn_core.ui import comparing, show, subjects
from attn_core.ui.frame import page_with_studies
from attn_core.ui.sections import section

view = page_with_studies(
    "Compare",
    "What is learned, what is language, what is one model's own? Two models, a model and its untrained twin, a text and its "
    "shuffled tokens, two texts or two studies, side by side.",
)
compared = subjects.choose(view)

section("Findings side by side")
comparing.show_verdicts(view, compared)

section("Layer by layer")
statistic = comparing.choose_statistic()
comparing.show_layers(view, compared, statistic)

section("Head by head")
comparing.show_maps(compared, statistic)

section("Which head of B is most like a head of A?")
comparing.show_match(view, compared)

if view.text:
    section("What cutting words does")
    st.caption("The same model and text over the model's tokens and over the text's words.")
    comparing.show_words(view.text, statistic)

show.how_to_read(
    """
- The **untrained twin** has the model's configuration and tokenizer, and weights drawn anew: what it shows too was not
  learned. The **shuffled text** has the tokens of each window in random order, while places keep their sentences: what it
  shows too is not language, but position or the tokens themselves.
- Models differ in depth: 0 is the first layer, 1 the last. Where layers are subtracted, the deeper model is read at the
  depths of the other, between its layers in proportion.
- Two heads **match** where they make the same pairs of words alike: the rank correlation of their similarity matrices over the
  words that both models read. By chance, with the words of B permuted, the best of many heads still reaches something.
- A permutation also takes away that near words are alike in almost any head, so that a match above chance may be one of
  position: the untrained twin shows how much of it.
"""
)
show.our_choice(
    "Heads are matched by Spearman's rank correlation over the first 200 common words of a window, at most 4 windows. A word is "
    "a run of letters, digits and marks; its vector is the mean of its tokens'."
)
view.end()
