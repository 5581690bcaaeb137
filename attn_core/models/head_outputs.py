"""What a model makes of a passage, head by head: the record that `capture` fills and the measures read."""

from dataclasses import dataclass
from typing import Any

import numpy as np

Values = Any  # torch's tensors or numpy's arrays, of which a reader wants the one or the other: see `as_array`


@dataclass(frozen=True, eq=False)
class HeadOutputs:
    """What every head of a model makes of one passage of N tokens: tensors, or arrays where the pass was kept (`reading_cache`).

    z: (layer, head, token, d_head), the head outputs before the output projection.
    received: (layer, head, token), the attention weight that a token receives, mean over the N queries.
    attention: (layer, head, query, key), the attention maps, None unless asked for.
    even: (token,), what each token would receive where every query spread its attention evenly over what it may see.
    """

    z: Values
    received: Values
    attention: Values | None
    even: np.ndarray


def evenly_received(tokens: int, causal: bool) -> np.ndarray:
    """What each token receives, (N,), where every query spreads its attention evenly over what it may see."""
    if not causal:
        return np.full(tokens, 1 / tokens)
    return np.cumsum((1 / np.arange(1, tokens + 1))[::-1])[::-1] / tokens


def as_array(values: Values) -> np.ndarray:
    """The numbers as numpy has them, wherever they are."""
    return values if isinstance(values, np.ndarray) else values.cpu().numpy()
