"""Heads: two heads of the same text side by side, matrix by matrix, pair by pair, statistic by statistic."""

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from attn_core.charts.role_words import described_roles
from attn_core.charts.style import Scheme
from attn_core.head import Head
from attn_core.measures.comparison import (
    matrix_correlation,
    nearest_by_matrix,
    pair_overlap,
    side_by_side,
    strongest_in_context,
)
from attn_core.measures.statistics import BY_LABEL
from attn_core.models.head_outputs import as_array
from attn_core.texts.token_names import readable
from attn_core.ui import readings, reasons
from attn_core.ui.components.matrix_canvas import Panel, Visit, matrix_canvas
from attn_core.ui.shell import page
from attn_core.ui.shell.page import View
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import segmented
from attn_core.ui.widgets.escape import plain

SIMILARITY, ATTENTION = "similarity", "attention"
CROP = 24  # tokens: as many labels as one can read at a glance


class Side(NamedTuple):
    """One of the two heads with its matrix. letter: of its files, a or b."""

    letter: str
    head: Head
    panel: Panel

    @property
    def drawn(self) -> dict[str, Any]:
        """The arguments of a figure of the matrix."""
        words, label = {"letter": self.letter, "head": self.head}, self.panel.title.partition(": ")[2]
        return {"words": words, "label": label, "scheme": self.panel.scheme, "cut": self.panel.colours_end}


def facts(view: View, a: Head, b: Head) -> None:
    """Draw what two heads have in common, each number with its chance level."""
    overlap, chance = pair_overlap(view.results.windows, a, b)
    correlation = matrix_correlation(view.similarity(a), view.similarity(b), view.window.pairs.eligible)
    st.markdown(
        f"Strong pairs shared by A and B: **{overlap:.1%}** (chance {chance:.1%}) · "
        f"Correlation of their similarity matrices{view.of_window}: **{correlation:z.2f}** (chance 0)"
    )


def matrices(view: View, *heads: Head) -> tuple[list[Side], tuple[int, int]]:
    """Draw the similarity matrices of the heads or their attention maps. Returns both sides and the picked pair."""
    maps = segmented("Matrices", (SIMILARITY, ATTENTION), "maps", label_visibility="collapsed", width="content")
    view.choose_window()
    passage, pairs, a = view.window.passage, view.window.pairs, view.head_a
    panels = [_attention(view, head) if maps == ATTENTION else _similarity(view, head) for head in heads]
    axes = ("query tokens", "key tokens") if maps == ATTENTION else ("tokens", "tokens")
    tokens, key = [passage.surface(i) for i in range(len(passage))], f"matrices-{view.identity}"
    picked = matrix_canvas(panels, tokens, axes, key=key, visit=_visited(view))
    return list(map(Side, "ab", heads, panels)), picked or (int(pairs.first[a][0]), int(pairs.second[a][0]))


def _attention(view: View, head: Head) -> Panel:
    """The attention map of a head, (query, key)."""
    return Panel(f"{head}: attention", readings.attention_map(view.choice.key.at(view.window.passage.index), head))


def _similarity(view: View, head: Head) -> Panel:
    """The similarity matrix of a head with its strong pairs as marks."""
    pairs, matrix = view.window.pairs, view.similarity(head)
    marks = np.stack([pairs.first[head], pairs.second[head]], axis=1)
    return Panel(f"{head}: similarity of outputs", matrix, _scheme_of(matrix), marks)


def _scheme_of(matrix: np.ndarray) -> Scheme:
    """The colour scheme of a matrix: diverging if more than 2% of its values lie on either side of zero."""
    least = 0.02 * matrix.size
    return "diverging" if min((matrix < 0).sum(), (matrix > 0).sum()) > least else "sequential"


def why_alike(view: View, sides: Sequence[Side], pair: tuple[int, int]) -> None:
    """Draw why the tokens of the picked pair are alike in A and in B."""
    first, second = (reasons.named(view, at) for at in pair)
    st.header(f"Why are {plain(first)} and {plain(second)} alike?", anchor=False)
    st.caption(
        "Click a cell above to choose a pair. A head's output is the sum of what it reads from each token, so a "
        "similarity is a sum over the tokens that both read."
    )
    for side in show.in_columns(sides):
        reasons.draw_reason(view, side.head, side.letter, pair)


def crops(view: View, sides: Sequence[Side], pair: tuple[int, int]) -> None:
    """Draw the part of both matrices around one pair, as figures."""
    most = max(0, len(view.window.passage) - CROP)
    rows, columns = (slice(start := min(max(0, at - CROP // 2), most), start + CROP) for at in pair)
    for side in show.in_columns(sides):
        cells = _cells(view, side.panel)
        st.markdown(f"**{side.panel.title}**")
        view.show(
            "crop", tables={"cells": partial(cells.iloc.__getitem__, (rows, columns))}, inputs=view.identity,
            picked=tuple(cells.index[list(pair)]), **side.drawn,
        )  # fmt: skip


def _cells(view: View, panel: Panel) -> pd.DataFrame:
    """The values of a matrix, with the tokens and their positions as names of rows and columns."""
    passage = view.window.passage
    names = [f"{at} {readable(passage.whole(at))}" for at in range(len(passage))]
    return pd.DataFrame(panel.values, index=names, columns=names).rename_axis("token")


def strongest_pairs(view: View, sides: Sequence[Side]) -> None:
    """Draw the table of strongest pairs of A and of B; a click on a row shows its pair in the matrices."""
    st.caption(f"Click a row to see its pair{view.of_window} in the matrices.")
    for letter, head, _ in show.in_columns(sides):
        st.markdown(f"**{head}: {plain(described_roles(head.rows_of(view.results.statistics).iloc[0]))}**")
        strongest = strongest_in_context(view.window.pairs, head)
        number, text, digits = st.column_config.NumberColumn, st.column_config.TextColumn, strongest["similarity"]
        columns = {
            "similarity": number("similarity", format=show.aligned(digits), width=62),
            "distance": number("distance", width=58),
            "first_context": text("first, in context", width=140),
            "second_context": text("second, in context", width=140),
        }
        show.table(
            strongest, f"strongest-{letter}", columns, column_order=[*columns], height=250,
            on_select=partial(_visit, view, f"strongest-{letter}", strongest), selection_mode="single-cell",
            choices={"window": view.window.passage.index + 1},
        )  # fmt: skip


def _visited(view: View) -> Visit | None:
    """The request of the last click in one of the tables, None before."""
    return st.session_state.get(f"visit-{view.identity}")


def _visit(view: View, table: str, pairs: pd.DataFrame) -> None:
    """Request the pair of the row that was clicked in a table. pairs: the table, with columns first and second."""
    if cells := st.session_state[f"table-{table}"]["selection"]["cells"]:
        pair = pairs.iloc[cells[0][0]]
        last = _visited(view)
        turn = last.turn + 1 if last else 1
        st.session_state[f"visit-{view.identity}"] = Visit((int(pair["first"]), int(pair["second"])), turn)


def heads_like(view: View, head: Head) -> None:
    """Draw buttons for the heads whose matrices are most like that of `head`; a click chooses one as head B."""
    z, measure, eligible = view.window.output.z, view.choice.settings.measure, view.window.pairs.eligible
    alike = view.kept(
        ("alike", head, view.identity), lambda: nearest_by_matrix(np.asarray(as_array(z)), head, measure, eligible)
    )
    if not len(alike):
        st.markdown("The model has one head.")
        return
    st.markdown(
        f"Rank correlation over all pairs of tokens{view.of_window}; chance is 0. Click a head to see it as head B."
    )
    with st.container(horizontal=True):
        for row in alike.itertuples():
            other = str(Head.of_row(row.layer, row.head))
            st.button(
                f"{other}: {row.correlation:z.2f}", key=f"like-{head}-{other}-b", on_click=st.session_state.update,
                args=({"b": other},),
            )  # fmt: skip


def side_by_side_in_units(view: View, a: Head, b: Head) -> None:
    """Draw the statistics of both heads, each in its own unit."""
    column = st.column_config.Column
    labels = {"first_value": str(a), "first_chance": f"chance, {a}"}
    labels |= {"second_value": str(b), "second_chance": f"chance, {b}"}
    show.table(
        partial(side_by_side, view.results.statistics, a, b), "statistics-of-two-heads",
        {name: column(label) for name, label in labels.items()}, in_words=_with_units,
        choices={"first": str(a), "second": str(b)}, fold="Statistics side by side",
    )  # fmt: skip


def _with_units(table: pd.DataFrame) -> pd.DataFrame:
    """The table of `side_by_side` with each number in the unit of its statistic, as text."""
    of, numbers = [BY_LABEL[label] for label in table["statistic"]], table.select_dtypes("number")
    return table.assign(
        **{name: [one.text(value) for one, value in zip(of, values, strict=True)] for name, values in numbers.items()}
    ).drop(columns="unit")


view = page.begin()
a, b = view.head_a, view.choose_head_b()
facts(view, a, b)
sides, pair = matrices(view, a, b)
for side in show.in_columns(sides):
    view.save("matrix", partial(_cells, view, side.panel), **side.drawn)
why_alike(view, sides, pair)
show.folded("Strongest pairs of both heads", "strongest", partial(strongest_pairs, view, sides))
show.folded(f"Heads most like {a}", "alike", partial(heads_like, view, a))
around = f"{CROP} tokens around the picked pair (at first A's strongest)"
show.folded(around, "crop", partial(crops, view, sides, pair))
side_by_side_in_units(view, a, b)
show.help("Heads")
