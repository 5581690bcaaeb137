"""Text as text: what comes from a user, a token or a file name is never run as markdown or HTML."""

from collections.abc import Iterable

from attn_core.measures.examples import Piece

MARKDOWN = frozenset(r"\`*_{}[]()<>#+-.!|$~:&=")


def plain(value: object) -> str:
    """The value with every character that markdown could read escaped, on one line."""
    return "".join(f"\\{c}" if c in MARKDOWN else c for c in " ".join(str(value).split()))


def marked(pieces: Iterable[Piece]) -> str:
    """Pieces of text in one line of markdown, the marked ones on a coloured ground."""
    return "".join(f":violet-background[**{plain(text)}**]" if mark else _with_blanks(text) for text, mark in pieces)


def _with_blanks(text: str) -> str:
    """Escaped, with one blank where the text began or ended with blanks."""
    if not text.strip():
        return " " if text else ""
    return " " * text[0].isspace() + plain(text) + " " * text[-1].isspace()
