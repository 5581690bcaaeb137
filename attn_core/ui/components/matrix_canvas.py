"""Maps of the same rows and columns in the browser, under one viewport and one crosshair.

A Streamlit component (`st.components.v2`): this file hands over what `matrix_panel` makes of the numbers, `matrix_canvas.js`
shows them, `matrix_drawing.js` draws a map, `matrix_pointing.js` hears the reader. It is registered once, when the module is
imported.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import numpy as np
import streamlit as st

from attn_core.charts.style import ANCHORS, Scheme, ramp
from attn_core.ui.components.matrix_panel import Axis, Panel, block_of, panel_data, rastered
from attn_core.ui.components.packed import packed, quantise, registered

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
    """Show maps of the same rows and columns; all zoom, move and point together.

    `panels[k].values` is (rows, columns); `columns`: where they are not the rows again. `visit`: a pair to go to.
    `on_pick`: what to do with a row and a column that are picked, before the page runs again.
    Returns the (row, column) picked last by a click or Enter, None before that or where the maps have become too small for
    it. A pick and the viewport belong to `key`: the viewport starts afresh with other names, the pick does not, so put the
    text's identity into the key to forget it.

    What the pointer reads out is rounded as in `quantise`.
    """
    shape = len(rows.names), len((columns or rows).names)
    if 0 in shape or any(panel.values.shape != shape for panel in panels):
        raise ValueError(f"Every panel needs {shape} values, as many as names, and one name at least.")
    header = {
        "rows": rows.as_read(),
        "columns": columns and columns.as_read(),
        "panels": [panel_data(panel, rows, columns) for panel in panels],
        "block": block_of(max(shape)),
        "visit": visit and asdict(visit),
        "ramps": {panel.scheme: _ramps(panel.scheme) for panel in panels},
    }

    def inside(picked: Sequence[float] | None) -> tuple[int, int] | None:
        at = (int(picked[0]), int(picked[1])) if picked else None
        return at if at and 0 <= at[0] < shape[0] and 0 <= at[1] < shape[1] else None

    def report() -> None:
        if on_pick and (at := inside(st.session_state[key].get("picked"))):
            on_pick(*at)

    data = packed(header, *(quantise(rastered(_square(np.asarray(panel.values, float)))) for panel in panels))
    return inside(_component(key=key, data=data, on_picked_change=report).get("picked"))


def _square(values: np.ndarray) -> np.ndarray:
    """The same with blank cells below or to the right."""
    n = max(values.shape)
    return np.pad(values, [(0, n - length) for length in values.shape], constant_values=np.nan)


def _ramps(scheme: Scheme) -> dict[str, list[int]]:
    """256 opaque pixels as a canvas of the browser stores them, for light and for dark pages."""
    pixel = np.array([1, 1 << 8, 1 << 16])
    return {page: (ramp(anchors) @ pixel + (255 << 24)).tolist() for page, anchors in ANCHORS[scheme].items()}


_component = registered("matrix_canvas", _HTML, "packed.js", "matrix_drawing.js", "matrix_pointing.js")
