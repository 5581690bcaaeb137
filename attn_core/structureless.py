"""Heads without structure, to hold real heads against: what such lengths around such a mean bring about by themselves."""

import numpy as np

FEW = 4  # heads a layer that are made: as many tell a layer's share to a few points, and cost a third of the real ones


def few_heads(heads: int) -> np.ndarray:
    """Which heads of a layer have a structureless one beside them: evenly spaced, from 0."""
    return np.unique(np.linspace(0, heads - 1, min(FEW, heads)).round().astype(int))


def structureless_heads(z: np.ndarray, seed: int) -> np.ndarray:
    """Random vectors with each head's mean output and its outputs' lengths about it; nothing of the text is left in them.

    z: (..., token, d_head), the head outputs of one window, special tokens included; the result has its shape and type.
    Each token's vector is its head's mean over the window plus a vector as long as the token's own lies from that mean, in
    a direction of its own: independent of other tokens and heads, and uniform on the sphere (normals, scaled).
    """
    mean = z.mean(axis=-2, keepdims=True)
    lengths = np.linalg.norm(z - mean, axis=-1, keepdims=True)
    normals = np.random.default_rng(seed).standard_normal(z.shape, dtype=np.float32)
    directions = normals / np.linalg.norm(normals, axis=-1, keepdims=True)
    return (mean + lengths * directions).astype(z.dtype, copy=False)
