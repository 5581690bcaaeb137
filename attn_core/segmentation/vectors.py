"""Sentence vectors of length 1, whose scalar products are similarities of sentences, and weights of heads.

Heads whose outputs follow the topics of the text get more weight. The power of a head is the lag contrast of its
sentence similarity: the mean over sentences at most 4 apart (mostly of one topic) minus the mean over sentences more
than 12 apart (mostly of different topics), in standard deviations. Since topics may be longer, both lags are doubled
up to twice, as far as the text allows, and the power is the mean over these scales.

The weight of a head is the fourth power of its power, or 0 if that is negative. Many medium heads together are better
than a few of the best, and heads of little power add noise. Gold boundaries are not used.
"""

import numpy as np

SCALES = ((4, 12), (8, 24), (16, 48))  # distances in sentences: near is at most the first, far is more than the second
EXPONENT = 4
ENOUGH = 30  # sentences; in a shorter text all heads have the same weight
AT_MOST = 500  # sentences of a text that are used for the power
HALF_WEIGHT = 4  # tokens of a sentence with half the weight of a long one


def head_vectors(outputs: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Centred sentence vectors, (sentence, width), from head outputs (layer, head, sentence, d_head).

    Each head's vector is scaled to the square root of the head's weight, (layer, head), so that before centring the
    scalar product of two sentences is the weighted mean of the heads' cosines. Heads of weight 0 are left out.
    """
    layer, head = np.nonzero(weights)
    chosen = unit(outputs[layer, head]) * np.sqrt(weights[layer, head], dtype=outputs.dtype)[:, None, None]
    return centred(chosen.transpose(1, 0, 2).reshape(outputs.shape[2], -1))


def joined(*parts: np.ndarray) -> np.ndarray:
    """The concatenation of sentence vectors of length 1, rescaled so that similarities are the means of the parts."""
    return np.concatenate(parts, axis=1) / np.sqrt(len(parts))


def content(tokens: np.ndarray) -> np.ndarray:
    """The weight of each sentence, tokens / (tokens + 4) scaled to mean 1, (S,); "OK." counts less than a statement."""
    share = tokens / (tokens + HALF_WEIGHT)
    return share / share.mean()


def centred(vectors: np.ndarray) -> np.ndarray:
    """Vectors minus their mean, scaled to length 1; the mean carries no information on changes of topic."""
    return unit(vectors - vectors.mean(axis=-2, keepdims=True))


def unit(vectors: np.ndarray) -> np.ndarray:
    """Vectors scaled to length 1; a zero vector stays zero."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 1e-7)


def weights_of(power: np.ndarray, sentences: int) -> np.ndarray:
    """The weights of heads by their power, (layer, head), not negative and with sum 1.

    All heads have the same weight if the text has fewer than 30 sentences or no power is positive.
    """
    weights = np.maximum(power, 0.0) ** EXPONENT
    if sentences < ENOUGH or not weights.any():
        weights = np.ones_like(weights)
    return weights / weights.sum()


def head_power(vectors: np.ndarray) -> np.ndarray:
    """The lag contrast of every head, (layer, head), from sentence vectors (layer, head, sentence, d_head).

    It is the mean over those `SCALES` that fit twice into the first 500 sentences, and always the first scale. It is 0
    for all heads if no sentences are more than 12 apart.
    """
    vectors = vectors[:, :, :AT_MOST]
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
    """The mean similarity of near pairs minus that of far pairs, over the standard deviation of all pairs."""
    spread = float(similarity[pairs].std())
    return float(similarity[near].mean() - similarity[far].mean()) / spread if spread > 1e-7 else 0.0
