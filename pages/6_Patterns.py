"""Patterns: mark word pairs in the text or choose a rule, and learn which heads see them."""

import streamlit as st

from attn_core.ui.shell import page
from attn_core.ui.shell.view import head_part
from attn_core.ui.widgets import show

view = page.begin()
with show.starting():
    from attn_core.ui.patterns import choice as pattern_choice
    from attn_core.ui.patterns import corpus, pairs_part, tables
sought = pattern_choice.choose(view)
seen = pairs_part.find(view, sought)
left, right = st.columns(2, gap="large")
with left:  # where it stands whatever is marked: a word must not move between two clicks
    pairs_part.show_text(view, seen, sought)
if seen is None:
    with right:
        pairs_part.offer_patterns(view)
else:
    heads = seen.heads(view.choice.settings.measure)
    before = pairs_part.score_before(view, sought)
    with right:
        pairs_part.show_answer(view, sought, seen, heads, before)
        pairs_part.show_map(view, seen, heads, before)
    left, right = st.columns(2, gap="large")
    with left, head_part(view):
        tables.show_pairs(view, seen, sought)
    with right:
        pairs_part.show_attention(view, heads)
    tables.show_heads(view, seen, heads, sought)
show.folded("Over many texts: the relations of a study", "relations", corpus.show_relations)

show.how_to_read(
    """
- The **score** of a head is the mean percentile of the pattern's pairs, each among the pairs of the same text whose distance,
  in the same direction, differs by at most a fifth. Near words are alike by construction; so 50% is chance, whatever the
  distance.
- **Row 0** is the same of the states that enter the first layer, words and places alone: what is as high there no head needs
  to have made.
- The **other half**: no pair is scored in a head that one of its own words helped to choose, so that the best of many heads is
  not good by luck. A word is a place in the text: the same word elsewhere is another. It is the mean of 20 random splits.
  One text gives no p: count the pattern in a study.
- A head high in **similarity against attention** and left of the dashed line makes the pair alike without attending from the
  one word to the other.
- Short names of **relations** (nsubj: a subject, amod: an adjective of its noun) are those of Universal Dependencies.
- **Pointing accuracy** over many texts: how often the word that a dependent is most alike to, in its sentence, is its head;
  where a rule finds the pairs, how often the word of the window that the first word is most alike to is its second. Chance
  is the best fixed offset.
""",
    "Pairs are of words, whatever the unit in the sidebar; the measure is the sidebar's. Of a text of more than four windows "
    "four are scored, evenly spread. At least 50 pairs of like distance "
    "are held against each; with fewer than 20 pairs of a pattern no head is named.",
)
