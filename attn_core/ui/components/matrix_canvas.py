"""Up to four maps of the same rows and columns in the browser, under one viewport and one crosshair.

A Streamlit component (`st.components.v2`): this file hands over what `matrix_panel` makes of the numbers, `matrix_canvas.js`
shows them, `matrix_drawing.js` draws a map, `matrix_pointing.js` hears the reader, `matrix_canvas.css` lays them out,
`matrix_figure.js` makes figures of them. It is registered once, when the module is imported.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import numpy as np
import streamlit as st

from attn_core.charts.style import ANCHORS, Scheme, ramp
from attn_core.ui.components.matrix_panel import (
    SIDE,
    Axis,
    Panel,
    block_of,
    panel_data,
    part_at,
    raster_in_words,
    rastered,
)
from attn_core.ui.components.packed import packed, quantise, registered

MAX_PANELS = 4

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
  <figcaption><span></span><button type="button">SVG</button><button type="button">PNG</button></figcaption>
  <canvas tabindex="0" role="application"></canvas><output></output><small></small>
</figure></template>
"""


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
    visit: Visit | None = None,
    on_pick: Callable[[int, int], None] | None = None,
) -> tuple[int, int] | None:
    """Show one to four maps of the same rows and columns; all zoom, move and point together.

    `panels[k].values` is (rows, columns); `columns`: where they are not the rows again. `visit`: a pair to go to.
    `on_pick`: what to do with a row and a column that are picked, before the page runs again.
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
    n = max(shape)
    whole = [rastered(_square(np.asarray(panel.values, float))) for panel in panels]
    # The part of a map of n x n cells around which the reader has zoomed in; None where all is shown as it is.
    looked = st.session_state.get(key, {}).get("looked") if block_of(n) > 1 else None
    part = part_at((float(looked[0]), float(looked[1])), n) if looked else None
    codes = [quantise(values) for values in whole]
    details = [quantise(_square(np.asarray(panel.values, float))[part]) for panel in panels] if part else []
    header = {
        "rows": asdict(rows.as_read()),
        "columns": columns and asdict(columns.as_read()),
        "panels": [
            one | {"note": one["note"] + raster_in_words(n)}
            for panel in panels
            for one in [panel_data(panel, _ends(panel.values), rows, columns, alone=len(panels) == 1)]
        ],
        "block": block_of(n),
        "of_block": f"maximum of {block_of(n)} x {block_of(n)} cells",
        "detail": part and [part[0].start, part[1].start, part[0].stop - part[0].start],
        "fine": SIDE,
        "visit": visit and asdict(visit),
        "ramps": {panel.scheme: _ramps(panel.scheme) for panel in panels},
    }

    def inside(picked: Sequence[float] | None) -> tuple[int, int] | None:
        at = (int(picked[0]), int(picked[1])) if picked else None
        return at if at and 0 <= at[0] < shape[0] and 0 <= at[1] < shape[1] else None

    def report() -> None:
        if on_pick and (at := inside(st.session_state[key].get("picked"))):
            on_pick(*at)

    data = packed(header, *codes, *details)
    looks = {"on_looked_change": _nothing} if block_of(n) > 1 else {}
    return inside(_component(key=key, data=data, on_picked_change=report, **looks).get("picked"))


def _nothing() -> None:
    """That the reader looks at another part has the page run again; nothing is to be done before."""


def _ends(values: np.ndarray) -> tuple[float, float]:
    """The least and the largest value, 0 where there is none."""
    finite = np.asarray(values, float)[np.isfinite(values)]
    return (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)


def _square(values: np.ndarray) -> np.ndarray:
    """The same with blank cells below or to the right."""
    n = max(values.shape)
    return np.pad(values, [(0, n - length) for length in values.shape], constant_values=np.nan)


def _ramps(scheme: Scheme) -> dict[str, list[int]]:
    """256 opaque pixels as a canvas of the browser stores them, for light and for dark pages."""
    pixel = np.array([1, 1 << 8, 1 << 16])
    return {page: (ramp(anchors) @ pixel + (255 << 24)).tolist() for page, anchors in ANCHORS[scheme].items()}


_component = registered(
    "matrix_canvas", _HTML, "packed.js", "matrix_drawing.js", "matrix_pointing.js", "matrix_figure.js"
)
