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

show.how_to_read(
    """
- The **untrained copy** has the model's configuration and tokenizer, and weights drawn anew: what it shows too was not
  learned. It attends almost evenly; the copy with **shuffled weights** does not: it has the model's weights, with the entries
  of each weight matrix of its layers in random order. The **shuffled text** has the tokens of each window in random order,
  while places keep their sentences: what it shows too is not language, but position or the tokens themselves. The other text
  that noise is counted against is shuffled too.
- Models differ in depth: 0 is the first layer, 1 the last. Where layers are subtracted, the deeper model is read at the
  depths of the other, between its layers in proportion.
- Two heads **match** where they make the same pairs of words alike: the rank correlation of their similarity matrices over the
  words that both models read. By chance, with the words of B permuted, the best of many heads still reaches something: a match
  is above chance where it exceeds what the best of *all* heads reaches in 95 of 100 permutations.
- A permutation also takes away that near words are alike in almost any head, so that a match above chance may be one of
  position: the copies show how much of it.
""",
    "Heads are matched by Spearman's rank correlation over the first 200 common words of a window, at most 4 windows. A word "
    "is a run of letters, digits and marks; its vector is the mean of its tokens'.",
)
