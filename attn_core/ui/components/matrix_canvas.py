"""Square maps of the same tokens in the browser, under one viewport and one crosshair.

A Streamlit component (`st.components.v2`), registered once when the module is imported; `matrix_canvas.js` draws it. A
map of more cells than a screen has points is drawn as a raster.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from math import floor, log10
from typing import Any

import numpy as np

from attn_core.charts.style import ANCHORS, Scheme, ramp
from attn_core.texts.token_names import readable
from attn_core.ui.components import packed, registered, run_again

SIDE = 1024  # points of a raster a side
CUT_PERCENTILES = (0.5, 99.5)

_HTML = """
<div class="bar" role="group" aria-label="Part of the maps that is shown">
  <button type="button" data-zoom="0.7" aria-label="Zoom in">+</button>
  <button type="button" data-zoom="1.4286" aria-label="Zoom out">−</button>
  <button type="button" data-zoom="1e9">Reset</button>
  <label class="marks"><input type="checkbox" checked> <span></span></label>
  <span class="hint">Click a cell, scroll to zoom, drag to move. Keys: arrows, +&nbsp;−&nbsp;0, Enter, Esc.</span>
</div>
<div class="grid"></div>
<template><figure>
  <figcaption></figcaption><canvas tabindex="0" role="application"></canvas><output></output>
</figure></template>
"""


@dataclass(frozen=True, eq=False)
class Panel:
    """A map of tokens by tokens. `values` is (N, N), float; cells that are not finite have the colour of the page.

    `scheme` is "sequential", or "diverging" (centred on zero). `marks` is (M, 2): pairs (row, column) that a checkbox
    marks.
    """

    title: str
    values: np.ndarray
    scheme: Scheme = "sequential"
    marks: np.ndarray = field(default_factory=lambda: np.empty((0, 2), int))

    @property
    def colours_end(self) -> tuple[float, float]:
        """The values where the colours end."""
        return colour_cut(np.asarray(self.values, float), self.scheme)


@dataclass(frozen=True)
class Visit:
    """A request to show a pair (row, column). turn: the number of the request, so that a pair can be shown again."""

    pair: tuple[int, int]
    turn: int


def matrix_canvas(
    panels: Sequence[Panel],
    tokens: Sequence[str],
    sides: tuple[str, str] = ("tokens", "tokens"),
    *,
    key: str,
    visit: Visit | None = None,
) -> tuple[int, int] | None:
    """Draw maps of tokens by tokens that zoom, move and point together. Returns the (row, column) that was picked last.

    `sides`: what rows and columns are. `visit`: a pair to go to.
    A click or Enter picks a cell; None before, and where the maps are too small for it. Pick and viewport belong to
    `key`: other names reset the viewport alone, so put the text's identity into it.
    """
    n = len(tokens)
    if not n or any(panel.values.shape != (n, n) for panel in panels):
        raise ValueError(f"Every panel needs ({n}, {n}) values, as many as tokens, and one token at least.")
    header = {
        "names": list(map(readable, tokens)),
        "sides": sides,
        "panels": [_described(panel, n, sides) for panel in panels],
        "block": block_of(n),
        "visit": visit and asdict(visit),
        "ramps": {panel.scheme: _ramps(panel.scheme) for panel in panels},
    }

    data = packed(header, *(rastered(np.asarray(panel.values, float)) for panel in panels))
    picked = _component(key=key, data=data, on_picked_change=run_again).get("picked")
    return (int(picked[0]), int(picked[1])) if picked and max(picked) < n else None


def block_of(n: int) -> int:
    """The number of cells along a side of one point, for a map of n x n cells; 1 where every cell is a point."""
    return -(-n // SIDE)


def rastered(values: np.ndarray) -> np.ndarray:
    """The maximum of each block of a square map, (n, n) -> (points, points), without values that are not finite."""
    values, block = np.where(np.isfinite(values), values, np.nan), block_of(len(values))
    starts = np.arange(0, len(values), block)
    return np.fmax.reduceat(np.fmax.reduceat(values, starts, axis=0), starts, axis=1)


def colour_cut(values: np.ndarray, scheme: Scheme) -> tuple[float, float]:
    """The values where the colours of a matrix end: the 0.5 and 99.5 percentiles off the diagonal, or its only cell.

    Diverging colours end at the larger of the two, above and below zero.
    """
    finite = np.isfinite(values)
    off_diagonal = values[finite & ~np.eye(len(values), dtype=bool)]
    coloured = off_diagonal if off_diagonal.size else values[finite]
    low, high = np.percentile(coloured, CUT_PERCENTILES).tolist() if coloured.size else (0.0, 0.0)
    return (-max(abs(low), abs(high)), max(abs(low), abs(high))) if scheme == "diverging" else (low, high)


def _described(panel: Panel, n: int, sides: tuple[str, str]) -> dict[str, Any]:
    """What the component takes of a map besides its values: title, description, marks, ends of the colours."""
    values = np.asarray(panel.values, float)
    values = values[np.isfinite(values)]
    low, high = panel.colours_end
    least, most = (values.min(), values.max()) if values.size else (low, high)
    width = high - low or 1.0
    size = f"{n} {sides[0]} by as many {sides[1]}"
    return {
        "title": panel.title,
        "described": f"{panel.title}: {size}, from {_short(least, width)} to {_short(most, width)}.",
        "marks": panel.marks.tolist(),
        "scheme": panel.scheme,
        "cut": [low, high],
        "ends": [
            f"{'≤ ' if least < low else ''}{_short(low, width)}",
            f"{'≥ ' if most > high else ''}{_short(high, width)}",
        ],
    }


def _short(value: float, width: float) -> str:
    """A number rounded to about a thousandth of `width`: on a scale up to 0.07 a minimum of 4e-30 is 0."""
    return f"{round(value, 2 - floor(log10(width))) + 0.0:.6g}"  # + 0.0: never -0


def _ramps(scheme: Scheme) -> dict[str, list[int]]:
    """The 256 colours of a scheme for light and dark pages, as pixels of a canvas of the browser."""
    pixel = np.array([1, 1 << 8, 1 << 16])
    return {page: (ramp(anchors) @ pixel + (255 << 24)).tolist() for page, anchors in ANCHORS[scheme].items()}


_component = registered("matrix_canvas", _HTML)
