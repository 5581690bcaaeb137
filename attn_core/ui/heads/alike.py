"""The heads of the model that are most like one, each one click away."""

import numpy as np
import streamlit as st

from attn_core.head import Head
from attn_core.measures.comparison import nearest_by_matrix
from attn_core.models.head_outputs import as_array
from attn_core.ui.shell.view import View


def heads_like(view: View, head: Head) -> None:
    """The heads whose matrices are most like that of one; a click chooses one as head B."""
    alike = nearest_by_matrix(
        np.asarray(as_array(view.window.output.z)), head, view.choice.settings.measure, view.window.pairs.eligible
    )
    if not len(alike):
        st.markdown("The model has one head.")
        return
    of = f" of {view.part_shown}" if view.part_shown else ""
    st.markdown(f"Rank correlation over all pairs of tokens{of}; chance is 0. Click a head to see it as head B.")
    with st.container(horizontal=True):
        for row in alike.itertuples():
            other = str(Head.of_row(row.layer, row.head))
            st.button(
                f"{other}: {row.correlation:z.2f}", key=f"like-{head}-{other}-b", on_click=st.session_state.update,
                args=({"b": other},),
            )  # fmt: skip
