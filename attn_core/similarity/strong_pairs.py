"""Strong pairs, the most similar pairs of tokens of each head, and the settings that select them."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, get_args

import numpy as np

from attn_core.errors import InputError, check_choice, check_share
from attn_core.numerics.pairs import pairs_among
from attn_core.texts.passages import Passage

Measure = Literal["dot", "cosine", "centred"]
MEASURES: tuple[Measure, ...] = get_args(Measure)
# These labels must not change, since Streamlit writes the labels of a widget into the address.
LABELLED_MEASURES: dict[str, Measure] = {"scalar product": "dot", "cosine": "cosine", "centred cosine": "centred"}
SHARE = 0.01  # default share of all pairs that is strong
NO_PAIR = "A pair needs two tokens and this text has fewer: type more, or let special tokens in."


def number_of_strong_pairs(pairs: int, share: float) -> int:
    """The number of strong pairs, K = max(1, round(share * P)), halves rounded up."""
    return min(pairs, max(1, int(share * pairs + 0.5)))


@dataclass(frozen=True)
class Settings:
    """The measure of similarity, and which pairs may be strong; no setting needs another forward pass.

    >>> attn_core.Settings(measure="centred", share=0.003)
    Settings(measure='centred', share=0.003, with_special=True)
    >>> attn_core.Settings(measure="centered")
    Traceback (most recent call last):
    attn_core.errors.InputError: A measure is dot, cosine or centred, not 'centered'.

    measure: "dot", the scalar product, as in the paper; "cosine"; or "centred", the cosine after subtraction of the
    mean over the window's tokens. share: the share of all pairs that is strong, above 0 and at most 1. with_special:
    whether special tokens may pair. Raises InputError for other values.
    """

    measure: Measure = "dot"
    share: float = SHARE
    with_special: bool = True

    def __post_init__(self) -> None:
        check_choice(self.measure, MEASURES, "A measure")
        check_share(self.share, "The share of strong pairs")


@dataclass(frozen=True, eq=False, repr=False)
class StrongPairs:
    """The K strongest pairs of every head in one passage, strongest first.

    >>> pairs = analysis.windows[0]
    >>> pairs.shape, pairs.similarity.shape
    ((6, 12, 2), (6, 12, 2))

    Attributes
    ----------
    passage: the window.
    eligible: (N,) bool, whether each token may pair.
    first, second: (layer, head, pair), token positions, first < second.
    similarity: (layer, head, pair).

    Raises InputError for arrays of other shapes.
    """

    passage: Passage
    eligible: np.ndarray
    first: np.ndarray
    second: np.ndarray
    similarity: np.ndarray

    def __post_init__(self) -> None:
        shapes = {self.first.shape, self.second.shape, self.similarity.shape}
        if len(shapes) > 1 or self.first.ndim != 3 or self.eligible.shape != (len(self.passage),):
            raise InputError(
                "Strong pairs are first, second and similarity of (layer, head, pair), and eligible of (token,)."
            )

    def __repr__(self) -> str:
        return f"StrongPairs(shape={self.shape})"

    @property
    def shape(self) -> tuple[int, int, int]:
        """(layers, heads, pairs per head)."""
        layers, heads, pairs = self.first.shape
        return layers, heads, pairs

    def strongest(self, share: float) -> "StrongPairs":
        """The strong pairs for a smaller share, the first of these. Raises InputError for a larger share.

        >>> analysis.windows[0].strongest(0.001).shape
        (6, 12, 1)
        """
        check_share(share, "The share of strong pairs")
        keep = number_of_strong_pairs(self.possible, share)
        if keep > self.shape[2]:
            raise InputError(
                f"A share of {share:g} takes {keep} pairs and here are {self.shape[2]}: choose a smaller one."
            )
        first, second, similarity = (each[..., :keep] for each in (self.first, self.second, self.similarity))
        return replace(self, first=first, second=second, similarity=similarity)

    @property
    def rows(self) -> tuple[np.ndarray, np.ndarray]:
        """(first, second) with one row per head, (layers * heads, pair) each."""
        layers, heads, pairs = self.shape
        return self.first.reshape(layers * heads, pairs), self.second.reshape(layers * heads, pairs)

    @cached_property
    def distance(self) -> np.ndarray:
        """The distance of the two tokens of each pair, (layer, head, pair)."""
        return self.second - self.first

    @cached_property
    def places(self) -> np.ndarray:
        """The flat index of each pair in the N x N matrix, first * N + second, (layer, head, pair)."""
        return self.first * len(self.passage) + self.second

    @property
    def possible(self) -> int:
        """The number P of pairs of eligible tokens."""
        able = int(self.eligible.sum())
        return able * (able - 1) // 2

    @cached_property
    def all_pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """(first, second) of all pairs of eligible tokens, first < second, (P,) each."""
        return pairs_among(np.flatnonzero(self.eligible))
