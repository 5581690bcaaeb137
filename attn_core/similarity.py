"""Context similarity of head outputs, and the strong pairs: the pairs of tokens that a head makes most alike.

Tensors end here: what comes out is numpy.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor

from attn_core.blocks import matrices_at_once, on_every_core
from attn_core.errors import TextError
from attn_core.head_outputs import Values
from attn_core.passages import Passage
from attn_core.strong_pairs import Measure, StrongPairs

ROWS = 256  # of a similarity matrix at a time
ROUNDING = 1e-5  # of the length of a mean of float32 vectors
SAMPLE_STEP = 61  # about one pair in sixty tells where the strongest begin


def context_similarity(z: Values, measure: Measure = "dot", chosen: np.ndarray | None = None) -> Tensor:
    """Similarities of a window's tokens, in one of the measures: z (..., token, d_head) -> (..., token, token).

    chosen: positions of the tokens that are wanted, all of them by default; what is measured hangs on all all the same.
    """
    z = as_measured(torch.as_tensor(z), measure)
    if chosen is not None:
        z = z[..., chosen, :]
    return z @ z.transpose(-1, -2)


def as_measured(z: Tensor, measure: Measure) -> Tensor:
    """The vectors whose scalar products a measure takes, (..., token, d_head) of all tokens of a window.

    "dot": the head outputs as they are, as in the paper. "cosine": at length 1. "centred": at length 1 after the mean over
    the window's tokens, special tokens included, is taken off. A vector of zeros stays one, so that it is like nothing.
    """
    if measure == "dot":
        return z
    if measure == "centred":
        mean = z.mean(dim=-2, keepdim=True)
        z = z - mean
        # What is left where all vectors are equal is rounding; at length 1 it would look like a direction.
        z = z * (z.norm(dim=-1, keepdim=True) > ROUNDING * mean.norm(dim=-1, keepdim=True))
    return torch.nn.functional.normalize(z, dim=-1)


def number_of_strong_pairs(pairs: int, share: float) -> int:
    """K = max(1, round(share * P)), halves rounded up."""
    return min(pairs, max(1, int(share * pairs + 0.5)))


def find_strong_pairs(
    z: Values, passage: Passage, share: float = 0.01, measure: Measure = "dot", with_special: bool = True
) -> StrongPairs:
    """The K pairs i < j of largest similarity of every head; equal values: smaller i, then smaller j, first.

    z: (layer, head, token, d_head) float32. The selection is exact. Raises TextError where fewer than two tokens can pair.
    """
    z = torch.as_tensor(z)
    eligible = np.ones(len(passage), dtype=bool) if with_special else ~passage.is_special
    positions = np.flatnonzero(eligible)
    n = len(positions)
    if n < 2:
        raise TextError("A pair needs two tokens and this text has fewer: type more, or let special tokens in.")
    keep = number_of_strong_pairs(n * (n - 1) // 2, share)
    heads = min(matrices_at_once(min(ROWS, n) * n, z.device), z.shape[1])

    def strongest(blocks: Sequence[Tensor]) -> list[tuple[np.ndarray, np.ndarray]]:
        tiles = _tiles(n, heads, z.device)
        sample = torch.nonzero(tiles[0].upper.flatten())[::SAMPLE_STEP, 0]
        return [_strongest(of_tokens(as_measured(few, measure), eligible), tiles, sample, keep) for few in blocks]

    chosen = on_every_core(strongest, [few for layer in z for few in layer.split(heads)], z.device)
    cells, values = (np.concatenate(parts).reshape(*z.shape[:2], keep) for parts in zip(*chosen, strict=True))
    i = cells // n
    return StrongPairs(passage, eligible, first=positions[i], second=positions[cells - i * n], similarity=values)


def of_tokens(z: Tensor, chosen: np.ndarray) -> Tensor:
    """Some tokens' vectors, (head, token, d_head); chosen: (N,) bool."""
    return z if chosen.all() else z[:, np.flatnonzero(chosen)]


@dataclass(frozen=True, eq=False)
class _Tile:
    """Some rows of the similarity matrices of a few heads, from the diagonal on: what lies to the left is never computed.

    start: the first row, and the first column. upper: (row, column), true above the diagonal. room: (head, row, column),
    memory that is used again for every tile and every few heads, since mapping new memory for each costs more than the
    products.
    """

    start: int
    upper: Tensor
    room: Tensor

    def cells(self, at: np.ndarray) -> np.ndarray:
        """Places in this tile, row by row -> in the n x n matrix."""
        width = self.upper.shape[1]
        return at + at // width * self.start + self.start * (self.start + width + 1)


def _tiles(n: int, heads: int, device: torch.device) -> list[_Tile]:
    tiles: list[_Tile] = []
    room = torch.empty(heads * min(ROWS, n) * n, device=device)
    for start in range(0, n - 1, ROWS):
        shape = min(ROWS, n - start), n - start
        upper = torch.ones(shape, dtype=torch.bool, device=device).triu(1)
        tiles.append(_Tile(start, upper, room[: heads * upper.numel()].view(heads, *shape)))
    return tiles


def _strongest(z: Tensor, tiles: Sequence[_Tile], sample: Tensor, keep: int) -> tuple[np.ndarray, np.ndarray]:
    """Places in the n x n matrix and values of the pairs of largest similarity, largest first, both (head, keep).

    A sample of the first tile's pairs (their places in it) gives each head a bar that about twice as many pass as are
    wanted. Where enough pass, the strongest are all among them, so that only those are sorted; where not, everything is.
    z: (head, token, d_head).
    """
    n, bars, passed = z.shape[1], None, []
    for tile in tiles:
        rows = z[:, tile.start : tile.start + ROWS]
        similarity = torch.bmm(rows, z[:, tile.start :].transpose(-1, -2), out=tile.room[: len(z)])
        if bars is None:
            bars = _bars(similarity, sample, keep / (n * (n - 1) // 2))
        passed.append(_passed(similarity, bars, tile))
    cells, similarities = np.empty((len(z), keep), dtype=np.int64), np.empty((len(z), keep), dtype=np.float32)
    for head, parts in enumerate(zip(*passed, strict=True)):
        where, values = (np.concatenate(found) for found in zip(*parts, strict=True))
        if len(where) < keep:
            where = np.concatenate([tile.cells(np.flatnonzero(tile.upper.cpu().numpy())) for tile in tiles])
            values = context_similarity(z[head, None])[0].flatten().cpu().numpy()[where]  # rounds as above
        order = _largest_first(values)[:keep]
        cells[head], similarities[head] = where[order], values[order]
    return cells, similarities


def _bars(similarity: Tensor, sample: Tensor, share: float) -> Tensor:
    """A value for each head that about twice the wanted share of its pairs reaches, (head, 1, 1)."""
    values = similarity.flatten(1).index_select(1, sample)
    above = min(values.shape[1], int(2 * share * values.shape[1]) + 8)
    return values.topk(above).values[:, -1:, None]


def _passed(similarity: Tensor, bars: Tensor, tile: _Tile) -> list[tuple[np.ndarray, np.ndarray]]:
    """Places in the n x n matrix, rising, and values of the pairs that reach their head's bar, head by head.

    On a processor by numpy, which compares and finds six times as fast as torch.
    """
    if similarity.device.type == "cpu":
        mask = similarity.numpy() >= bars.numpy()
        mask &= tile.upper.numpy()
        at = np.flatnonzero(mask)
        values = similarity.numpy().reshape(-1)[at]
    else:
        found = torch.nonzero(((similarity >= bars) & tile.upper).flatten())[:, 0]
        at, values = found.cpu().numpy(), similarity.flatten()[found].cpu().numpy()
    size = tile.upper.numel()
    ends = np.searchsorted(at, size * np.arange(len(similarity) + 1))
    return [
        (tile.cells(at[first:last] - size * head), values[first:last])
        for head, (first, last) in enumerate(pairwise(ends.tolist()))
    ]


def _largest_first(values: np.ndarray) -> np.ndarray:
    """Indices that sort float32 values, largest first, of equal values the earlier first.

    Each value with its index below it makes a whole number; these numpy sorts five times as fast as floats in order.
    """
    falling = ~in_order(values).astype(np.int64)
    return np.sort(falling << 32 | np.arange(len(values))) & 0xFFFFFFFF


def in_order(values: np.ndarray) -> np.ndarray:
    """Whole numbers (int32) that are equal, smaller and larger as float32 values are."""
    bits = (values + 0.0).view(np.int32)  # + 0.0: a negative zero equals zero
    return bits ^ (bits >> 31 & 0x7FFFFFFF)
