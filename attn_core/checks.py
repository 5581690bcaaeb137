"""Checks of what a caller gives: each raises InputError, whose one sentence says what is taken."""

from collections.abc import Sequence
from numbers import Integral, Real

from attn_core.errors import InputError


def check_type(value: object, kind: type, what: str) -> None:
    """Raises InputError for an object of another type."""
    if not isinstance(value, kind):
        raise InputError(f"{what} is of type {kind.__name__}, not {type(value).__name__}.")


def check_choice(value: object, known: Sequence[str], what: str) -> None:
    """Raises InputError for what is none of some words."""
    if not isinstance(value, str) or value not in known:
        raise InputError(f"{what} is {', '.join(known[:-1])} or {known[-1]}, not {repr(value)[:60]}.")


def check_integer(value: object, least: int, what: str) -> None:
    """Raises InputError for what is no whole number from `least` on."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise InputError(f"{what} is a whole number from {least} on, not {repr(value)[:60]}.")


def check_share(value: object, what: str) -> None:
    """Raises InputError for what is no number above 0 and at most 1."""
    if not isinstance(value, Real) or not 0 < float(value) <= 1:
        raise InputError(f"{what} is a number above 0 and at most 1, such as 0.01 for 1%, not {repr(value)[:60]}.")
