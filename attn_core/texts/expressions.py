"""Regular expressions that a user types, by RE2: in time linear in the text and within `MEMORY`, whatever is typed."""

import re
from collections.abc import Sequence
from typing import Any

import re2

from attn_core.errors import InputError, cause

MEMORY = 2 << 20  # bytes of one expression; of a larger one the matching alone takes seconds
MOST_GROUPS = 100  # RE2 copies all of them at each step
LETTERS = r"\pL\pM\pN_"
CLASSES = {r"\d": r"\p{Nd}", r"\D": r"\P{Nd}", r"\w": f"[{LETTERS}]", r"\W": f"[^{LETTERS}]"}
IN_BRACKETS = CLASSES | {r"\w": LETTERS}
_ASCII_ONLY = (r"\b", r"\B")  # RE2 has none for other letters, and half of one finds half of the words
_PIECE = re.compile(r"\\Q.*?(?:\\E|\Z)|\\.|\[:\^?\w+:\]|\[\^?\]?|[^\\[\]]+|.", re.DOTALL)


def matched(expression: str, words: Sequence[str]) -> list[int]:
    """The numbers of the words that an expression matches whole. Raises InputError for what RE2 does not take."""
    compiled = _compiled(expression, never_capture=True)
    return [at for at, word in enumerate(words) if compiled.fullmatch(word)]


def first_group(expression: str, text: str) -> str | None:
    """What the first group of an expression finds in a text. Raises InputError for what RE2 does not take."""
    compiled = _compiled(expression)
    if compiled.groups > MOST_GROUPS:
        raise InputError(f"{expression[:80]!r} has {compiled.groups:,} groups: one is enough.")
    found = compiled.search(text) if compiled.groups else None
    return found[1] if found else None


def _compiled(expression: str, **options: bool) -> Any:
    asked = re2.Options()
    for name, value in {"max_mem": MEMORY, "log_errors": False, **options}.items():
        setattr(asked, name, value)
    try:
        return re2.compile(_of_all_alphabets(expression), asked)
    except re2.error as error:
        why = error.args[0].decode("utf-8", "replace") if isinstance(error.args[0], bytes) else cause(error)
    except UnicodeEncodeError:
        why = "half a character"
    raise InputError(
        f"{expression[:80]!r} is no regular expression that RE2 takes ({why[:80]}): spell it out without look-around, word "
        "boundaries, references to groups, recursion, and repeats above 1,000."
    )


def _of_all_alphabets(expression: str) -> str:
    r"""The expression with letters and digits of every alphabet for \w and \d, which in RE2 are those of English."""
    pieces, brackets = [], False
    for piece in _PIECE.findall(expression):
        if piece in _ASCII_ONLY or (brackets and piece == r"\W"):
            raise re2.error(piece)
        pieces.append((IN_BRACKETS if brackets else CLASSES).get(piece, piece))
        closes = piece[-1] == "]" and piece[0] != "\\" and piece[:2] != "[:"
        brackets = not closes if brackets else piece[0] == "["
    return "".join(pieces)
