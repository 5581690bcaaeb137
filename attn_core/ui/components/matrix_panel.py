"""A map of rows and columns: its values and axes, where its colours end, and what is said of it in words.

A map of more cells than a screen has points is seen as a raster of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import floor, log10
from typing import Any

import numpy as np

from attn_core.charts.style import Scheme
from attn_core.texts.token_names import readable

SIDE = 1024  # points of a raster a side
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


@dataclass(frozen=True)
class Axis:
    """What the rows or the columns are, each by a name. numbered: a name is read out with its position, from 0."""

    names: Sequence[str]
    of: str = "tokens"
    numbered: bool = True

    def called(self, at: int) -> str:
        """One of them in a sentence."""
        name = readable(self.names[at])
        return f"{name} {at}" if self.numbered else name

    def as_read(self) -> dict[str, Any]:
        """The axis as the component takes it: punctuation by name."""
        return {"names": list(map(readable, self.names)), "of": self.of, "numbered": self.numbered}


@dataclass(frozen=True, eq=False)
class Panel:
    """One map. `values` is (rows, columns), float; what is not finite is painted as background.

    `scheme` is "sequential", or "diverging" (centred on zero). `marks` is (M, 2): pairs (row, column) that a checkbox
    marks. `cut`: the values where the colours end, None for those of `colour_cut`.
    """

    title: str
    values: np.ndarray
    scheme: Scheme = "sequential"
    marks: np.ndarray = field(default_factory=lambda: np.empty((0, 2), int))
    cut: tuple[float, float] | None = None

    @property
    def colours_end(self) -> tuple[float, float]:
        """The values where the colours end."""
        return self.cut or colour_cut(np.asarray(self.values, float), self.scheme)


def colour_cut(values: np.ndarray, scheme: Scheme) -> tuple[float, float]:
    """Where the colours of a matrix end: the 0.5 and 99.5 percentiles of its values off the diagonal, all where there are none.

    Diverging: the larger of the two either side of zero.
    """
    finite, (rows, columns) = np.isfinite(values), values.shape
    off_diagonal = values[finite & ~np.eye(rows, columns, dtype=bool)]
    coloured = off_diagonal if off_diagonal.size else values[finite]
    low, high = np.percentile(coloured, CUT_PERCENTILES).tolist() if coloured.size else (0.0, 0.0)
    return (-max(abs(low), abs(high)), max(abs(low), abs(high))) if scheme == "diverging" else (low, high)


def panel_data(panel: Panel, rows: Axis, columns: Axis | None) -> dict[str, Any]:
    """A map as the component takes it, but for its values."""
    values = np.asarray(panel.values, float)
    low, high = panel.colours_end
    width = high - low or 1.0
    return {
        "title": panel.title,
        "described": _described(panel.title, values, rows, columns, width),
        "marks": panel.marks.tolist(),
        "scheme": panel.scheme,
        "cut": [low, high],
        "ends": [
            f"{'≤ ' if (values < low).any() else ''}{_short(low, width)}",
            f"{'≥ ' if (values > high).any() else ''}{_short(high, width)}",
        ],
    }


def _described(title: str, values: np.ndarray, rows: Axis, columns: Axis | None, width: float) -> str:
    """A map in a sentence: its size, and its least and largest value with their names; of one axis, off the diagonal."""
    among = values if columns else np.where(np.eye(len(values), dtype=bool), np.nan, values)
    across = columns or rows
    if not np.isfinite(among).any():
        return f"{title}: no value to show."
    ends = [divmod(int(at), values.shape[1]) for at in (np.nanargmin(among), np.nanargmax(among))]
    extremes = " to ".join(f"{_short(values[i, j], width)} ({rows.called(i)}, {across.called(j)})" for i, j in ends)
    return f"{title}: {len(rows.names)} {rows.of} by {len(across.names)} {across.of}, from {extremes}."


def _short(value: float, width: float) -> str:
    """To a thousandth of `width` or so, for reading: on a scale up to 0.07 a minimum of 4e-30 is 0."""
    return f"{round(value, 2 - floor(log10(width))) + 0.0:.6g}"  # + 0.0: never -0
