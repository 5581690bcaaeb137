"""The strongest pairs of every head under many choices at once: special tokens in or out, and every share of the pairs.

A smaller share takes the first of the pairs that a larger one takes, and the similarities of a window are computed once
whichever of its tokens may pair. What comes out is what `selection` finds choice by choice. Tensors end here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attn_core.models.head_outputs import Values
from attn_core.numerics.ranks import largest_first
from attn_core.numerics.threads import on_every_core
from attn_core.similarity.context_similarity import as_measured
from attn_core.similarity.selection import as_tensor, number_of_strong_pairs
from attn_core.similarity.strong_pairs import Measure
from attn_core.tensors import Tensor, torch
from attn_core.texts.passages import Passage

SAMPLE_STEP = 61  # about one pair in sixty tells where the strongest begin
MARGIN = 1.25  # of the pairs that are wanted, so that the sample's luck seldom leaves too few
_Strongest = tuple[np.ndarray, np.ndarray]  # places of pairs, strongest first, and the similarities at the cuts


@dataclass(frozen=True, eq=False)
class Pairable:
    """Which tokens of a passage may pair, (N,) bool, and the P pairs that they make, in the order that breaks ties."""

    passage: Passage
    eligible: np.ndarray
    shares: tuple[float, ...]

    @cached_property
    def pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """(first, second), (P,) each, as `StrongPairs.all_pairs`."""
        positions = np.flatnonzero(self.eligible)
        i, j = np.triu_indices(len(positions), k=1)
        return positions[i], positions[j]

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

    places: (layer, head, K), where each stands in the N x N matrix, strongest first; of equal ones the earlier first. bars:
    (layer, head, share), the similarity of the weakest pair that each share takes.
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

    def of_layers(some: Sequence[Tensor]) -> list[list[list[_Strongest]]]:
        room = torch.empty(1, tokens, tokens, device=z.device)
        return [[of_head(vectors[None], room) for vectors in as_measured(layer, measure)] for layer in some]

    def of_head(vectors: Tensor, room: Tensor) -> list[_Strongest]:
        similarity = torch.bmm(vectors, vectors.transpose(-1, -2), out=room).cpu().numpy().reshape(-1)
        places = _candidates(similarity, upper, every.places, keep)
        values = similarity.take(places)
        order = largest_first(values, keep)
        strongest = places[order], values[order]
        return [_left(*strongest, one.cuts, allowed) for one, allowed in zip(pairables, chosen, strict=True)]

    ranked = on_every_core(of_layers, list(z), z.device)
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


def _left(places: np.ndarray, values: np.ndarray, cuts: Sequence[int], allowed: np.ndarray | None) -> _Strongest:
    """The strongest of the pairs that are allowed, of pairs in the order of their similarity."""
    if allowed is not None:
        kept = np.flatnonzero(allowed.take(places))[: cuts[-1]]
        places, values = places[kept], values[kept]
    return places[: cuts[-1]], values[np.array(cuts) - 1]
