"""Regular expressions of users, matched by RE2 in linear time and bounded memory."""

import re
from collections.abc import Sequence
from typing import Any

import re2

from attn_core.errors import InputError, cause

MEMORY = 2 << 20  # bytes that an expression may take; larger ones take seconds to match
LETTERS = r"\pL\pM\pN_"
CLASSES = {r"\d": r"\p{Nd}", r"\D": r"\P{Nd}", r"\w": f"[{LETTERS}]", r"\W": f"[^{LETTERS}]"}
IN_BRACKETS = CLASSES | {r"\w": LETTERS}
_ASCII_ONLY = (r"\b", r"\B")  # RE2 knows word boundaries of English letters only
_PIECE = re.compile(r"\\Q.*?(?:\\E|\Z)|\\.|\[:\^?\w+:\]|\[\^?\]?|[^\\[\]]+|.", re.DOTALL)


def matching_words(expression: str, words: Sequence[str]) -> list[int]:
    """The indices of the words that an expression matches as a whole. Raises InputError if RE2 rejects it."""
    compiled = _compile(expression, never_capture=True)
    return [at for at, word in enumerate(words) if compiled.fullmatch(word)]


def first_group(expression: str, text: str) -> str | None:
    """The match of an expression's first group in a text, or None. Raises InputError like `matching_words`."""
    compiled = _compile(expression)
    found = compiled.search(text) if compiled.groups else None
    return found[1] if found else None


def _compile(expression: str, **options: bool) -> Any:
    settings = re2.Options()
    for name, value in {"max_mem": MEMORY, "log_errors": False, **options}.items():
        setattr(settings, name, value)
    try:
        return re2.compile(_of_all_alphabets(expression), settings)
    except re2.error as error:
        why = error.args[0].decode("utf-8", "replace") if isinstance(error.args[0], bytes) else cause(error)
    except UnicodeEncodeError:
        why = "half a character"
    raise InputError(
        f"{expression[:80]!r} is no regular expression that RE2 takes ({why[:80]}): leave out look-around, word "
        "boundaries, references to groups, recursion, and repeats above 1,000."
    )


def _of_all_alphabets(expression: str) -> str:
    r"""The expression with \w and \d replaced by classes of every alphabet, since those of RE2 are ASCII only."""
    pieces, brackets = [], False
    for piece in _PIECE.findall(expression):
        if piece in _ASCII_ONLY or (brackets and piece == r"\W"):
            raise re2.error(piece)
        pieces.append((IN_BRACKETS if brackets else CLASSES).get(piece, piece))
        closes = piece[-1] == "]" and piece[0] != "\\" and piece[:2] != "[:"
        brackets = not closes if brackets else piece[0] == "["
    return "".join(pieces)
