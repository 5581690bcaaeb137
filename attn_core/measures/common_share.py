"""The common share: how much of a strong pair's similarity any pair of the text has."""

import numpy as np

from attn_core.measures.tally import Count, MeasuredWindow, Tally
from attn_core.models.head_outputs import as_array
from attn_core.similarity.context_similarity import as_measured, lengths
from attn_core.similarity.strong_pairs import Measure

BY_PAIRS = "similarity_of_pairs"  # the count from which common shares are computed


def mean_similarity(z: np.ndarray, eligible: np.ndarray, measure: Measure) -> np.ndarray:
    """The mean similarity of all pairs of eligible tokens, (..., token, d_head) -> (...), from sums of vectors.

    NaN for fewer than two tokens that may pair.
    """
    own, able = as_measured(z, measure), int(eligible.sum())
    if able < 2:
        return np.full(z.shape[:-2], np.nan)
    total = np.square(eligible.astype(own.dtype) @ own).sum(axis=-1, dtype=np.float64)
    return (total - np.square(lengths(own)) @ eligible) / (able * (able - 1))


def similarity_count(window: MeasuredWindow) -> Count:
    """The similarity of as many average pairs as are strong, (layer, head); as chance stands that of strong pairs.

    NaN for the centred cosine, by which the mean over all pairs is near 0 whatever the text.
    """
    pairs = window.pairs
    if window.measure == "centred":
        return Count(np.full(pairs.shape[:2], np.nan), np.ones(pairs.shape[:2]), 1.0)
    every = mean_similarity(as_array(window.output.z), pairs.eligible, window.measure)
    return Count(every * pairs.shape[2], pairs.similarity.sum(axis=-1, dtype=np.float64), 1.0)


def common_share(tally: Tally) -> tuple[np.ndarray, np.ndarray]:
    """The common share, (R, H), and its chance level 1; both of its sums are by head, so neither is a weight."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return tally.values(BY_PAIRS) / tally.chances(BY_PAIRS), np.ones(1)
