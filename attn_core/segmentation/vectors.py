"""One vector a sentence from many heads, and how alike sentences are."""

import numpy as np

HALF_WEIGHT = 4  # tokens of a sentence that weighs half of what a long one does


def head_vectors(outputs: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(layer, head, sentence, d_head) and weights (layer, head) -> (sentence, width), see `centred`.

    Each head's vector is brought to length 1 and to the square root of the head's weight, so that the scalar product of
    two sentences is the weighted mean of the heads' cosines. Heads of weight 0 are left out.
    """
    layer, head = np.nonzero(weights)
    chosen = unit(outputs[layer, head]) * np.sqrt(weights[layer, head], dtype=outputs.dtype)[:, None, None]
    return centred(chosen.transpose(1, 0, 2).reshape(outputs.shape[2], -1))


def joined(*parts: np.ndarray) -> np.ndarray:
    """Several vectors a sentence, each (S, width) of length 1 -> one, whose similarity is the mean of theirs."""
    return np.concatenate(parts, axis=1) / np.sqrt(len(parts))


def content(tokens: np.ndarray) -> np.ndarray:
    """What each sentence weighs, (S,), mean 1: tokens / (tokens + 4), so that "OK." does not count like a statement."""
    share = tokens / (tokens + HALF_WEIGHT)
    return share / share.mean()


def centred(vectors: np.ndarray) -> np.ndarray:
    """Vectors minus the text's mean vector, brought to length 1: their scalar products are the sentence similarity.

    What all sentences of a text share says nothing about where it changes.
    """
    return unit(vectors - vectors.mean(axis=-2, keepdims=True))


def unit(vectors: np.ndarray) -> np.ndarray:
    """Vectors of length 1; a zero vector stays one."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 1e-7)
