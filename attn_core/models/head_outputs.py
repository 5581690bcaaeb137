"""What a model makes of a passage, head by head: the record that `capture` fills and the measures read."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from attn_core.errors import InputError
from attn_core.in_brief import InBrief
from attn_core.models.files import ModelSpec
from attn_core.texts.passages import Passage

Reach = Literal["own", "read", "other"]
Values = Any  # torch's tensors or numpy's arrays, of which a reader wants the one or the other: see `as_array`


@dataclass(frozen=True, eq=False, repr=False)
class HeadOutputs(InBrief):
    """What every head of a model makes of one passage of N tokens: tensors, or arrays where the pass was kept (`reading_cache`).

    z: (layer, head, token, d_head), the head outputs before the output projection.
    received: (layer, head, token), the attention weight that a token receives, mean over the N queries.
    attention: (layer, head, query, key), the attention maps, None unless asked for.
    even: (token,), what each token would receive where every query spread its attention evenly over what it may see.
    attended: of the attention maps, the passage of their keys where heads attend to another text; no token here receives any.

    Raises InputError where z has not these four dimensions, or received not the first three of them.

    >>> (output,) = attn_core.capture(model, [passage])
    >>> output
    HeadOutputs
      heads   6 layers x 12
      tokens  18
      d_head  32
      maps    no
    """

    z: Values
    received: Values
    attention: Values | None
    even: np.ndarray
    attended: Passage | None = None

    def __post_init__(self) -> None:
        if len(self.z.shape) != 4 or tuple(self.received.shape) != tuple(self.z.shape[:3]):
            raise InputError("Head outputs are z of (layer, head, token, d_head) and received of (layer, head, token).")

    def brief(self) -> dict[str, object]:
        layers, heads, tokens, width = self.z.shape
        maps = "no" if self.attention is None else "yes"
        return {"heads": f"{layers} layers x {heads}", "tokens": f"{tokens:,}", "d_head": width, "maps": maps}


def reach_of(spec: ModelSpec) -> Reach:
    """What the heads of a model attend to."""
    if spec.stack != "cross":
        return "own"
    return "read" if spec.source is None else "other"


def evenly_received(tokens: int, causal: bool, reach: Reach = "own") -> np.ndarray:
    """What each token receives, (N,), where every query spreads its attention evenly over what it may see.

    reach: which tokens that are: those of the passage itself; those that an encoder read of it, which are all but the decoder's
    first (`models.stacks`); those of another text, of which each token here receives nothing.
    """
    if reach == "other":
        return np.zeros(tokens)
    if reach == "read":
        return np.concatenate([[0.0], np.full(tokens - 1, 1 / (tokens - 1))])
    if not causal:
        return np.full(tokens, 1 / tokens)
    return np.cumsum((1 / np.arange(1, tokens + 1))[::-1])[::-1] / tokens


def as_array(values: Values) -> np.ndarray:
    """The numbers as numpy has them, wherever they are."""
    return values if isinstance(values, np.ndarray) else values.cpu().numpy()
