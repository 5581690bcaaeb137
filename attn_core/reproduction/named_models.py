"""What a model is called in a reproduction, and which one a name means: with its stack and windows, where these are unusual."""

import re
from dataclasses import replace

from attn_core.models.files import IN_STACK, STACKS, WINDOW, WINDOWS, ModelSpec

NAME = re.compile(
    rf"(?P<name>.*?)(?P<stack>{'|'.join(filter(None, IN_STACK.values()))})?({WINDOWS}(?P<window>[\d,]+) tokens)?"
)


def name_of(spec: ModelSpec) -> str:
    """The name of a model or of its twin.

    >>> name_of(ModelSpec("google-t5/t5-small", stack="decoder", window_tokens=1024))
    'google-t5/t5-small, decoder, windows of 1,024 tokens'
    """
    return str(replace(spec, twin=None))


def spec_of(name: str, revision: str | None = None) -> ModelSpec:
    """The model of a name. revision: as it is asked for, or a digest of weights that came from no hub."""
    told = NAME.fullmatch(name)
    assert told is not None, "any name matches"
    stack = next(each for each in STACKS if IN_STACK[each] == (told["stack"] or ""))
    window = int(told["window"].replace(",", "")) if told["window"] else WINDOW
    of_hub = None if revision is None or revision.startswith("sha256:") else revision
    return ModelSpec(told["name"], of_hub, window_tokens=window, stack=stack)
