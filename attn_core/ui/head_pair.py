"""Heads A and B side by side: stepping through the heads, the four matrices, the readable crop."""

import numpy as np
import streamlit as st

from attn_core.charts.heads import matrix_crop
from attn_core.measures.frames import head_name
from attn_core.similarity import context_similarity
from attn_core.ui import show
from attn_core.ui.frame import View
from attn_core.ui.matrix_canvas import Panel, matrix_canvas

MARKS = 100  # outlined pairs: more would hide what they mark
CROP = 24  # tokens: as many labels as one can read at a glance
Head = tuple[int, int]


def title(head: Head) -> str:
    """L3H2 for (2, 1)."""
    return head_name(head[0] + 1, head[1] + 1)


def steppers(view: View) -> None:
    """Buttons: previous and next head for A and for B, and swap."""
    with st.container(horizontal=True):
        _step_buttons(view, "a", view.head_a)
        st.button("Swap A and B", on_click=_swap, icon=":material/swap_horiz:")
        _step_buttons(view, "b", view.head_b)


def _step_buttons(view: View, key: str, head: Head) -> None:
    for label, step, icon in (("Previous", -1, ":material/chevron_left:"), ("Next", 1, ":material/chevron_right:")):
        name = f"{label} {key.upper()}"
        st.button(name, key=f"{label}-{key}", on_click=_step, args=(view, key, head, step), icon=icon)


def similarity_of(view: View, head: Head) -> np.ndarray:
    """The context similarity matrix of a head, (N, N)."""
    z = view.reading.outputs[0].z[head]
    return context_similarity(z, view.choice.settings.measure).cpu().numpy()


def attention_of(view: View, head: Head) -> np.ndarray:
    """The attention map of a head, (query, key)."""
    attention = view.reading.outputs[0].attention
    assert attention is not None, "a reading of one window keeps its attention maps"
    return attention[head].cpu().numpy()


def matrices(view: View) -> None:
    """Similarity of A and B above, their attention maps below, one viewport; below that a crop around the picked pair."""
    passage = view.passage
    if view.part_shown:
        st.caption(view.part_shown)
    heads = (view.head_a, view.head_b)
    similarity = [similarity_of(view, head) for head in heads]
    marks = [np.stack([view.pairs.first[head][:MARKS], view.pairs.second[head][:MARKS]], axis=1) for head in heads]
    panels = [
        Panel(f"{title(head)}: context similarity", matrix, _scheme(matrix), pairs)
        for head, matrix, pairs in zip(heads, similarity, marks, strict=True)
    ]
    panels += [Panel(f"{title(head)}: attention, row attends to column", attention_of(view, head)) for head in heads]
    picked = matrix_canvas(panels, [passage.surface(i) for i in range(len(passage))], key=f"matrices-{view.identity}")
    row, column = picked or marks[0][0]
    with st.expander("A readable crop, to save as a figure", icon=":material/crop:"):
        st.caption(
            f"{CROP} tokens around the picked pair (click into a matrix to pick; the strongest pair of A until then)."
        )
        for side, letter, head, matrix in zip(st.columns(2, gap="large"), "ab", heads, similarity, strict=True):
            with side:
                st.markdown(f"**{title(head)}**")
                _crop(matrix, view, int(row), int(column), letter)


def _scheme(matrix: np.ndarray) -> str:
    """Colours around zero where the values lie on both sides of it."""
    return "diverging" if np.quantile(matrix, 0.02) < 0 < np.quantile(matrix, 0.98) else "sequential"


def _crop(matrix: np.ndarray, view: View, row: int, column: int, name: str) -> None:
    tokens = [view.passage.surface(i) for i in range(len(view.passage))]
    rows, columns = (_around(position, len(tokens)) for position in (row, column))
    figure = matrix_crop(matrix[rows, columns], tokens, rows.start, columns.start, "similarity", (row, column))
    show.chart(figure, f"crop-{name}", across=0.5)


def _around(position: int, length: int) -> slice:
    start = max(0, min(position - CROP // 2, length - CROP))
    return slice(start, min(length, start + CROP))


def _step(view: View, key: str, head: Head, step: int) -> None:
    model = view.reading.model
    number = (head[0] * model.heads + head[1] + step) % (model.layers * model.heads)
    st.session_state[key] = title(divmod(number, model.heads))


def _swap() -> None:
    st.session_state["a"], st.session_state["b"] = st.session_state["b"], st.session_state["a"]
