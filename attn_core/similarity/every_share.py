"""The strongest pairs of every head under many choices at once: special tokens in or out, and every share of the pairs.

A smaller share takes the first of the pairs that a larger one takes, and the similarities of a window are computed once
whichever of its tokens may pair. What comes out is what `selection` finds choice by choice. Tensors end here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attn_core.models.head_outputs import Values
from attn_core.numerics.pairs import pairs_among
from attn_core.numerics.ranks import PLACE, falling
from attn_core.similarity.context_similarity import as_measured
from attn_core.similarity.selection import ROWS, as_tensor
from attn_core.similarity.strong_pairs import Measure, number_of_strong_pairs
from attn_core.tensors import Tensor, torch
from attn_core.texts.passages import Passage

SAMPLE_STEP = 61  # about one pair in sixty tells where the strongest begin
MARGIN = 1.25  # of the pairs that are wanted, so that the sample's luck seldom leaves too few
_Strongest = tuple[np.ndarray, np.ndarray]  # places of pairs, cut by cut, and the similarities at the cuts


@dataclass(frozen=True, eq=False)
class Pairable:
    """Which tokens of a passage may pair, (N,) bool, and the P pairs that they make, in the order that breaks ties."""

    passage: Passage
    eligible: np.ndarray
    shares: tuple[float, ...]

    @cached_property
    def pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """(first, second), (P,) each, as `StrongPairs.all_pairs`."""
        return pairs_among(np.flatnonzero(self.eligible))

    @cached_property
    def places(self) -> np.ndarray:
        """Where each pair stands in the N x N matrix, (P,)."""
        first, second = self.pairs
        return first * len(self.passage) + second

    @cached_property
    def cuts(self) -> tuple[int, ...]:
        """The number of strong pairs under each share, rising as the shares do."""
        return tuple(number_of_strong_pairs(len(self.places), share) for share in self.shares)


@dataclass(frozen=True, eq=False)
class Ranked:
    """The strongest pairs of every head, as many as the largest share takes.

    places: (layer, head, K), where each stands in the N x N matrix: first those that the smallest share takes, then what the next
    one adds, and so on, in each of these steps in no order; of equal ones the earlier first. bars: (layer, head, share), the
    similarity of the weakest pair that each share takes.
    """

    pairable: Pairable
    places: np.ndarray
    bars: np.ndarray


def rank_pairs(z: Values, measure: Measure, pairables: Sequence[Pairable]) -> list[Ranked]:
    """The strongest pairs of every head in one measure; z: (layer, head, token, d_head), of all tokens of a window.

    pairables: choices of tokens of its passage, all of them first. What a narrower one takes is among the strongest pairs of
    all tokens, as far down as it leaves pairs out.
    """
    z = as_tensor(z)
    tokens, every = z.shape[2], pairables[0]
    keep = min(len(every.places), max(one.cuts[-1] + len(every.places) - len(one.places) for one in pairables))
    upper = np.triu(np.ones((tokens, tokens), dtype=bool), 1).reshape(-1)
    chosen = [None if one is every else _chosen(one) for one in pairables]

    room = torch.zeros(tokens, tokens, device=z.device)

    def of_head(vectors: Tensor) -> list[_Strongest]:
        for start in range(0, tokens, ROWS):  # what lies to the left of the diagonal is not asked for
            torch.mm(vectors[start : start + ROWS], vectors[start:].T, out=room[start : start + ROWS, start:])
        similarity = room.cpu().numpy().reshape(-1)
        places = _candidates(similarity, upper, every.places, keep)
        values = similarity.take(places)
        order = falling(values)
        return [
            _strongest(places, values, order if allowed is None else order[allowed.take(places)], one.cuts)
            for one, allowed in zip(pairables, chosen, strict=True)
        ]

    ranked = [[of_head(vectors) for vectors in as_measured(layer, measure)] for layer in z]
    found = []
    for number, pairable in enumerate(pairables):
        places, bars = (np.array([[of_head[number][part] for of_head in layer] for layer in ranked]) for part in (0, 1))
        found.append(Ranked(pairable, places, bars))
    return found


def _chosen(pairable: Pairable) -> np.ndarray:
    """Which places of the N x N matrix are pairs that may be strong, (N * N,) bool."""
    chosen = np.zeros(len(pairable.passage) ** 2, dtype=bool)
    chosen[pairable.places] = True
    return chosen


def _candidates(similarity: np.ndarray, upper: np.ndarray, every: np.ndarray, keep: int) -> np.ndarray:
    """Places that hold the strongest `keep` pairs: those that reach a bar, told by a sample, that somewhat more should reach.

    Where fewer reach it than are wanted, all pairs; so the choice stays exact.
    """
    sample = np.sort(similarity.take(every[::SAMPLE_STEP]))
    wanted = int(MARGIN * keep / len(every) * len(sample)) + 8
    if wanted < len(sample):
        places = np.flatnonzero((similarity >= sample[-wanted]) & upper)
        if len(places) >= keep:
            return places
    return every


def _strongest(places: np.ndarray, values: np.ndarray, order: np.ndarray, cuts: Sequence[int]) -> _Strongest:
    """The strongest pairs of those that `order` holds, parted at each cut: half of the time that sorting them takes."""
    last = np.array(cuts) - 1
    at = np.partition(order, last)[: cuts[-1]] & PLACE
    return places[at], values[at[last]]
