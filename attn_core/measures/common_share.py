"""The common share: how much of a strong pair's similarity any pair has."""

import numpy as np

from attn_core.models.head_outputs import Values
from attn_core.similarity.context_similarity import as_measured
from attn_core.similarity.strong_pairs import Measure


def mean_similarity(z: Values, eligible: np.ndarray, measure: Measure) -> np.ndarray:
    """The mean similarity of all pairs of eligible tokens, (..., token, d_head) -> (...), from sums of vectors.

    NaN for fewer than two tokens that may pair.
    """
    able = int(eligible.sum())
    own = as_measured(np.asarray(z, dtype=np.float64), measure)[..., eligible, :]
    of_sum = np.square(own.sum(axis=-2)).sum(axis=-1) - np.square(own).sum(axis=(-2, -1))
    return of_sum / (able * (able - 1)) if able > 1 else np.full(own.shape[:-2], np.nan)
