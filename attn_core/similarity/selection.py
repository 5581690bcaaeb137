"""The strong pairs: the pairs of tokens that a head makes most alike.

Tensors end here: what comes out is numpy.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from attn_core.checks import check_share
from attn_core.errors import InputError, TextError
from attn_core.models.head_outputs import Values
from attn_core.numerics.ranks import largest_first
from attn_core.numerics.threads import matrices_at_once, on_every_core
from attn_core.similarity.context_similarity import as_measured, context_similarity, inverse_lengths
from attn_core.similarity.strong_pairs import NO_PAIR, SHARE, Measure, Settings, StrongPairs, number_of_strong_pairs
from attn_core.tensors import Tensor, torch
from attn_core.texts.passages import Passage

ROWS = 128  # of a similarity matrix at a time
SAMPLE_STEP = 31  # of the first rows' pairs one in about thirty tells where the strongest begin

_Chosen = tuple[np.ndarray, np.ndarray]  # places in the n x n matrix and values, largest first, both (head, keep)
_InTile = tuple[np.ndarray, np.ndarray]  # places in the n x n matrix, rising, and values of a head's pairs in a tile


def find_strong_pairs(
    z: Values, passage: Passage, share: float = SHARE, measure: Measure = "dot", with_special: bool = True
) -> StrongPairs:
    """The K pairs i < j of largest similarity of every head; equal values: smaller i, then smaller j, first.

    z: (layer, head, token, d_head) float32, of the passage's tokens. K = max(1, round(share * P)) of the P pairs that could
    be chosen. The selection is exact. Raises TextError where fewer than two tokens can pair, and InputError for a z of other
    tokens, a share or a measure that there is not.

    >>> pairs = attn_core.find_strong_pairs(output.z, passage, share=0.05)
    >>> pairs.first.shape  # layer, head, pair
    (6, 12, 8)
    """
    check_share(share, "The share of strong pairs")
    if len(getattr(z, "shape", ())) != 4 or z.shape[2] != len(passage):
        raise InputError(
            f"z is an array of (layer, head, token, d_head) with the {len(passage)} tokens of the passage."
        )
    return _find(z, passage, Settings(measure, share, with_special))[0]


def find_strong_and_aligned(z: Values, passage: Passage, settings: Settings) -> tuple[StrongPairs, StrongPairs]:
    """The strong pairs, and as many of largest cosine; as `find_strong_pairs`. Scalar products are computed once for both."""
    if settings.measure == "dot":
        strong, aligned = _find(z, passage, settings, and_aligned=True)
        return strong, aligned
    (strong,) = _find(z, passage, settings)
    return strong, strong if settings.measure == "cosine" else _find(z, passage, replace(settings, measure="cosine"))[0]


def _find(z: Values, passage: Passage, settings: Settings, and_aligned: bool = False) -> list[StrongPairs]:
    z = as_tensor(z)
    eligible = np.ones(len(passage), dtype=bool) if settings.with_special else ~passage.is_special
    positions = np.flatnonzero(eligible)
    n = len(positions)
    if n < 2:
        raise TextError(NO_PAIR)
    keep = number_of_strong_pairs(n * (n - 1) // 2, settings.share)
    heads = min(matrices_at_once(min(ROWS, n) * n, z.device), z.shape[1])

    def strongest(blocks: Sequence[Tensor]) -> list[list[_Chosen]]:
        tiles = _tiles(n, heads, z.device)
        sample = torch.nonzero(tiles[0].upper.flatten())[::SAMPLE_STEP, 0]
        chosen = []
        for few in blocks:  # heads of a layer, read from memory once
            vectors = of_tokens(as_measured(few, settings.measure), eligible)
            scale = of_tokens(inverse_lengths(few), eligible) if and_aligned else None
            chosen.append(_strongest(vectors, scale, tiles, sample, keep))
        return chosen

    def joined(chosen: Sequence[_Chosen]) -> StrongPairs:
        cells, values = (np.concatenate(parts).reshape(*z.shape[:2], keep) for parts in zip(*chosen, strict=True))
        i = cells // n
        return StrongPairs(passage, eligible, first=positions[i], second=positions[cells - i * n], similarity=values)

    blocks = on_every_core(strongest, [few for layer in z for few in layer.split(heads)], z.device)
    return [joined(chosen) for chosen in zip(*blocks, strict=True)]


def as_tensor(values: Values) -> Tensor:
    """The numbers as torch has them; those that nobody may change are copied, since torch knows no such tensor."""
    fixed = isinstance(values, np.ndarray) and not values.flags.writeable
    return torch.as_tensor(values.copy() if fixed else values)


def of_tokens(z: Tensor, chosen: np.ndarray) -> Tensor:
    """Some tokens' vectors, (head, token, d_head), or what else there is of each token; chosen: (N,) bool."""
    return z if chosen.all() else taken(z, 1, np.flatnonzero(chosen))


def taken(values: Tensor, axis: int, at: np.ndarray) -> Tensor:
    """The values at some places of an axis; ten times as fast as an index."""
    return values.index_select(axis, torch.from_numpy(at).to(values.device))


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

    @property
    def of_a_head(self) -> int:
        """How much farther than in one head `cells` puts the same pair of the next."""
        rows, width = self.upper.shape
        return rows * (width + self.start)

    def cells(self, at: np.ndarray) -> np.ndarray:
        """Places in this tile, row by row -> in the n x n matrix, `of_a_head` farther for every head before."""
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


def _strongest(z: Tensor, scale: Tensor | None, tiles: Sequence[_Tile], sample: Tensor, keep: int) -> list[_Chosen]:
    """The pairs of largest scalar product and, where the scale of each vector is given, (head, token), those of largest cosine.

    A sample of the first tile's pairs (their places in it) gives each head a bar that about twice as many pass as are
    wanted. Where enough pass, the strongest are all among them, so that only those are sorted; where not, everything is.
    z: (head, token, d_head).
    """
    n = z.shape[1]
    scales = [None] if scale is None else [None, scale]
    bars: list[np.ndarray] = []
    passed: list[list[list[_InTile]]] = [[] for _ in scales]
    for tile in tiles:
        similarity = torch.bmm(
            z[:, tile.start : tile.start + ROWS], z[:, tile.start :].transpose(-1, -2), out=tile.room[: len(z)]
        )
        for kind, factors in enumerate(scales):
            if factors is not None:
                scaled(similarity, factors[:, tile.start : tile.start + ROWS], factors[:, tile.start :])
            if len(bars) == kind:
                bars.append(_bars(similarity, sample, keep / (n * (n - 1) // 2)))
            passed[kind].append(_passed(similarity, bars[kind], tile))
    return [_sorted(z, factors, tiles, of_scale, keep) for factors, of_scale in zip(scales, passed, strict=True)]


def scaled(products: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
    """Scalar products (head, row, column) times a factor of each row and of each column, in place."""
    return products.mul_(rows[:, :, None]).mul_(columns[:, None])


def _sorted(
    z: Tensor, scale: Tensor | None, tiles: Sequence[_Tile], passed: Sequence[Sequence[_InTile]], keep: int
) -> _Chosen:
    """The strongest of those that passed, tile by tile and head by head."""
    cells, similarities = np.empty((len(z), keep), dtype=np.int64), np.empty((len(z), keep), dtype=np.float32)
    for head, parts in enumerate(zip(*passed, strict=True)):
        where, values = (np.concatenate(some) for some in zip(*parts, strict=True))
        if len(where) < keep:
            where = np.concatenate([tile.cells(np.flatnonzero(tile.upper.cpu().numpy())) for tile in tiles])
            similarity = context_similarity(z[head, None])  # rounds as above
            if scale is not None:
                similarity = scaled(similarity, scale[head, None], scale[head, None])
            values = similarity[0].flatten().cpu().numpy()[where]
        order = largest_first(values, keep)
        cells[head], similarities[head] = where[order], values[order]
    return cells, similarities


def _bars(similarity: Tensor, sample: Tensor, share: float) -> np.ndarray:
    """A value for each head that about twice the wanted share of its pairs reaches, (head, 1, 1)."""
    values = similarity.flatten(1).index_select(1, sample).cpu().numpy()
    above = min(values.shape[1], int(2 * share * values.shape[1]) + 8)
    return np.partition(values, -above, axis=1)[:, -above, None, None]


def _passed(similarity: Tensor, bars: np.ndarray, tile: _Tile) -> list[_InTile]:
    """Places in the n x n matrix, rising, and values of the pairs that reach their head's bar, head by head.

    On a processor by numpy, which compares and finds six times as fast as torch.
    """
    if similarity.device.type == "cpu":
        mask = similarity.numpy() >= bars
        mask &= tile.upper.numpy()
        at = np.flatnonzero(mask)
        values = similarity.numpy().reshape(-1).take(at)
    else:
        of_heads = torch.from_numpy(bars).to(similarity.device)
        places = torch.nonzero(((similarity >= of_heads) & tile.upper).flatten())[:, 0]
        at, values = places.cpu().numpy(), similarity.flatten()[places].cpu().numpy()
    ends = np.searchsorted(at, tile.upper.numel() * np.arange(len(similarity) + 1)).tolist()
    cells = tile.cells(at)
    return [
        (cells[first:last] - head * tile.of_a_head, values[first:last])
        for head, (first, last) in enumerate(pairwise(ends))
    ]
