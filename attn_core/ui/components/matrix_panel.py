"""A map of rows and columns: its values and axes, where its colours end, and what is said of it in words.

A map of more cells than a screen has points is seen whole as a raster, and where one zooms as the cells themselves.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import floor, log10
from typing import Any

import numpy as np

from attn_core.charts.style import Scheme
from attn_core.texts.token_names import readable

SIDE = 1024  # points of a raster, and cells that are shown as they are, a side
CUT_PERCENTILES = (0.5, 99.5)


def block_of(n: int) -> int:
    """How many cells a side stand in one point of the raster of n x n cells; 1 where every cell has its own."""
    return -(-n // SIDE)


def rastered(values: np.ndarray) -> np.ndarray:
    """The maximum of each block of a square map, (n, n) -> (points, points); blanks are passed over."""
    block = block_of(len(values))
    if block == 1:
        return values
    starts = np.arange(0, len(values), block)
    known = np.where(np.isfinite(values), values, -np.inf)
    most = np.maximum.reduceat(np.maximum.reduceat(known, starts, axis=0), starts, axis=1)
    return np.where(np.isfinite(most), most, np.nan)


def part_at(centre: tuple[float, float], n: int) -> tuple[slice, slice]:
    """The rows and columns of an n x n map whose cells are shown as they are, around a place in it."""
    shown = min(SIDE, n)
    starts = [min(max(round(at - shown / 2), 0), n - shown) for at in centre]
    return slice(starts[0], starts[0] + shown), slice(starts[1], starts[1] + shown)


def raster_in_words(n: int) -> str:
    """What a point of the raster of n x n cells is, for the note of a map; nothing where it is a cell."""
    block = block_of(n)
    if block == 1:
        return ""
    return f" Seen whole, a point is the maximum of {block} x {block} cells; where {SIDE:,} or fewer are seen, it is a cell."


@dataclass(frozen=True)
class Axis:
    """What the rows or the columns are. `every`: how far apart names stand where there is no room for all of them; None:
    numbers stand there, from 0.
    """

    names: Sequence[str]
    of: str = "tokens"
    every: int | None = None

    def called(self, at: int) -> str:
        """One of them in a sentence."""
        name = readable(self.names[at])
        return name if self.every else f"{name} {at}"

    def as_read(self) -> "Axis":
        """The same with punctuation by name."""
        return replace(self, names=list(map(readable, self.names)))


@dataclass(frozen=True, eq=False)
class Panel:
    """One map. `values` is (rows, columns), float; what is not finite is painted as background.

    `scheme` is "sequential", or "diverging" (centred on zero). `marks` is (M, 2): pairs (row, column) that a checkbox
    marks. `cut`: the values where the colours end, None for those of `colour_cut`. `sides`: titles of the axes (rows,
    columns), None for what the axes are of.
    """

    title: str
    values: np.ndarray
    scheme: Scheme = "sequential"
    marks: np.ndarray = field(default_factory=lambda: np.empty((0, 2), int))
    cut: tuple[float, float] | None = None
    sides: tuple[str, str] | None = None


def colour_cut(matrices: Sequence[np.ndarray], scheme: Scheme) -> tuple[float, float]:
    """Where the colours of matrices end that share a scale: the 0.5 and 99.5 percentiles of their values off the diagonal.

    Diverging: the larger of the two either side of zero.
    """
    coloured = np.concatenate([_coloured(matrix) for matrix in matrices])
    low, high = np.percentile(coloured, CUT_PERCENTILES).tolist() if coloured.size else (0.0, 0.0)
    return (-max(abs(low), abs(high)), max(abs(low), abs(high))) if scheme == "diverging" else (low, high)


def _coloured(values: np.ndarray) -> np.ndarray:
    """The finite values off the diagonal, all finite ones where there are none."""
    finite = np.isfinite(values)
    rows, columns = values.shape
    off_diagonal = values[finite & ~np.eye(rows, columns, dtype=bool)]
    return off_diagonal if off_diagonal.size else values[finite]


def panel_data(
    panel: Panel, ends: tuple[float, float], rows: Axis, columns: Axis | None, alone: bool
) -> dict[str, Any]:
    """A map as the component takes it, but for its values. ends: the least and the largest of them. alone: whether no other
    stands beside it.

    Raises ValueError for marks outside the map.
    """
    if not 0 <= panel.marks.min(initial=0) <= panel.marks.max(initial=0) < len(panel.values):
        raise ValueError(f"Marks must be (M, 2) pairs of positions below {len(panel.values)}.")
    values = np.asarray(panel.values, float)
    low, high = panel.cut or colour_cut([values], panel.scheme)
    least, most = ends
    width = high - low or 1.0
    return {
        "title": panel.title,
        "described": _described(panel.title, values, rows, columns, width),
        "marks": panel.marks.tolist(),
        "scheme": panel.scheme,
        "sides": panel.sides,
        "cut": [low, high],
        "ends": [
            f"{'≤ ' if least < low else ''}{_short(low, width)}",
            f"{'≥ ' if most > high else ''}{_short(high, width)}",
        ],
        "note": _note(panel, (low, high), ends, alone),
    }


def _note(panel: Panel, cut: tuple[float, float], ends: tuple[float, float], alone: bool) -> str:
    """Where the colours end, by which rule, and how far the values run beyond."""
    finite = np.isfinite(np.asarray(panel.values, float))
    if not finite.any():
        return "No value to show."
    given = [] if alone else ["on both maps"]
    rules = given if panel.cut else ["0.5 and 99.5 percentiles off the diagonal"]
    rules += ["symmetric about 0"] if panel.scheme == "diverging" else []
    rule = f" ({', '.join(rules)})" if rules else ""
    width = cut[1] - cut[0] or 1.0
    low, high, least, most = (_short(value, width) for value in (*cut, *ends))
    blank = "" if finite.all() else " Blank: no value."
    return f"Colours cut at {low} and {high}{rule}; values run from {least} to {most}.{blank}"


def _described(title: str, values: np.ndarray, rows: Axis, columns: Axis | None, width: float) -> str:
    """A map in a sentence: its size, and its least and largest value with their names; of one axis, off the diagonal."""
    among = values if columns else np.where(np.eye(len(values), dtype=bool), np.nan, values)
    across = columns or rows
    if not np.isfinite(among).any():
        return f"{title}: no value to show."
    ends = [divmod(int(at), values.shape[1]) for at in (np.nanargmin(among), np.nanargmax(among))]
    extremes = " to ".join(f"{_short(values[i, j], width)} ({rows.called(i)}, {across.called(j)})" for i, j in ends)
    size = f"{len(rows.names)} {rows.of}" if columns else str(len(rows.names))
    return f"{title}: {size} by {len(across.names)} {across.of}, from {extremes}."


def _short(value: float, width: float) -> str:
    """To a thousandth of `width` or so, for reading: on a scale up to 0.07 a minimum of 4e-30 is 0."""
    return f"{round(value, 2 - floor(log10(width))) + 0.0:.6g}"  # + 0.0: never -0
