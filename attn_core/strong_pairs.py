"""The strong pairs, the pairs of tokens that a head makes most alike, and what decides which these are.

`similarity` finds them; every measure is taken of them. Nothing here or above needs torch.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np

from attn_core.passages import Passage

Measure = Literal["dot", "cosine", "centred"]
MEASURES: tuple[Measure, ...] = get_args(Measure)


@dataclass(frozen=True)
class Settings:
    """What may be changed without running the model again: how similar is measured, and which pairs may be strong."""

    measure: Measure = "dot"
    share: float = 0.01
    with_special: bool = True


@dataclass(frozen=True, eq=False)
class StrongPairs:
    """The K strongest pairs of every head in one passage, strongest first.

    first, second: (layer, head, pair) token positions, first < second. similarity: (layer, head, pair).
    eligible: (N,) bool, the tokens that may form pairs.
    """

    passage: Passage
    eligible: np.ndarray
    first: np.ndarray
    second: np.ndarray
    similarity: np.ndarray

    @property
    def shape(self) -> tuple[int, int, int]:
        """(layers, heads, pairs a head)."""
        layers, heads, pairs = self.first.shape
        return layers, heads, pairs

    @cached_property
    def all_pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """(first, second), each (P,): every pair i < j that could have been chosen."""
        positions = np.flatnonzero(self.eligible)
        i, j = np.triu_indices(len(positions), k=1)
        return positions[i], positions[j]
