"""Which heads see topics? A power for every head, found without gold boundaries, and weights that follow from it.

The power of a head is the lag contrast of its sentence similarity: sentences 1 to 4 apart (mostly one topic) against
sentences more than 12 apart (mostly another), in standard deviations. Topics of a long text may be longer, so the lags
are doubled twice as far as the text allows, and the power is the mean over these scales.

Every head of positive power takes part, weighted by the fourth power of its power: heads of middling power add up to
more than a few of the best, and heads of little power add noise.
"""

from dataclasses import dataclass

import numpy as np

from attn_core.segmentation.sentences import SentenceOutputs
from attn_core.segmentation.vectors import centred

SCALES = ((4, 12), (8, 24), (16, 48))  # sentences: at most so far apart, and farther than that
EXPONENT = 4
ENOUGH = 30  # sentences; all heads of a shorter text weigh the same
AT_MOST = 500  # sentences of a text that are looked at


@dataclass(frozen=True, eq=False)
class HeadChoice:
    """What every head counts for. power, weights: (layer, head); weights are 0 or more and add up to 1."""

    power: np.ndarray
    weights: np.ndarray


def usual_heads(outputs: SentenceOutputs) -> HeadChoice:
    """The weights that a text itself suggests, from its first 500 sentences; equal ones where it has fewer than 30."""
    power = head_power(outputs.vectors[:, :, :AT_MOST])
    if len(outputs) < ENOUGH:
        return HeadChoice(power, np.full(power.shape, 1 / power.size))
    weights = np.maximum(power, 0.0) ** EXPONENT
    weights = weights if weights.sum() > 0 else np.ones_like(weights)
    return HeadChoice(power, weights / weights.sum())


def head_power(vectors: np.ndarray) -> np.ndarray:
    """(layer, head): the lag contrast of sentences, whose vectors are (layer, head, sentence, d_head).

    It is the mean over the `SCALES` that fit twice into the text, the first of them in any case; 0 everywhere for a text
    that is too short to have sentences more than 12 apart.
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
    """(Mean similarity at small lags - mean at large ones) / standard deviation over all pairs."""
    spread = float(similarity[pairs].std())
    return float(similarity[near].mean() - similarity[far].mean()) / spread if spread > 1e-7 else 0.0
