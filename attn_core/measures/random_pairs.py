"""How far would the numbers move with another draw, and what would heads give that follow chance?

Draws yield the strong pairs of every window once each, so that any measure can be taken of them; structureless heads are
what such lengths around such a mean bring about by themselves.
"""

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from attn_core.similarity.strong_pairs import StrongPairs
from attn_core.texts.passages import Passage

Windows = list[StrongPairs]


def random_pairs(windows: Sequence[StrongPairs], draws: int, seed: int = 0) -> Iterator[Windows]:
    """Heads without any preference: as many pairs as the strong ones, drawn from all pairs without replacement."""
    rng = np.random.default_rng(seed)
    for _ in range(draws):
        yield [_random(window, rng) for window in windows]


def random_heads(window: StrongPairs, heads: int, rng: np.random.Generator) -> StrongPairs:
    """One layer of so many heads without any preference, each with as many pairs as the window's heads have."""
    first, second = window.all_pairs
    strong = window.shape[2]
    pick = np.stack([rng.choice(len(first), strong, replace=False, shuffle=False) for _ in range(heads)])[None]
    return replace(window, first=first[pick], second=second[pick], similarity=np.zeros(pick.shape))


def generator_of(passage: Passage) -> np.random.Generator:
    """Random numbers that hang on a passage's tokens alone: a window has one chance level wherever it stands."""
    return np.random.default_rng(seed_of(passage))


def seed_of(passage: Passage) -> int:
    """A number that hangs on a passage's tokens alone."""
    return zlib.crc32(passage.token_ids.tobytes())


def _random(window: StrongPairs, rng: np.random.Generator) -> StrongPairs:
    layers, heads, strong = window.shape
    first, second = window.all_pairs
    pick = np.stack([rng.choice(len(first), strong, replace=False) for _ in range(layers * heads)])
    pick = pick.reshape(window.shape)
    return replace(window, first=first[pick], second=second[pick])


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
    made = np.random.default_rng(seed).standard_normal(z.shape, dtype=np.float32).astype(z.dtype, copy=False)
    made /= np.linalg.norm(made, axis=-1, keepdims=True)
    made *= lengths
    made += mean
    return made
