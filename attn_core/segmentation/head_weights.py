"""How much each head counts: heads whose outputs follow the topics of the text get more weight.

The power of a head is the lag contrast of its sentence similarity: the mean over sentences at most 4 apart (mostly one
topic) minus the mean over sentences more than 12 apart (mostly another), in standard deviations. Because topics may be
longer, both lags are doubled up to twice, as far as the text allows, and the power is the mean over these scales.

The weight of a head is the fourth power of its power, 0 where that is negative. Many middling heads together see more
than a few of the best ones, and heads of little power add noise. Gold boundaries are not used.
"""

from dataclasses import dataclass

import numpy as np

from attn_core.segmentation.vectors import centred

SCALES = ((4, 12), (8, 24), (16, 48))  # sentences: at most so far apart, and farther than that
EXPONENT = 4
ENOUGH = 30  # sentences; all heads of a shorter text weigh the same
AT_MOST = 500  # sentences of a text that are used


@dataclass(frozen=True, eq=False)
class HeadWeights:
    """Power and weight of every head, (layer, head). Weights are 0 or more and add up to 1."""

    power: np.ndarray
    weights: np.ndarray


def weigh_heads(vectors: np.ndarray) -> HeadWeights:
    """The weights for a text whose sentences have these vectors, (layer, head, sentence, d_head).

    They come from its first 500 sentences. All heads weigh the same where it has fewer than 30.
    """
    power = head_power(vectors[:, :, :AT_MOST])
    if vectors.shape[2] < ENOUGH:
        return HeadWeights(power, np.full(power.shape, 1 / power.size))
    weights = np.maximum(power, 0.0) ** EXPONENT
    weights = weights if weights.sum() > 0 else np.ones_like(weights)
    return HeadWeights(power, weights / weights.sum())


def head_power(vectors: np.ndarray) -> np.ndarray:
    """The lag contrast of every head, (layer, head), from sentence vectors (layer, head, sentence, d_head).

    It is the mean over the `SCALES` that fit twice into the text, the first of them in any case. It is 0 everywhere for
    a text that has no sentences more than 12 apart.
    """
    layers, heads, size, _ = vectors.shape
    lag = np.subtract.outer(np.arange(size), np.arange(size))
    pairs = lag > 0
    scales = [(pairs & (lag <= near), lag > far) for near, far in SCALES if 2 * far < size or (near, far) == SCALES[0]]
    power = np.zeros((layers, heads))
    if not scales[0][1].any():
        return power
    for layer, head in np.ndindex(layers, heads):
        own = centred(vectors[layer, head])
        similarity = own @ own.T
        power[layer, head] = np.mean([_contrast(similarity, near, far, pairs) for near, far in scales])
    return power


def _contrast(similarity: np.ndarray, near: np.ndarray, far: np.ndarray, pairs: np.ndarray) -> float:
    """(Mean similarity of near pairs - mean of far ones) / standard deviation over all pairs."""
    spread = float(similarity[pairs].std())
    return float(similarity[near].mean() - similarity[far].mean()) / spread if spread > 1e-7 else 0.0
