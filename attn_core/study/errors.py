"""The errors of a study, each one sentence; what was counted stays in its folder."""

from attn_core.errors import InputError


class StudyError(InputError):
    """A study that cannot begin or go on."""


class StudyCancelled(StudyError):
    """A study that someone stopped."""
