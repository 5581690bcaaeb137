"""The errors that a user can mend: each message is one sentence that says what to do.

All checks of what a caller gives raise InputError; its sentence says what is taken.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from numbers import Integral, Real

PANIC = "PanicException"  # of Rust code (tokenizers, safetensors); its class cannot be imported, and is no Exception


class InputError(ValueError):
    """Something the user gave cannot be used; the message, one sentence that says what is taken, may be shown as it is.

    >>> try:
    ...     attn_core.Settings(share=5)
    ... except attn_core.InputError as error:
    ...     print(error)
    The share of strong pairs is a number above 0 and at most 1, such as 0.01 for 1%, not 5.
    """


class TextError(InputError):
    """A text that cannot be read or analysed."""


class ModelError(InputError):
    """A model that cannot be found, loaded or served."""


class ModelNotHere(ModelError):
    """The model would have to be downloaded first."""


class RunError(InputError):
    """A run that cannot begin or go on; what was counted stays in its folder."""


class RunCancelled(RunError):
    """A run that someone stopped."""


@contextmanager
def in_one_sentence(kind: type[InputError], problem: str) -> Iterator[None]:
    """A block in which any error of a library, a panic of Rust code included, becomes an error of ours.

    problem: what failed, as a sentence without its full stop; the cause follows in brackets. What ends the program or a
    page passes through, and so do errors of ours.
    """
    try:
        yield
    except InputError:
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != PANIC:
            raise
        raise kind(f"{problem} ({cause(error)}).") from error


def cause(error: BaseException) -> str:
    """The first sentence of what a library says, without its full stop, to quote in a message of ours."""
    first = (str(error).strip().splitlines() or [type(error).__name__])[0]
    return re.split(r"(?<=[.!?])\s", first)[0].rstrip(" .:")[:200]


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
