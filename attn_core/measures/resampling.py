"""How far would the numbers move with another draw? Heads tables of strong pairs resampled with replacement."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from attn_core.passages import Passage
from attn_core.similarity import StrongPairs


def resampled_pairs(windows: Sequence[StrongPairs], draws: int, seed: int = 0) -> Iterator[list[StrongPairs]]:
    """`draws` times the strong pairs of every head, each window's drawn again with replacement."""
    rng = np.random.default_rng(seed)
    for _ in range(draws):
        yield [_redrawn(window, rng) for window in windows]


def _redrawn(window: StrongPairs, rng: np.random.Generator) -> StrongPairs:
    pick = rng.integers(window.shape[2], size=window.shape)
    return replace(
        window,
        first=np.take_along_axis(window.first, pick, axis=-1),
        second=np.take_along_axis(window.second, pick, axis=-1),
        similarity=np.take_along_axis(window.similarity, pick, axis=-1),
    )




def halves(passage: Passage) -> list[tuple[slice, Passage]]:
    """The two halves of a passage as (token positions, passage); document and sentences stay those of the whole."""
    middle = len(passage) // 2
    return [(part, _cut(passage, part)) for part in (slice(0, middle), slice(middle, len(passage)))]


def _cut(passage: Passage, part: slice) -> Passage:
    arrays = ("token_ids", "tokens", "starts", "ends", "sentences", "is_special", "is_separator")
    return replace(passage, **{name: getattr(passage, name)[part] for name in arrays})
