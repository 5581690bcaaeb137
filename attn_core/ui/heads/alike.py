"""A head beside others: the nearest heads of the model, each one click away; and itself in another text, side by side, where
what stays is the head's, and what goes was the text's.
"""

from collections.abc import Mapping
from functools import partial

import numpy as np
import streamlit as st

from attn_core.head import Head
from attn_core.measures.comparison import nearest_by_matrix
from attn_core.models.head_outputs import as_array
from attn_core.similarity.context_similarity import context_similarity
from attn_core.texts import own_texts
from attn_core.texts.documents import samples
from attn_core.texts.languages import AUTO
from attn_core.ui import readings
from attn_core.ui.choice import TextKey
from attn_core.ui.components.matrix_canvas import Axis, Panel, matrix_canvas
from attn_core.ui.heads.head_pair import scheme_of
from attn_core.ui.shell.view import View
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import one_of


def heads_like(view: View, head: Head) -> None:
    """Unfolds to the heads whose matrices are most like that of one; a click chooses one as head B."""
    show.folded(f"Heads like {head}", f"like-{head}-b", partial(_nearest, view, head))


def _nearest(view: View, head: Head) -> None:
    alike = nearest_by_matrix(
        np.asarray(as_array(view.window.output.z)), head, view.choice.settings.measure, view.window.pairs.eligible
    )
    st.markdown("The pairs of tokens in the most similar order. A click chooses a head as head B.")
    near = {Head.of_row(row.layer, row.head): f"rank correlation {row.correlation:z.2f}" for row in alike.itertuples()}
    _list(near, f"matrix-{head}")
    within = f" of {view.part_shown}" if view.part_shown else ""
    st.caption(
        f"Spearman's, over all pairs of tokens{within}; of a head drawn blindly, by chance 0."
        if len(alike)
        else "The model has one head."
    )


def _list(near: Mapping[Head, str], key: str) -> None:
    """A button a head, with what makes it near."""
    for other, why in near.items():
        st.button(
            f"{other}, {why}",
            key=f"like-{key}-{other}-b",
            type="tertiary",
            on_click=st.session_state.update,
            args=({"b": str(other)},),
        )


def head_in_two_texts(view: View) -> None:
    """Unfolds to the matrix of head A in the text of the page and in another one."""
    show.folded(f"{view.head_a} in two texts", "two-texts", partial(_in_both, view))


def _in_both(view: View) -> None:
    choice = view.choice
    known = {sample.title: sample for sample in samples()}
    mine = own_texts.every()
    of_name = {name: one.text for name, one in known.items()} | {link: one.text for link, one in mine.items()}
    chosen = one_of("Text B", [name for name in of_name if of_name[name] != choice.text], "text-b")
    name, language = (mine[chosen].name, AUTO) if chosen in mine else (chosen, known[chosen].language)
    key = TextKey(choice.spec, of_name[chosen], language, choice.layout, 0, choice.unit)
    reading = readings.reading(key)
    passage, outputs = reading.passages[0], reading.outputs[0]
    other = np.asarray(as_array(context_similarity(outputs.z[view.head_a], choice.settings.measure)))
    texts = ((choice.title, view.window.passage, view.similarity(view.head_a)), (name, passage, other))
    for side, letter, (title, shown, matrix) in zip(st.columns(2, gap="large"), "ab", texts, strict=True):
        with side:
            matrix_canvas(
                [Panel(f"{view.head_a}: context similarity in “{title}”", matrix, scheme_of(matrix))],
                Axis([shown.surface(at) for at in range(len(shown))]),
                key=f"two-texts-{letter}-{title}-{view.identity}",
            )
    st.caption("Each matrix has colours of its own: lengths of head outputs differ from text to text.")
