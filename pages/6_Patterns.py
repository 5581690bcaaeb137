"""Patterns: mark word pairs in the text or choose a rule, and learn which heads see them."""

import streamlit as st

from attn_core.ui.patterns.choice import choose
from attn_core.ui.patterns.corpus import show_relations
from attn_core.ui.patterns.in_text import find, show_answer, show_attention, show_map, show_text
from attn_core.ui.patterns.tables import show_heads, show_pairs
from attn_core.ui.shell import page
from attn_core.ui.shell.view import head_part
from attn_core.ui.widgets import show

view = page.begin()
answer, text = st.columns(2, gap="large")
with answer:
    sought = choose(view)
    seen = find(view, sought)
with text:  # at the top, whatever is marked: a word must not move between two clicks
    show_text(view, seen, sought)
if seen is not None:
    heads = seen.heads(view.choice.settings.measure)
    with answer:
        show_answer(view, sought, seen, heads)
        show_map(view, sought, heads)
    left, right = st.columns(2, gap="large")
    with left, head_part(view):
        show_pairs(view, seen, sought)
    with right:
        show_attention(view, heads)
    show_heads(view, seen, heads, sought)
show.folded("Over many texts: the relations of a study", "relations", show_relations)
show.help("Patterns")
