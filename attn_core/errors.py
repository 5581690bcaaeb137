"""The errors that a user can mend: each message is one sentence that says what to do."""

import re


class InputError(ValueError):
    """Something the user gave cannot be used; the message, one sentence that says what is taken, may be shown as it is.

    >>> try:
    ...     attn_core.Settings(share=5)
    ... except attn_core.InputError as error:
    ...     print(error)
    The share of strong pairs is a number above 0 and at most 1, such as 0.01 for 1 %, not 5.
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


def cause(error: Exception) -> str:
    """The first sentence of what a library says, without its full stop, to quote in a message of ours."""
    first = (str(error).strip().splitlines() or [type(error).__name__])[0]
    return re.split(r"(?<=[.!?])\s", first)[0].rstrip(" .:")[:200]
