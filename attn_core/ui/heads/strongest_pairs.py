"""The strongest pairs of heads A and B in their text; a click on one takes the matrices there."""

from collections.abc import Callable

import pandas as pd
import streamlit as st

from attn_core.measures.comparison import strongest_in_context
from attn_core.ui.components.matrix_canvas import Visit
from attn_core.ui.shell.view import TextView
from attn_core.ui.widgets import show
from attn_core.ui.widgets.escape import plain
from attn_core.ui.widgets.sections import section


def show_strongest(view: TextView) -> None:
    """One table a head, each with the head's role."""
    section("Strongest pairs in context")
    st.caption("**Click a row to see it in the matrices.**")
    for side, letter, head in zip(st.columns(2, gap="large"), "ab", (view.head_a, view.head_b), strict=True):
        with side:
            about = view.results.statistics.set_index(["layer", "head"]).loc[head.row]
            st.markdown(f"**{head}**")
            st.caption(f"{about['role']}: {plain(about['role_rule'])}")
            strongest = strongest_in_context(view.window.pairs, head)
            show.table(
                strongest,
                f"strongest-{letter}",
                view.provenance(window=view.window.passage.index + 1),
                columns={
                    "similarity": st.column_config.NumberColumn(
                        "similarity", format=show.aligned(strongest["similarity"]), width=62
                    ),
                    "distance": st.column_config.NumberColumn("distance", width=58),
                    "first_context": st.column_config.TextColumn("first, in context", width=140),
                    "second_context": st.column_config.TextColumn("second, in context", width=140),
                },
                column_order=["similarity", "distance", "first_context", "second_context"],
                height=250,
                on_select=_visit(view, f"strongest-{letter}", strongest),
                selection_mode="single-cell",
            )


def visited(view: TextView) -> Visit | None:
    """The pair that was clicked last in one of the tables, None before."""
    return st.session_state.get(f"visit-{view.identity}")


def _visit(view: TextView, table: str, pairs: pd.DataFrame) -> Callable[[], None]:
    """What to do when a row of a table of pairs (columns first, second) is clicked: the matrices go there."""

    def go() -> None:
        if cells := st.session_state[f"table-{table}"]["selection"]["cells"]:
            pair = pairs.iloc[cells[0][0]]
            last = visited(view)
            turn = last.turn + 1 if last else 1
            st.session_state[f"visit-{view.identity}"] = Visit((int(pair["first"]), int(pair["second"])), turn)

    return go
