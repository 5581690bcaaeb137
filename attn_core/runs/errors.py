"""The errors of a study, each one sentence; what was counted stays in its folder."""

from attn_core.errors import InputError


class RunError(InputError):
    """A study that cannot begin or go on."""


class RunCancelled(RunError):
    """A study that someone stopped."""
