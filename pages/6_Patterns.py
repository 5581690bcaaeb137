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

show.help("Patterns")
