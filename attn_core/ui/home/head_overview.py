"""The map of all heads, and heads worth a look."""

import streamlit as st

from attn_core.charts.clusters import role_map
from attn_core.charts.head_map import statistic_map
from attn_core.measures.few_pairs import too_few
from attn_core.measures.roles import notable_heads
from attn_core.measures.statistics import BY_LABEL
from attn_core.ui.shell.view import View
from attn_core.ui.widgets.controls import one_of
from attn_core.ui.widgets.escape import plain
from attn_core.ui.widgets.pick import head_chart

ROLE = "Role"


def map_of_heads(view: View) -> None:
    """Every head, coloured by its role or by a statistic; a click makes it head A."""
    heads = view.results.statistics
    label = one_of("Colour the heads by", [ROLE, *BY_LABEL], "by")
    if label == ROLE:
        question, figure = "What each head pairs more often than by chance.", role_map(heads)
    else:
        statistic = BY_LABEL[label].over(view.results.unit)
        question, figure = statistic.question, statistic_map(heads, statistic)
    st.caption(f"{question} Click a head to select it.")
    head_chart(view.marked(figure), "head-map", f"{label} of every head")


def worth_a_look(view: View) -> None:
    """Heads that no copy of the model comes near, in words; a click makes one head A."""
    heads = view.results.statistics
    if too_few(heads):
        return
    notable = notable_heads(heads, view.copies.heads)
    st.markdown("**Worth a look**" if notable else "**No head stands out.**")
    with st.container(key="notable", gap="xxsmall"):
        for one in notable:
            name = str(one.head)
            st.button(
                f"**{name} {plain(one.what)}**: {plain(one.numbers)}", key=f"notable-{name}", width="stretch",
                on_click=st.session_state.update, args=({"a": name},),
            )  # fmt: skip
