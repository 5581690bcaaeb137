"""A map of more cells than a screen has points: seen whole as a raster, and where one zooms the cells themselves."""

from typing import Literal, get_args

import numpy as np

Raster = Literal["maximum", "mean"]
RASTERS: tuple[Raster, ...] = get_args(Raster)
SIDE = 1024  # points of a raster, and cells that are shown as they are, a side


def block_of(n: int) -> int:
    """How many cells a side stand in one point of the raster of n x n cells; 1 where every cell has its own."""
    return -(-n // SIDE)


def rastered(values: np.ndarray, raster: Raster) -> np.ndarray:
    """The maximum or the mean of each block of a square map, (n, n) -> (points, points); blanks are passed over."""
    block = block_of(len(values))
    if block == 1:
        return values
    starts = np.arange(0, len(values), block)
    finite = np.isfinite(values)

    def over_blocks(combine: np.ufunc, cells: np.ndarray) -> np.ndarray:
        return combine.reduceat(combine.reduceat(cells, starts, axis=0), starts, axis=1)

    if raster == "maximum":
        most = over_blocks(np.maximum, np.where(finite, values, -np.inf))
        return np.where(np.isfinite(most), most, np.nan)
    number = over_blocks(np.add, finite.astype(np.int64))
    total = over_blocks(np.add, np.where(finite, values, 0.0))
    return np.divide(total, number, out=np.full(total.shape, np.nan), where=number > 0)


def part_at(centre: tuple[float, float], n: int) -> tuple[slice, slice]:
    """The rows and columns of an n x n map whose cells are shown as they are, around a place in it."""
    shown = min(SIDE, n)
    starts = [min(max(round(at - shown / 2), 0), n - shown) for at in centre]
    return slice(starts[0], starts[0] + shown), slice(starts[1], starts[1] + shown)


def raster_in_words(n: int, raster: Raster) -> str:
    """What a point of the raster of n x n cells is, for the note of a map; nothing where it is a cell."""
    block = block_of(n)
    if block == 1:
        return ""
    return f" Seen whole, a point is the {raster} of {block} x {block} cells; where {SIDE:,} or fewer are seen, it is a cell."
