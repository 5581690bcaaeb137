"""Text as text: what comes from a user, a token or a file name is never run as markdown or HTML."""

from collections.abc import Iterable, Sequence
from html import escape

import numpy as np

from attn_core.io.paths import last_part
from attn_core.measures.examples import Piece

MARKDOWN = frozenset(r"\`*_{}[]()<>#+-.!|$~:&=")
SHADE = "213,94,0"  # Okabe and Ito's vermilion, laid thinly over light and dark pages alike
DEEPEST = 0.75
LONGEST_NAME = 60  # characters; a file system takes 255 bytes


def plain(value: object) -> str:
    """The value on one line, with every character escaped that Markdown would read."""
    return "".join(f"\\{c}" if c in MARKDOWN else c for c in " ".join(str(value).split()))


def file_name(name: str) -> str:
    """The name of an uploaded file in printable characters; of a long name the end, with its suffix."""
    printable = "".join(c if c.isprintable() else " " for c in last_part(name))
    return printable[-LONGEST_NAME:].strip() or "unnamed"


def marked(pieces: Iterable[Piece]) -> str:
    """Pieces of text in one line of Markdown, the marked ones on a coloured background."""
    return "".join(f":violet-background[**{plain(text)}**]" if mark else _with_blanks(text) for text, mark in pieces)


def _with_blanks(text: str) -> str:
    """The text escaped for Markdown, with one blank where it began or ended with blanks."""
    if not text.strip():
        return " " if text else ""
    return " " * text[0].isspace() + plain(text) + " " * text[-1].isspace()


def shaded_html(text: str, starts: Sequence[int], ends: Sequence[int], values: np.ndarray, form: str) -> str:
    """A text as HTML, from its first word to its last, each word shaded by a number. starts: ascending.

    values: (W,), not negative; the largest is shaded deepest, and each is shown under the pointer, in this form.
    """
    largest = float(values.max()) or 1.0
    parts, at = [], starts[0]
    for start, end, value in zip(starts, ends, values.tolist(), strict=True):
        shade = f"rgba({SHADE},{DEEPEST * value / largest:.2f})"
        between = escape(text[at:start]).replace("\n", "<br>")
        style = f"background:{shade};border-radius:3px"
        parts.append(f'{between}<span title="{value:{form}}" style="{style}">{escape(text[start:end])}</span>')
        at = end
    return f'<div dir="auto" style="line-height:1.7">{"".join(parts)}</div>'
