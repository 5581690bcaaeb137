"""A text whose words are shaded by a number each; static, so that it prints and needs no component."""

from collections.abc import Sequence
from html import escape

import numpy as np

SHADE = "213,94,0"  # Okabe and Ito's vermilion, laid thinly over light and dark pages alike
DEEPEST = 0.75


def shaded_html(text: str, starts: Sequence[int], ends: Sequence[int], values: np.ndarray, form: str) -> str:
    """The characters from the first word's to the last one's as HTML; words rising and apart; whatever stands there is escaped.

    values: (W,), not negative; the largest is shaded deepest, and each is told under the pointer. form: of these numbers.
    """
    largest = float(values.max()) or 1.0
    parts, at = [], starts[0]
    for start, end, value in zip(starts, ends, values.tolist(), strict=True):
        shade = f"rgba({SHADE},{DEEPEST * value / largest:.2f})"
        between = escape(text[at:start]).replace("\n", "<br>")
        word = f'<span title="{value:{form}}" style="background:{shade};border-radius:3px">{escape(text[start:end])}</span>'
        parts.append(between + word)
        at = end
    return f'<div dir="auto" style="line-height:1.7">{"".join(parts)}</div>'
