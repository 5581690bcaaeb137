"""What the page measured of all heads, as tables: importance, its relation to every statistic, the orders of removal."""

import streamlit as st

from attn_core.ui.interventions import against_statistics, pruning_part
from attn_core.ui.interventions.heads_off import Removed
from attn_core.ui.interventions.importance_of_heads import Importance
from attn_core.ui.shell.frame import TextView


def show_numbers(view: TextView, removed: Removed, importance: Importance) -> None:
    """One below the other; what was not measured yet has no table."""
    st.markdown("**Importance of every head**")
    against_statistics.show_table(view, removed, importance)
    st.markdown("**Importance against every statistic**")
    against_statistics.show_relations(view, removed, importance)
    st.markdown("**Effect by the number of heads removed**")
    pruning_part.show_table(view, removed)
