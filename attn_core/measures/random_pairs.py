"""How far would the numbers move with another draw, and what would heads give that follow chance?

Each function yields the strong pairs of every window once a draw, so that any measure can be taken of them.
"""

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from attn_core.similarity.strong_pairs import StrongPairs
from attn_core.texts.passages import Passage

Windows = list[StrongPairs]


def resampled_pairs(windows: Sequence[StrongPairs], draws: int, seed: int = 0) -> Iterator[Windows]:
    """`draws` times the strong pairs of every head, each window's drawn again with replacement."""
    rng = np.random.default_rng(seed)
    for _ in range(draws):
        yield [_redrawn(window, rng) for window in windows]


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


def halves(passage: Passage) -> list[tuple[slice, Passage]]:
    """The two halves of a passage as (token positions, passage); document and sentences stay those of the whole."""
    middle = len(passage) // 2
    return [(part, _cut(passage, part)) for part in (slice(0, middle), slice(middle, len(passage)))]


def _redrawn(window: StrongPairs, rng: np.random.Generator) -> StrongPairs:
    pick = rng.integers(window.shape[2], size=window.shape)
    return replace(
        window,
        first=np.take_along_axis(window.first, pick, axis=-1),
        second=np.take_along_axis(window.second, pick, axis=-1),
        similarity=np.take_along_axis(window.similarity, pick, axis=-1),
    )


def _random(window: StrongPairs, rng: np.random.Generator) -> StrongPairs:
    layers, heads, strong = window.shape
    first, second = window.all_pairs
    pick = np.stack([rng.choice(len(first), strong, replace=False) for _ in range(layers * heads)])
    pick = pick.reshape(window.shape)
    return replace(window, first=first[pick], second=second[pick])


def _cut(passage: Passage, part: slice) -> Passage:
    arrays = ("token_ids", "tokens", "starts", "ends", "sentences", "pretokens", "is_special", "is_separator")
    return replace(passage, **{name: getattr(passage, name)[part] for name in arrays})
