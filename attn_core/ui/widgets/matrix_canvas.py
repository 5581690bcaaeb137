"""Up to six maps of the same rows and columns in the browser, under one viewport and one crosshair.

A Streamlit component (`st.components.v2`): this file prepares the numbers, `matrix_canvas.js` shows them,
`matrix_drawing.js` draws a map, `matrix_pointing.js` hears the reader, `matrix_canvas.css` lays them out, `matrix_figure.js`
makes figures of them. It is registered once, when the module is imported.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from math import floor, log10
from typing import Any

import numpy as np
import streamlit as st

from attn_core.charts.paper import Caption
from attn_core.charts.ramps import ANCHORS, Scheme, ramp
from attn_core.ui.widgets.components import registered
from attn_core.ui.widgets.packed import Codes, packed, quantise

MAX_PANELS = 6
CUT_PERCENTILES = (0.5, 99.5)

_HTML = """
<div class="bar" role="group" aria-label="Part of the maps that is shown">
  <button type="button" data-zoom="0.7" aria-label="Zoom in">+</button>
  <button type="button" data-zoom="1.4286" aria-label="Zoom out">−</button>
  <button type="button" data-zoom="1e9">Reset</button>
  <label class="marks"><input type="checkbox" checked> <span></span></label>
  <span class="hint">Click a map to pick a cell; from then on the wheel zooms (Esc ends it). Drag to move.
    Keys: arrows, +&nbsp;−&nbsp;0, Enter.</span>
</div>
<div class="grid"></div>
<template><figure>
  <figcaption><span></span><button type="button">SVG</button><button type="button">PNG</button>
    <button type="button">Caption</button></figcaption>
  <canvas tabindex="0" role="application"></canvas><output></output><small></small>
</figure></template>
"""


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
        return self.names[at] if self.every else f"{self.names[at]} {at}"


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


@dataclass(frozen=True)
class Visit:
    """A pair (row, column) that the maps are to show, and the how manyth such wish it is."""

    pair: tuple[int, int]
    turn: int


def matrix_canvas(
    panels: Sequence[Panel],
    rows: Axis,
    columns: Axis | None = None,
    *,
    key: str,
    caption: Caption,
    visit: Visit | None = None,
    on_pick: Callable[[int, int], None] | None = None,
) -> tuple[int, int] | None:
    """Show one to six maps of the same rows and columns; all zoom, move and point together.

    `panels[k].values` is (rows, columns); `columns`: where they are not the rows again. `caption`: what stands in saved
    figures. `visit`: a pair to go to. `on_pick`: what to do with a row and a column that are picked, before the page runs
    again.
    Returns the (row, column) picked last by a click or Enter, None before that or where the maps have become too small for
    it. A pick and the viewport belong to `key`: the viewport starts afresh with other names, the pick does not, so put the
    text's identity into the key to forget it.

    What the pointer reads out is rounded as in `quantise`.
    """
    shape = len(rows.names), len((columns or rows).names)
    if not 1 <= len(panels) <= MAX_PANELS:
        raise ValueError(f"1 to {MAX_PANELS} panels can be shown, not {len(panels)}.")
    if 0 in shape or any(panel.values.shape != shape for panel in panels):
        raise ValueError(f"Every panel needs {shape} values, as many as names, and one name at least.")
    codes = [quantise(_square(np.asarray(panel.values, float))) for panel in panels]
    header = {
        "rows": asdict(rows),
        "columns": columns and asdict(columns),
        "panels": [
            _panel_data(panel, code, rows, columns, alone=len(panels) == 1)
            for panel, code in zip(panels, codes, strict=True)
        ],
        "visit": visit and asdict(visit),
        "about": {"note": caption.note, "source": caption.source},
        "ramps": {panel.scheme: _ramps(panel.scheme) for panel in panels},
    }

    def inside(picked: Sequence[float] | None) -> tuple[int, int] | None:
        at = (int(picked[0]), int(picked[1])) if picked else None
        return at if at and 0 <= at[0] < shape[0] and 0 <= at[1] < shape[1] else None

    def told() -> None:
        if on_pick and (at := inside(st.session_state[key].get("picked"))):
            on_pick(*at)

    return inside(_component(key=key, data=packed(header, *codes), on_picked_change=told).get("picked"))


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


def _panel_data(panel: Panel, codes: Codes, rows: Axis, columns: Axis | None, alone: bool) -> dict[str, Any]:
    values = np.asarray(panel.values, float)
    finite = np.isfinite(values)
    low, high = panel.cut or colour_cut([values], panel.scheme)
    least, most = codes.range
    width = high - low or 1.0
    given = [] if alone else ["on both maps"]
    rules = given if panel.cut else ["0.5 and 99.5 percentiles off the diagonal"]
    rules += ["symmetric about 0"] if panel.scheme == "diverging" else []
    rule = f" ({', '.join(rules)})" if rules else ""
    note = (
        f"Colours cut at {_short(low, width)} and {_short(high, width)}{rule}; values run from {_short(least, width)} to "
        f"{_short(most, width)}.{'' if finite.all() else ' Blank: no value.'}"
    )
    if not finite.any():
        note = "No value to show."
    ends = [f"{'≤ ' if least < low else ''}{_short(low, width)}", f"{'≥ ' if most > high else ''}{_short(high, width)}"]
    if not 0 <= panel.marks.min(initial=0) <= panel.marks.max(initial=0) < len(values):
        raise ValueError(f"Marks must be (M, 2) pairs of positions below {len(values)}.")
    return {
        "title": panel.title,
        "described": _described(panel.title, values, rows, columns, width),
        "marks": panel.marks.tolist(),
        "scheme": panel.scheme,
        "sides": panel.sides,
        "cut": [low, high],
        "ends": ends,
        "note": note,
    }


def _square(values: np.ndarray) -> np.ndarray:
    """The same with blank cells below or to the right."""
    n = max(values.shape)
    return np.pad(values, [(0, n - length) for length in values.shape], constant_values=np.nan)


def _described(title: str, values: np.ndarray, rows: Axis, columns: Axis | None, width: float) -> str:
    """A map in a sentence: its size, and its least and largest value with their names; of one axis, off the diagonal."""
    among = values if columns else np.where(np.eye(len(values), dtype=bool), np.nan, values)
    across = columns or rows
    if not np.isfinite(among).any():
        return f"{title}: no value to show."
    ends = [divmod(int(at), values.shape[1]) for at in (np.nanargmin(among), np.nanargmax(among))]
    told = " to ".join(f"{_short(values[i, j], width)} ({rows.called(i)}, {across.called(j)})" for i, j in ends)
    size = f"{len(rows.names)} {rows.of}" if columns else str(len(rows.names))
    return f"{title}: {size} by {len(across.names)} {across.of}, from {told}."


def _short(value: float, width: float) -> str:
    """To a thousandth of `width` or so, for reading: on a scale up to 0.07 a minimum of 4e-30 is 0."""
    return f"{round(value, 2 - floor(log10(width))) + 0.0:.6g}"  # + 0.0: never -0


def _ramps(scheme: Scheme) -> dict[str, list[int]]:
    """256 opaque pixels as a canvas of the browser stores them, for light and for dark pages."""
    pixel = np.array([1, 1 << 8, 1 << 16])
    return {page: (ramp(anchors) @ pixel + (255 << 24)).tolist() for page, anchors in ANCHORS[scheme].items()}


_component = registered("matrix_canvas", _HTML, "packed.js", "matrix_drawing.js", "matrix_pointing.js", "matrix_figure.js")
