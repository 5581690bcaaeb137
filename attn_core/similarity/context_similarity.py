"""Context similarity of head outputs, for torch tensors and numpy arrays."""

import numpy as np

from attn_core.errors import InputError, check_choice
from attn_core.models.head_outputs import Values
from attn_core.similarity.strong_pairs import MEASURES, Measure

SHORTEST = 1e-12  # vectors shorter than this count as zero
ROUNDING = 1e-5  # of the length of a mean of float32 vectors


def context_similarity(z: Values, measure: Measure = "dot", chosen: np.ndarray | None = None) -> Values:
    """The similarity of every two tokens of a window by one measure, (..., token, d_head) -> (..., token, token).

    >>> z = np.array([[3.0, 4.0], [0.0, 2.0]])
    >>> attn_core.context_similarity(z, "cosine")
    array([[1. , 0.8],
           [0.8, 1. ]])

    z: a tensor or an array; the result has the same type. chosen: positions of the tokens in the result, all by
    default; "centred" subtracts the mean over all tokens of z. Raises InputError for an unknown measure.
    """
    if len(getattr(z, "shape", ())) < 2:
        raise InputError("Head outputs are an array or a tensor of (..., token, d_head).")
    z = as_measured(z, measure)
    if chosen is not None:
        z = z[..., chosen, :]
    return z @ z.swapaxes(-1, -2)


def as_measured(z: Values, measure: Measure) -> Values:
    """The vectors whose scalar products are the similarities by a measure, (..., token, d_head).

    "dot": the head outputs, as in the paper. "cosine": scaled to length 1. "centred": the mean over the window's
    tokens, special ones included, is subtracted first. A zero vector stays zero.
    """
    check_choice(measure, MEASURES, "A measure")
    if measure == "dot":
        return z
    if measure == "centred":
        mean = z.mean(-2)[..., None, :]
        z = z - mean
        # If all vectors are equal, only rounding errors remain, which must not be scaled to length 1.
        z = z * (lengths(z) > ROUNDING * lengths(mean))[..., None]
    return z / lengths(z).clip(SHORTEST)[..., None]


def lengths(z: Values) -> Values:
    """The Euclidean length of each vector, (..., token, d_head) -> (..., token)."""
    return np.sqrt(np.einsum("...d,...d->...", z, z)) if isinstance(z, np.ndarray) else z.norm(dim=-1)
