"""The head outputs of a passage, which `capture` returns and the measures read."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from attn_core.errors import InputError

Values = Any  # tensors of torch, on any device, or arrays of numpy


@dataclass(frozen=True, eq=False, repr=False)
class HeadOutputs:
    """What every head of a model returns for one passage of N tokens, as tensors or arrays.

    z: (layer, head, token, d_head), the head outputs before the output projection.
    received: (layer, head, token), the attention weight that a token receives, mean over the N queries.
    attention: (layer, head, query, key), the attention maps, None unless requested.
    even: (layer, token), what each token would receive if every query attended evenly to all tokens that it may see in
    that layer, by its mask: causal, a sliding window, chunks.

    Raises InputError if the shapes of z and received do not match.

    >>> (output,) = attn_core.capture(model, [passage])
    >>> output
    HeadOutputs(z=(6, 12, 18, 32), maps=False)
    """

    z: Values
    received: Values
    attention: Values | None
    even: np.ndarray

    def __post_init__(self) -> None:
        if len(self.z.shape) != 4 or tuple(self.received.shape) != tuple(self.z.shape[:3]):
            raise InputError("Head outputs are z of (layer, head, token, d_head) and received of (layer, head, token).")

    def __repr__(self) -> str:
        return f"HeadOutputs(z={tuple(self.z.shape)}, maps={self.attention is not None})"


def as_array(values: Values) -> np.ndarray:
    """The values as a NumPy array."""
    return values if isinstance(values, np.ndarray) else values.cpu().numpy()
