"""One head in two texts side by side: what stays is the head's, what goes was the text's."""

from functools import partial

import numpy as np
import streamlit as st

from attn_core.analysis.reading import reading_in
from attn_core.models.head_outputs import as_array
from attn_core.similarity.context_similarity import context_similarity
from attn_core.texts import own_texts
from attn_core.texts.documents import samples
from attn_core.texts.languages import AUTO
from attn_core.ui.caches import readings
from attn_core.ui.choice import TextKey
from attn_core.ui.components.matrix_canvas import Axis, Panel, matrix_canvas
from attn_core.ui.heads.head_pair import scheme_of
from attn_core.ui.shell.view import TextView
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import one_of
from attn_core.ui.widgets.downloads import caption


def head_in_two_texts(view: TextView) -> None:
    """Unfolds to the matrix of head A in the text of the page and in another one."""
    show.folded(f"{view.head_a} in two texts", "two-texts", partial(_draw, view))


def _draw(view: TextView) -> None:
    choice = view.choice
    known = {sample.title: sample for sample in samples()}
    mine = {
        link: own for link, own in own_texts.linked().items() if not own.is_table
    }  # a table's column would be asked
    titles = {title: title for title in known} | {link: own.name for link, own in mine.items()}
    chosen = one_of("Text B", [each for each in titles if titles[each] != choice.title], "text-b")
    name = titles[chosen]
    text, language = (
        (own_texts.read(mine[chosen]), AUTO) if chosen in mine else (known[chosen].text, known[chosen].language)
    )
    key = TextKey(choice.spec, text, language, choice.layout, 0)
    reading = reading_in(choice.settings.unit, readings.reading(key))
    passage, outputs = reading.passages[0], reading.outputs[0]
    other = np.asarray(as_array(context_similarity(outputs.z[view.head_a], choice.settings.measure)))
    own, windows = view.window.passage, len(readings.passages(key))
    part = f", window 1 of {windows}" if windows > 1 else ""
    size_b = f"{len(passage):,} {reading.unit}{part}"
    texts = (
        (choice.title, own, view.similarity(view.head_a), {"size": view.size_shown}),
        (name, passage, other, {"text": name, "size": size_b}),
    )
    for side, letter, (title, shown, matrix, shows) in zip(st.columns(2, gap="large"), "ab", texts, strict=True):
        with side:
            matrix_canvas(
                [Panel(f"{view.head_a}: context similarity in “{title}”", matrix, scheme_of(matrix))],
                Axis([shown.surface(at) for at in range(len(shown))]),
                key=f"two-texts-{letter}-{title}-{view.identity}",
                caption=caption(f"Context similarity in {view.head_a}", shows),
            )
    st.caption("Each matrix has colours of its own: lengths of head outputs differ from text to text.")
