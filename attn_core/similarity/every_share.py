"""The strongest pairs of every head under many choices at once: special tokens in or out, and every share of the pairs.

A smaller share takes the first of the pairs that a larger one takes, and the similarities of a window are computed once
whichever of its tokens may pair. What comes out is what `selection` finds choice by choice. Tensors end here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from attn_core.models.head_outputs import Values
from attn_core.numerics.ranks import largest_first
from attn_core.numerics.threads import on_every_core
from attn_core.similarity.context_similarity import as_measured
from attn_core.similarity.selection import as_tensor, number_of_strong_pairs
from attn_core.similarity.strong_pairs import Measure
from attn_core.texts.passages import Passage

_Strongest = tuple[np.ndarray, np.ndarray]  # which pairs, strongest first, and the similarities at the cuts


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

    order: (layer, head, K), which of the P pairs, strongest first; of equal ones the earlier first. bars: (layer, head,
    share), the similarity of the weakest pair that each share takes.
    """

    pairable: Pairable
    order: np.ndarray
    bars: np.ndarray


def rank_pairs(z: Values, measure: Measure, pairables: Sequence[Pairable]) -> list[Ranked]:
    """The strongest pairs of every head in one measure; z: (layer, head, token, d_head), of all tokens of a window.

    pairables: choices of tokens of its passage, all of them first. What a narrower one takes is among the strongest pairs of
    all tokens, as far down as it leaves pairs out.
    """
    z = as_tensor(z)
    tokens, every = z.shape[2], pairables[0]
    keep = max(one.cuts[-1] + len(every.places) - len(one.places) for one in pairables)
    among = [_among(every, one) for one in pairables]

    def of_layers(some: Sequence[Tensor]) -> list[list[list[_Strongest]]]:
        room = torch.empty(1, tokens, tokens, device=z.device)
        return [[of_head(vectors[None], room) for vectors in as_measured(layer, measure)] for layer in some]

    def of_head(vectors: Tensor, room: Tensor) -> list[_Strongest]:
        similarity = torch.bmm(vectors, vectors.transpose(-1, -2), out=room).cpu().numpy().reshape(-1)
        values = similarity.take(every.places)
        order = largest_first(values, min(keep, len(values)))
        return [_left(values, order, one, number) for one, number in zip(pairables, among, strict=True)]

    ranked = on_every_core(of_layers, list(z), z.device)
    found = []
    for number, pairable in enumerate(pairables):
        orders, bars = (np.array([[of_head[number][part] for of_head in layer] for layer in ranked]) for part in (0, 1))
        found.append(Ranked(pairable, orders, bars))
    return found


def _among(every: Pairable, narrower: Pairable) -> np.ndarray:
    """The number of each pair among those of a narrower choice, (P,), -1 for one that it leaves out."""
    number = np.full(len(every.places), -1)
    number[np.searchsorted(every.places, narrower.places)] = np.arange(len(narrower.places))
    return number


def _left(values: np.ndarray, order: np.ndarray, pairable: Pairable, number: np.ndarray) -> _Strongest:
    numbers = number.take(order)
    if len(number) > len(pairable.places):
        kept = numbers >= 0
        order, numbers = order[kept], numbers[kept]
    ends = np.array(pairable.cuts) - 1
    return numbers[: ends[-1] + 1], values[order[ends]]
