"""Heads like this one: the nearest heads of the model, each one click away."""

from collections.abc import Mapping
from functools import partial

import numpy as np
import streamlit as st

from attn_core.head import Head
from attn_core.models.head_outputs import as_array
from attn_core.ui.shell.view import TextView
from attn_core.ui.widgets import show


def heads_like(view: TextView, head: Head, chosen: str = "b") -> None:
    """Unfolds to the heads nearest to one, by matrix and by statistics. chosen: which head a click chooses, "a" or "b"."""
    show.folded(f"Heads like {head}", f"like-{head}-{chosen}", partial(_draw, view, head, chosen))


def _draw(view: TextView, head: Head, chosen: str) -> None:
    from attn_core.measures.comparison import (  # scikit-learn takes a second to import
        nearest_by_matrix,
        nearest_by_statistics,
    )

    st.caption(f"A click chooses it as head {chosen.upper()}.")
    by_matrix, by_statistics = st.columns(2, gap="large")
    with by_matrix:
        alike = nearest_by_matrix(
            np.asarray(as_array(view.window.output.z)), head, view.choice.settings.measure, view.window.pairs.eligible
        )
        st.markdown("**By matrix**: the pairs of tokens in the most similar order")
        near = {
            Head.of_row(row.layer, row.head): f"rank correlation {row.correlation:.2f}" for row in alike.itertuples()
        }
        _list(near, f"matrix-{head}", chosen)
        st.caption(f"Spearman's, over all pairs of tokens; of a head drawn blindly, by chance 0. {view.part_shown}")
    with by_statistics:
        close = nearest_by_statistics(view.results.statistics, head)
        st.markdown("**By statistics**: the smallest distance of all numbers together")
        near = {Head.of_row(row.layer, row.head): f"distance {row.distance:.2f}" for row in close.itertuples()}
        _list(near, f"statistics-{head}", chosen)
        st.caption(
            f"Euclidean, of the z-scored statistics that clusters are made of; the mean over all other heads is "
            f"{close['chance_distance'].iloc[0]:.2f}."
            if len(close)
            else "The model has one head."
        )


def _list(near: Mapping[Head, str], key: str, chosen: str) -> None:
    """A button a head, with what makes it near; on paper, where no button is, the same words."""
    for other, why in near.items():
        st.button(
            f"{other}, {why}",
            key=f"like-{key}-{other}-{chosen}",
            type="tertiary",
            on_click=_choose,
            args=(chosen, other),
        )
    st.html("".join(f'<p class="printed">{other}, {why}</p>' for other, why in near.items()))


def _choose(chosen: str, head: Head) -> None:
    st.session_state[chosen] = str(head)
