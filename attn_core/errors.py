"""Errors that a user can correct: each message is one sentence that says what to do.

Every check of an argument raises InputError, whose message says which values are allowed.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from numbers import Integral, Real
from types import UnionType
from typing import get_args

PANIC = "PanicException"  # from Rust (tokenizers, safetensors): cannot be imported, does not derive from Exception


class InputError(ValueError):
    """Invalid input. The message is one sentence that says what is allowed, and may be shown to users as it is.

    >>> try:
    ...     attn_core.Settings(share=5)
    ... except attn_core.InputError as error:
    ...     print(error)
    The share of strong pairs is a number above 0 and at most 1, such as 0.01 for 1%, not 5.
    """


class TextError(InputError):
    """A text that cannot be read or analysed.

    >>> attn_core.read_document("...")
    Traceback (most recent call last):
    attn_core.errors.TextError: There is no word in this text: type or paste at least one sentence.
    """


class ModelError(InputError):
    """A model that cannot be found, loaded or served.

    >>> attn_core.analyze(text, "no such model!")
    Traceback (most recent call last):
    attn_core.errors.ModelError: 'no such model!' is neither a folder on this machine nor a model id like \
'google-bert/bert-base-uncased'.
    """


class ModelNotHere(ModelError):
    """A model that must be downloaded first."""


class RunError(InputError):
    """A run that cannot begin or continue; its folder keeps the shards that were counted."""


class RunCancelled(RunError):
    """A run that a user stopped."""


@contextmanager
def in_one_sentence(kind: type[InputError], problem: str) -> Iterator[None]:
    """Context manager that turns any error of a library, including a panic of Rust code, into an error of this package.

    kind: the class of the new error. problem: what failed, as a sentence without its full stop; the cause is added in
    brackets. Errors of this package, and exceptions that end the program or a page, pass unchanged.
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
    """The first sentence of a library's error message, without its full stop, to quote in a message of ours."""
    first = (str(error).strip().splitlines() or [type(error).__name__])[0]
    return re.split(r"(?<=[.!?])\s", first)[0].rstrip(" .:")[:200]


def check_type(value: object, kind: type | UnionType, what: str) -> None:
    """Raise InputError unless `value` is an instance of `kind`, a type such as str, or one such as str | None."""
    if not isinstance(value, kind):
        of_type, *_ = get_args(kind) or (kind,)
        raise InputError(f"{what} is of type {of_type.__name__}, not {type(value).__name__}.")


def check_choice(value: object, known: Sequence[str], what: str) -> None:
    """Raise InputError unless `value` is one of the known words."""
    if not isinstance(value, str) or value not in known:
        raise InputError(f"{what} is {', '.join(known[:-1])} or {known[-1]}, not {repr(value)[:60]}.")


def check_integer(value: object, least: int, what: str) -> None:
    """Raise InputError unless `value` is a whole number of at least `least`."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise InputError(f"{what} is a whole number from {least} on, not {repr(value)[:60]}.")


def check_share(value: object, what: str) -> None:
    """Raise InputError unless `value` is a number above 0 and at most 1."""
    if not isinstance(value, Real) or not 0 < float(value) <= 1:
        raise InputError(f"{what} is a number above 0 and at most 1, such as 0.01 for 1%, not {repr(value)[:60]}.")
