"""The errors that a user can mend: each message is one sentence that says what to do."""


class InputError(ValueError):
    """Something the user gave cannot be used; the message may be shown as it is."""


class TextError(InputError):
    """A text that cannot be read or analysed."""


class ModelError(InputError):
    """A model that cannot be found, loaded or served."""


class ModelNotHere(ModelError):
    """The model would have to be downloaded first."""
