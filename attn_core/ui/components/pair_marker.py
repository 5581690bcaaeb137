"""A text in the browser in which a click on one word and another on a second makes a pair.

A Streamlit component, as `shaded_text` is. It is registered once, when the module is imported.
"""

from collections.abc import Callable, Sequence

import streamlit as st

from attn_core.ui.components import registered

_HTML = """
<div class="text scrolled" role="group"
  aria-label="The text, word by word: arrow keys move, Enter marks, Escape lets go"></div>
<div class="foot"><div class="line" role="status"></div></div>
"""


def pair_marker(
    words: Sequence[str],
    spaces: Sequence[str],
    pairs: Sequence[tuple[int, int]],
    notes: Sequence[str],
    *,
    on_pair: Callable[[int, int], None],
    key: str,
) -> None:
    """Draw a text of W words; pointing at a word shows the words that it pairs with, and the notes of the pairs.

    `words` and `spaces` have length W, `spaces[i]` is what stands before word i; `pairs` and `notes` are as many.
    Two clicks call `on_pair` with the two words, in the order of the clicks, before the page runs again; also for a
    marked pair, which takes it back. One word twice lets go of it. Each pair comes with the time of its click, and
    again with those that follow, so that none is lost where the page is slower than the reader.
    """
    data = {"words": list(words), "spaces": list(spaces), "pairs": [list(pair) for pair in pairs],
            "notes": list(notes)}  # fmt: skip

    def report() -> None:
        heard = st.session_state.get(f"{key}-heard", 0)
        for at, first, second in st.session_state[key].get("pair") or ():
            if at > heard and 0 <= min(first, second) < max(first, second) < len(words):
                on_pair(int(first), int(second))
            heard = max(heard, at)
        st.session_state[f"{key}-heard"] = heard

    _component(key=key, data=data, on_pair_change=report)


_component = registered("pair_marker", _HTML, "clickable_text")
