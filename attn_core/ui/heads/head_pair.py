"""Heads A and B side by side: the four matrices, the readable crop, and their strongest pairs, of which a click on one takes
the matrices there.
"""

import re
from collections.abc import Sequence
from functools import partial
from typing import Literal, get_args

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st

from attn_core.charts.heads import matrix_crop
from attn_core.charts.style import Ground, Scheme, colours
from attn_core.head import Head
from attn_core.measures.comparison import strongest_in_context
from attn_core.measures.examples import pair_in_text
from attn_core.ui import readings
from attn_core.ui.components.matrix_canvas import Visit, matrix_canvas
from attn_core.ui.components.matrix_panel import Axis, Panel, colour_cut
from attn_core.ui.shell.view import View
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import segmented
from attn_core.ui.widgets.escape import marked, plain

Scale = Literal["own", "common"]
SCALES: tuple[Scale, ...] = get_args(Scale)
SIDES = "query token", "key token"
AROUND = 200  # characters on either side of the pair that a link names
CROP = 24  # tokens: as many labels as one can read at a glance


def attention_of(view: View, head: Head) -> np.ndarray:
    """The attention map of a head, (query, key)."""
    choice = view.choice
    return readings.attention_map(choice.key.at(view.window.passage.index), head)


def matrices(view: View, scale: Scale) -> None:
    """Similarity of A and B above, their attention maps below, one viewport; below that a crop around the picked pair.

    scale: as `choose_scale` gives it.
    """
    passage, heads = view.window.passage, (view.head_a, view.head_b)
    view.choose_window()
    similarity = [view.similarity(head) for head in heads]
    panels = _similarity_panels(view, heads, similarity, scale)
    attention = [attention_of(view, head) for head in heads]
    maps = [
        Panel(f"{head}: attention, row attends to column", weights, sides=SIDES)
        for head, weights in zip(heads, attention, strict=True)
    ]
    tokens = [passage.surface(i) for i in range(len(passage))]
    asked = asked_pair(view)
    picked = matrix_canvas(
        panels + maps,
        Axis(tokens),
        key=f"matrices-{view.identity}",
        visit=visited(view) or (Visit(asked, 0) if asked else None),
    )
    row, column = picked or panels[0].marks[0]
    show.folded("A readable crop, to save as a figure", "crop", partial(_crops, view, panels, int(row), int(column)))


def asked_pair(view: View) -> tuple[int, int] | None:
    """The two tokens that a link to this page names, None where it names none that this window has."""
    match = re.fullmatch(r"(\d{1,6})-(\d{1,6})", st.query_params.get("pair", ""))
    if not match:
        return None
    first, second = map(int, match.groups())
    return (first, second) if first < second < len(view.window.passage) else None


def show_asked(view: View) -> None:
    """The pair of the link, in the text around it."""
    if pair := asked_pair(view):
        st.container(border=True).markdown(marked(pair_in_text(view.window.passage, *pair, AROUND)))


def choose_scale() -> Scale:
    """How the colours of the two similarity matrices compare."""
    return segmented(
        "Colours of the similarity matrices",
        SCALES,
        "scale",
        width="content",
        help="Own: each matrix its own scale. Common: one scale for both, so that equal colours are equal values.",
    )


def _similarity_panels(
    view: View, heads: Sequence[Head], similarity: Sequence[np.ndarray], scale: Scale
) -> list[Panel]:
    """The similarity matrices of both heads, their strong pairs marked."""
    pairs = view.window.pairs
    marks = [np.stack([pairs.first[head], pairs.second[head]], axis=1) for head in heads]
    schemes, cut = [scheme_of(matrix) for matrix in similarity], None
    if scale == "common":
        schemes = ["diverging" if "diverging" in schemes else "sequential"] * 2
        cut = colour_cut(similarity, schemes[0])
    return [
        Panel(f"{head}: context similarity", matrix, scheme, mark, cut)
        for head, matrix, scheme, mark in zip(heads, similarity, schemes, marks, strict=True)
    ]


def scheme_of(matrix: np.ndarray) -> Scheme:
    """Colours around zero where the values lie on both sides of it."""
    least = 0.02 * matrix.size
    return "diverging" if min((matrix < 0).sum(), (matrix > 0).sum()) > least else "sequential"


def _crops(view: View, panels: Sequence[Panel], row: int, column: int) -> None:
    """Both matrices around one pair."""
    passage = view.window.passage
    tokens = [passage.whole(i) for i in range(len(passage))]
    st.caption(
        f"{CROP} tokens around the picked pair (click into a matrix to pick; the strongest pair of A until then)."
    )
    for side, letter, panel in zip(st.columns(2, gap="large"), "ab", panels, strict=True):
        with side:
            st.markdown(f"**{panel.title}**")
            _crop(view, panel, tokens, row, column, letter)


def _crop(view: View, panel: Panel, tokens: list[str], row: int, column: int, name: str) -> None:
    """A part of a matrix in the matrix's own colours."""
    rows, columns = (_around(position, len(tokens)) for position in (row, column))
    cut = panel.cut or colour_cut([panel.values], panel.scheme)
    label = panel.title.split(": ")[1]

    def drawn(ground: Ground) -> alt.LayerChart:
        ramp, values = colours(panel.scheme, ground), panel.values[rows, columns]
        return matrix_crop(values, tokens, rows.start, columns.start, label, ramp, cut, (row, column))

    ground: Ground = "dark" if st.context.theme.type == "dark" else "light"
    head = panel.title.split(": ")[0]
    across = "" if rows == columns else f" with {columns.start} to {columns.stop - 1}"
    title = f"{label.capitalize()} of {view.results.unit} in {head}, {view.results.unit} {rows.start} to {rows.stop - 1}{across}"
    show.chart(drawn(ground), f"crop-{name}", title, saved=drawn("light"))


def show_strongest(view: View) -> None:
    """One table a head, each with the head's role."""
    st.header("Strongest pairs in context", anchor=False)
    of = f" Of {view.part_shown}." if view.part_shown else ""
    st.caption(f"**Click a row to see it in the matrices.**{of}")
    for side, letter, head in zip(st.columns(2, gap="large"), "ab", (view.head_a, view.head_b), strict=True):
        with side:
            about = view.results.statistics.set_index(["layer", "head"]).loc[head.row]
            st.markdown(f"**{head}**")
            st.caption(f"{about['role']}: {plain(about['role_rule'])}")
            strongest = strongest_in_context(view.window.pairs, head)
            show.table(
                strongest,
                f"strongest-{letter}",
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
                on_select=partial(_visit, view, f"strongest-{letter}", strongest),
                selection_mode="single-cell",
                choices={"window": view.window.passage.index + 1},
            )


def visited(view: View) -> Visit | None:
    """The pair that was clicked last in one of the tables, None before."""
    return st.session_state.get(f"visit-{view.identity}")


def _visit(view: View, table: str, pairs: pd.DataFrame) -> None:
    """Take the matrices to the row that was clicked in a table of pairs (columns first, second)."""
    if cells := st.session_state[f"table-{table}"]["selection"]["cells"]:
        pair = pairs.iloc[cells[0][0]]
        last = visited(view)
        turn = last.turn + 1 if last else 1
        st.session_state[f"visit-{view.identity}"] = Visit((int(pair["first"]), int(pair["second"])), turn)


def _around(position: int, length: int) -> slice:
    start = max(0, min(position - CROP // 2, length - CROP))
    return slice(start, min(length, start + CROP))
