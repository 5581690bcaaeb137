"""Sentence vectors, (S, width), of length 1: their scalar products are the similarity of sentences."""

import numpy as np

HALF_WEIGHT = 4  # tokens of a sentence that weighs half of what a long one does


def head_vectors(outputs: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """One vector per sentence, (sentence, width), from head outputs (layer, head, sentence, d_head); see `centred`.

    Each head's vector is scaled to the square root of the head's weight, (layer, head). Before centring, the scalar
    product of two sentences is so the weighted mean of the heads' cosines. Heads of weight 0 are left out.
    """
    layer, head = np.nonzero(weights)
    chosen = unit(outputs[layer, head]) * np.sqrt(weights[layer, head], dtype=outputs.dtype)[:, None, None]
    return centred(chosen.transpose(1, 0, 2).reshape(outputs.shape[2], -1))


def joined(*parts: np.ndarray) -> np.ndarray:
    """One vector per sentence from several, each of length 1; its similarity is the mean of theirs."""
    return np.concatenate(parts, axis=1) / np.sqrt(len(parts))


def content(tokens: np.ndarray) -> np.ndarray:
    """The weight of each sentence, (S,), mean 1: tokens / (tokens + 4), so that "OK." counts less than a statement."""
    share = tokens / (tokens + HALF_WEIGHT)
    return share / share.mean()


def centred(vectors: np.ndarray) -> np.ndarray:
    """Vectors minus the text's mean vector, scaled to length 1: what all sentences share does not show changes."""
    return unit(vectors - vectors.mean(axis=-2, keepdims=True))


def unit(vectors: np.ndarray) -> np.ndarray:
    """Vectors scaled to length 1; a zero vector stays zero."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 1e-7)
