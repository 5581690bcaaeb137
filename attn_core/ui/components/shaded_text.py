"""A text in the browser whose tokens shade by their similarity to the token pointed at, or by what a pair reads.

A Streamlit component, as `matrix_canvas` is. It is registered once, when the module is imported.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import streamlit as st

from attn_core.charts.style import ink_on, ramp
from attn_core.texts.token_names import readable
from attn_core.ui.components import packed, registered, run_again

# From the page to far from the page: teal above zero, in every text; brown below it.
_ABOVE = {"light": "f4faf8 b9e2d6 62bba9 2a8c86 11525c", "dark": "16202a 14474c 1f7f7a 5cc4aa d2f7df"}
_BELOW = {"light": "6b3a06 a5681c d3a45c ecd9ae", "dark": "f7e3bf cfa25a 8c5f1f 4a3415"}
LITTLE = 0.02  # of the largest contribution: one as far below zero

_HTML = """
<div class="text" role="group" aria-label="The text, token by token: arrow keys move, Enter pins, Escape unpins"></div>
<div class="foot">
  <div class="scale" hidden><span></span><span></span><i></i><span></span></div>
  <div class="line" role="status"></div>
</div>
"""


def shaded_text(
    tokens: Sequence[str],
    spaces: Sequence[str],
    similarity: np.ndarray,
    *,
    special: Sequence[bool],
    start: int,
    key: str,
    ends: tuple[int, int] | None = None,
    pins: bool = True,
) -> int:
    """Draw a text of N tokens; pointing at one shades all others by their similarity to it. Returns the pinned one.

    `tokens`, `spaces` and `special` have length N, `similarity` is (N, N): row i belongs to the token pointed at, what
    is not finite stays unshaded. `spaces[i]` is what stands before token i: a line break in it starts a line, two start
    a paragraph. `start` is pinned until the reader pins another by a click or Enter. A pin belongs to `key`: put the
    text's identity into it. With `ends` (two tokens, outlined), `similarity` is (N,), what each token contributes to
    theirs, and pointing shades nothing. `pins`: whether a click pins.

    Colours span the row's minimum to maximum without the token itself; where the matrix has values below zero (its
    diagonal aside) they are symmetric about zero. What lies above zero has the same colours in every text.
    """
    n = len(tokens)
    if n == 0 or not n == len(spaces) == len(special) or similarity.shape != ((n,) if ends else (n, n)):
        raise ValueError("Tokens, spaces, special and each side of similarity must be as many, one at least.")
    anchors, diverging = shades(similarity)
    header = {
        "tokens": list(tokens),
        "names": list(map(readable, tokens)),  # of the line below, where a lone dot would be lost
        "spaces": list(spaces),
        "special": [bool(each) for each in special],
        "start": start,
        "ends": ends,
        "pins": pins,
        "diverging": diverging,
        "ramps": {page: _colours(each) for page, each in anchors.items()},
    }
    data = packed(header, np.where(np.isfinite(similarity), similarity, np.nan))
    return _pinned(_component(key=key, data=data, on_pinned_change=run_again), n, start)


def pinned_before(n: int, start: int, key: str) -> int:
    """The token that is pinned in the text of that key before it is drawn."""
    return _pinned(st.session_state.get(key, {}), n, start)


def _pinned(state: Mapping[str, Any], n: int, start: int) -> int:
    pinned = state.get("pinned")
    return start if pinned is None or pinned >= n else int(pinned)


def shades(similarity: np.ndarray) -> tuple[dict[str, str], bool]:
    """The colours of values on light and dark pages, and whether they are around zero.

    They are if a value of a matrix beside its diagonal is below zero, or one of a row by more than `LITTLE`.
    """
    matrix = similarity.ndim == 2
    shown = similarity[~np.eye(len(similarity), dtype=bool)] if matrix else similarity
    finite = shown[np.isfinite(shown)]
    diverging = bool(finite.size and finite.min() < (0 if matrix else -LITTLE * finite.max()))
    return {page: f"{_BELOW[page]} {above}" if diverging else above for page, above in _ABOVE.items()}, diverging


@cache
def _colours(anchors: str) -> list[list[str]]:
    """256 pairs of a background and an ink."""
    rgb = ramp(anchors)
    return [[f"#{bytes(colour.tolist()).hex()}", ink] for colour, ink in zip(rgb, ink_on(rgb), strict=True)]


_component = registered("shaded_text", _HTML, "clickable_text")
