"""A pair of tokens in its text as markdown: the tokens marked, everything else as it stands, nothing run."""

from collections.abc import Iterable

from attn_core.measures.examples import Piece
from attn_core.ui.widgets.escape import plain


def marked(pieces: Iterable[Piece]) -> str:
    """Pieces of text in one line of markdown, the marked ones on a coloured ground."""
    return "".join(f":violet-background[**{plain(text)}**]" if mark else _with_blanks(text) for text, mark in pieces)


def _with_blanks(text: str) -> str:
    """Escaped, with one blank where the text began or ended with blanks."""
    if not text.strip():
        return " " if text else ""
    return " " * text[0].isspace() + plain(text) + " " * text[-1].isspace()
