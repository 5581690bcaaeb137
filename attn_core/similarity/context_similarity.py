"""Context similarity of head outputs, of torch's tensors as of numpy's arrays."""

import numpy as np

from attn_core.errors import InputError, check_choice
from attn_core.models.head_outputs import Values
from attn_core.similarity.strong_pairs import MEASURES, Measure

SHORTEST = 1e-12  # a vector that is shorter has no direction
ROUNDING = 1e-5  # of the length of a mean of float32 vectors


def context_similarity(z: Values, measure: Measure = "dot", chosen: np.ndarray | None = None) -> Values:
    """The similarities of a window's tokens in one of the measures: z (..., token, d_head) -> (..., token, token).

    z: a tensor or an array, as is the result. chosen: positions of the tokens in the result, all by default; a measure
    depends on all tokens of z. Raises InputError for an unknown measure.

    >>> z = np.array([[3.0, 4.0], [0.0, 2.0]])
    >>> attn_core.context_similarity(z, "cosine")
    array([[1. , 0.8],
           [0.8, 1. ]])
    """
    if len(getattr(z, "shape", ())) < 2:
        raise InputError("Head outputs are an array or a tensor of (..., token, d_head).")
    z = as_measured(z, measure)
    if chosen is not None:
        z = z[..., chosen, :]
    return z @ z.swapaxes(-1, -2)


def as_measured(z: Values, measure: Measure) -> Values:
    """The vectors whose scalar products a measure takes, (..., token, d_head), for all tokens of a window.

    "dot": the head outputs, as in the paper. "cosine": at length 1. "centred": at length 1 after subtraction of the
    mean over the window's tokens, special ones included. A vector of zeros stays zero.
    """
    check_choice(measure, MEASURES, "A measure")
    if measure == "dot":
        return z
    if measure == "centred":
        mean = z.mean(-2)[..., None, :]
        z = z - mean
        # What is left where all vectors are equal is rounding; at length 1 it would look like a direction.
        z = z * (lengths(z) > ROUNDING * lengths(mean))[..., None]
    return z / lengths(z).clip(SHORTEST)[..., None]


def lengths(z: Values) -> Values:
    """|z|, (..., token, d_head) -> (..., token)."""
    return np.sqrt(np.einsum("...d,...d->...", z, z)) if isinstance(z, np.ndarray) else z.norm(dim=-1)
