"""Compare: a model beside a copy of it, or beside another model or text."""

from functools import partial

import streamlit as st

from attn_core.ui.shell import page
from attn_core.ui.widgets import show

view = page.begin()
with show.starting():
    from attn_core.ui.compare import matching, numbers, subjects
compared = subjects.choose(view)
statistic = numbers.show_layers(compared)

match = matching.find_match(compared)
st.header(f"{view.head_a} and its partner in B", anchor=False)
if isinstance(match, str):
    st.caption(f":material/info: {match}")
else:
    with st.container(border=True):
        matching.show_partner(view, compared, match)

st.header("All heads", anchor=False)
if not isinstance(match, str):
    matching.show_match(view, compared, match)
show.folded("Head by head: A, B and A - B", "maps", partial(numbers.show_maps, compared, statistic))
show.folded("The numbers of all statistics", "curves", partial(numbers.show_numbers, view, compared))
numbers.offer_report(compared)

show.help("Compare")
