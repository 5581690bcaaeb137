"""Context similarity of head outputs, and the strong pairs: the pairs of tokens that a head makes most alike.

Tensors end here: what comes out is numpy.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from attn_core.blocks import matrices_at_once
from attn_core.errors import TextError
from attn_core.passages import Passage

Measure = Literal["dot", "cosine"]
SAMPLE_STEP = 61  # about one pair in sixty tells where the strongest begin


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


def context_similarity(z: Tensor, measure: Measure = "dot") -> Tensor:
    """Scalar products (or cosines) of head outputs: (..., token, d_head) -> (..., token, token)."""
    z = _measured(z, measure)
    return z @ z.transpose(-1, -2)


def _measured(z: Tensor, measure: Measure) -> Tensor:
    return torch.nn.functional.normalize(z, dim=-1) if measure == "cosine" else z


def number_of_strong_pairs(pairs: int, share: float) -> int:
    """K = max(1, round(share * P)), halves rounded up."""
    return min(pairs, max(1, int(share * pairs + 0.5)))


def find_strong_pairs(
    z: Tensor, passage: Passage, share: float = 0.01, measure: Measure = "dot", with_special: bool = True
) -> StrongPairs:
    """The K pairs i < j of largest similarity of every head; equal values: smaller i, then smaller j, first.

    z: (layer, head, token, d_head). The selection is exact. Raises TextError where fewer than two tokens can pair.
    """
    eligible = np.ones(len(passage), dtype=bool) if with_special else ~passage.is_special
    positions = np.flatnonzero(eligible)
    n = len(positions)
    if n < 2:
        raise TextError("A pair needs two tokens and this text has fewer: type more, or let special tokens in.")
    keep = number_of_strong_pairs(n * (n - 1) // 2, share)
    upper = torch.ones(n, n, dtype=torch.bool, device=z.device).triu(1)
    pairs = _true(upper)
    # One block of memory for all heads: a new one for each costs more than the products, since it must be mapped first.
    room = z.new_empty(min(matrices_at_once(n * n, z.device), z.shape[1]), n, n)
    chosen = [
        part
        for layer in (z if eligible.all() else z[:, :, positions])
        for heads in layer.split(len(room))
        for part in _strongest(_similarity_in(room, heads, measure), upper, pairs, keep)
    ]
    where, values = (np.stack(parts).reshape(*z.shape[:2], keep) for parts in zip(*chosen, strict=True))
    return StrongPairs(passage, eligible, first=positions[where // n], second=positions[where % n], similarity=values)


def _similarity_in(room: Tensor, z: Tensor, measure: Measure) -> Tensor:
    """`context_similarity` of a few heads, (head, token, token), in memory that is used again for the next ones."""
    z = _measured(z, measure)
    return torch.bmm(z, z.transpose(-1, -2), out=room[: len(z)])


def _strongest(similarity: Tensor, upper: Tensor, pairs: Tensor, keep: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Flat positions and values of the largest entries above the diagonal, largest first, of one head after another.

    upper: (token, token), true above the diagonal; pairs: its flat positions.

    A sample of the pairs gives each head a bar that about twice as many pass as are wanted. Where enough pass, the
    strongest are all among them, so that only those are sorted; where not, everything is.
    """
    heads, size = len(similarity), upper.numel()
    sample = similarity.flatten(1)[:, pairs[::SAMPLE_STEP]]
    bars = sample.topk(min(sample.shape[1], 2 * keep // SAMPLE_STEP + 8)).values[:, -1]
    passing = _true(_at_least(similarity, bars[:, None, None]) & upper)
    values, positions = similarity.flatten()[passing].cpu().numpy(), passing.cpu().numpy()
    ends = np.searchsorted(positions, size * np.arange(1, heads + 1))
    for head, (start, end) in enumerate(pairwise([0, *ends])):
        where, found = positions[start:end] - size * head, values[start:end]
        if len(where) < keep:
            where, found = pairs.cpu().numpy(), similarity[head].flatten()[pairs].cpu().numpy()
        order = _largest_first(found)[:keep]
        yield where[order], found[order]


def _largest_first(values: np.ndarray) -> np.ndarray:
    """Indices that sort float32 values, largest first, of equal values the earlier first.

    Each value with its index below it makes a whole number; these numpy sorts five times as fast as floats in order.
    """
    bits = (values + 0.0).view(np.int32).astype(np.int64)  # + 0.0: a negative zero equals zero
    falling = np.where(bits < 0, bits & 0x7FFFFFFF, -bits)
    return np.sort(falling << 32 | np.arange(len(values))) & 0xFFFFFFFF


def _at_least(values: Tensor, bars: Tensor) -> Tensor:
    """values >= bars; on a processor by numpy, which compares seven times as fast as torch."""
    return torch.from_numpy(values.numpy() >= bars.numpy()) if values.device.type == "cpu" else values >= bars


def _true(mask: Tensor) -> Tensor:
    """Flat positions of what is true; on a processor by numpy, which finds them six times as fast as torch."""
    if mask.device.type == "cpu":
        return torch.from_numpy(np.flatnonzero(mask.numpy()))
    return torch.nonzero(mask.flatten())[:, 0]
