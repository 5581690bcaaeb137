"""Context similarity of head outputs, and the strong pairs: the pairs of tokens that a head makes most alike.

Tensors end here: what comes out is numpy.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from attn_core.errors import TextError
from attn_core.passages import Passage

Measure = Literal["dot", "cosine"]
SAMPLE_STEP = 61  # about one value in sixty tells where the strongest begin


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
    if measure == "cosine":
        z = torch.nn.functional.normalize(z, dim=-1)
    return z @ z.transpose(-1, -2)


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
    chosen = [
        _strongest(context_similarity(heads[:, positions], measure), upper, keep) for heads in z
    ]  # one layer at a time: all the matrices at once would take gigabytes
    flat = np.stack([where for where, _ in chosen])
    return StrongPairs(
        passage=passage,
        eligible=eligible,
        first=positions[flat // n],
        second=positions[flat % n],
        similarity=np.stack([values for _, values in chosen]),
    )


def _strongest(similarity: Tensor, upper: Tensor, keep: int) -> tuple[np.ndarray, np.ndarray]:
    """Flat positions and values (head, keep) of the largest entries above the diagonal, largest first."""
    masked = similarity.masked_fill(~upper, -torch.inf).flatten(1)
    found = [_strongest_of_row(row, keep) for row in masked]
    return np.stack([where for where, _ in found]), np.stack([values for _, values in found])


def _strongest_of_row(row: Tensor, keep: int) -> tuple[np.ndarray, np.ndarray]:
    """The `keep` largest values of a row and where they stand; of equal values the earlier one wins.

    A sample of the row gives a bar that about twice as many values pass as are wanted. Where enough pass, the
    strongest are all among them, so that only those are sorted; where not, everything is.
    """
    bar = _bar(row, keep)
    where = torch.nonzero(row >= bar)[:, 0]
    if len(where) < keep:
        where = torch.nonzero(row > -torch.inf)[:, 0]
    values = row[where]
    order = torch.sort(values, descending=True, stable=True).indices[:keep]
    return where[order].cpu().numpy(), values[order].cpu().numpy()


def _bar(row: Tensor, keep: int) -> Tensor:
    sample = row[::SAMPLE_STEP]
    return sample.topk(min(len(sample), 2 * keep // SAMPLE_STEP + 8)).values[-1]
