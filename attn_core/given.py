"""What a caller gave, checked: each function hands it back or raises InputError, with one sentence that says what is taken."""

from collections.abc import Sequence
from numbers import Integral, Real
from typing import TypeVar

from attn_core.errors import InputError, TextError

T = TypeVar("T")
LONGEST = 60  # characters of what was given in a message
DIGITS = 19  # of the largest number that tables and generators take


def text(given: object, what: str = "A text") -> str:
    """One string."""
    if isinstance(given, bytes | bytearray):
        raise TextError(f"{what} is a string, and these are bytes: decode them first, as with .decode('utf-8').")
    if not isinstance(given, str):
        raise TextError(f"{what} is a string, not {_kind(given)}: give one at a time.")
    return given


def name(given: object, what: str) -> str:
    """A string that names something."""
    if not isinstance(given, str):
        raise InputError(f"{what} is a string, not {_shown(given)}.")
    return given


def one_of(given: object, known: Sequence[str], what: str) -> None:
    """One of the words that are known."""
    if not isinstance(given, str) or given not in known:
        words = f"{', '.join(known[:-1])} or {known[-1]}" if len(known) > 1 else known[0]
        raise InputError(f"{what} is {words}, not {_shown(given)}.")


def share(given: object, what: str = "The share of strong pairs") -> None:
    """A number above 0 and at most 1."""
    if not isinstance(given, Real) or isinstance(given, bool) or not 0 < float(given) <= 1:
        raise InputError(f"{what} is a number above 0 and at most 1, such as 0.01 for 1%, not {_shown(given)}.")


def between(given: object, least: float, most: float, what: str) -> None:
    """A number within bounds."""
    if not isinstance(given, Real) or isinstance(given, bool) or not least <= float(given) <= most:
        raise InputError(f"{what} is a number from {least:,g} to {most:,g}, not {_shown(given)}.")


def yes_or_no(given: object, what: str) -> None:
    """True or False."""
    if not isinstance(given, bool):
        raise InputError(f"{what} is True or False, not {_shown(given)}.")


def whole(given: object, least: int, what: str) -> None:
    """A whole number that is not too small."""
    if not isinstance(given, Integral) or isinstance(given, bool) or given < least:
        raise InputError(f"{what} is a whole number from {least} on, not {_shown(given)}.")


def a(wanted: type[T], given: object, what: str) -> T:
    """An object of one type."""
    if not isinstance(given, wanted):
        raise InputError(f"{what} is an attn_core {wanted.__name__}, not {_kind(given)}.")
    return given


def _kind(given: object) -> str:
    """What a thing is rather than what is in it: it may be long."""
    return "None" if given is None else f"a value of type {type(given).__name__}"


def _shown(given: object) -> str:
    shown = repr(given) if isinstance(given, str | bytes | int | float | type(None)) else _kind(given)
    return shown if len(shown) <= LONGEST else f"{shown[:LONGEST]}…"


def whole_number(text: str) -> int | None:
    """A whole number from 0 to 2^63 - 1, None for anything else, so that thousands of digits cost nothing."""
    if not (text.isascii() and text.isdecimal() and len(text) <= DIGITS):
        return None
    return number if (number := int(text)) < 2**63 else None
