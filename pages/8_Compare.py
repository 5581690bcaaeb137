"""Compare: a model and one thing that differs: a baseline, another model or text, or heads that are removed."""

from functools import partial

import streamlit as st

from attn_core.ui.compare import matching, numbers, subjects
from attn_core.ui.shell import page
from attn_core.ui.widgets import show

view = page.begin()

row = st.container(horizontal=True, vertical_alignment="bottom")
with row:
    statistic = numbers.choose_statistic()
compared = subjects.choose(view, row)
numbers.show_layers(compared, statistic)
match = matching.find_match(compared)
if isinstance(match, str):
    st.caption(f":material/info: {match}")
else:
    matching.show_best_match(view, compared, match)
    show.folded("Every head's best match", "best-matches", partial(matching.show_matches, compared, match))
show.folded("Head by head", "maps", partial(numbers.show_maps, compared, statistic))
show.folded("Every statistic by layer", "curves", partial(numbers.show_numbers, compared))
numbers.offer_report(compared)

show.help("Compare")
