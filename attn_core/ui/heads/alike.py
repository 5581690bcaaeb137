"""The heads of the model that are most like one, each one click away."""

from functools import partial

import numpy as np
import streamlit as st

from attn_core.head import Head
from attn_core.measures.comparison import nearest_by_matrix
from attn_core.models.head_outputs import as_array
from attn_core.ui.shell.view import View
from attn_core.ui.widgets import show


def heads_like(view: View, head: Head) -> None:
    """Unfolds to the heads whose matrices are most like that of one; a click chooses one as head B."""
    show.folded(f"Heads like {head}", f"like-{head}-b", partial(_nearest, view, head))


def _nearest(view: View, head: Head) -> None:
    alike = nearest_by_matrix(
        np.asarray(as_array(view.window.output.z)), head, view.choice.settings.measure, view.window.pairs.eligible
    )
    st.markdown("The pairs of tokens in the most similar order. A click chooses a head as head B.")
    for row in alike.itertuples():
        other = str(Head.of_row(row.layer, row.head))
        st.button(
            f"{other}, rank correlation {row.correlation:z.2f}",
            key=f"like-{head}-{other}-b",
            type="tertiary",
            on_click=st.session_state.update,
            args=({"b": other},),
        )
    within = f" of {view.part_shown}" if view.part_shown else ""
    st.caption(
        f"Spearman's, over all pairs of tokens{within}; of a head drawn blindly, by chance 0."
        if len(alike)
        else "The model has one head."
    )
