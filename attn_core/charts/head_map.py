"""The map of all heads: a row a layer, a column a head; A and B framed, a click selects."""

from collections.abc import Sequence

import altair as alt
import pandas as pd

from attn_core.charts.marks import IS_A, IS_B
from attn_core.charts.style import A, B, tip
from attn_core.charts.word_grid import Shade, word_grid


def head_map(
    heads: pd.DataFrame,
    shade: Shade,
    tooltip: Sequence[alt.Tooltip],
    description: str,
    under: Sequence[alt.Chart] = (),
    over: Sequence[alt.Chart] = (),
    clicked: bool = True,
) -> alt.LayerChart:
    """Layers x heads. heads: layer, head, word (of the cell) and what shade and tooltip name.

    description: what the map shows, for who cannot see it. clicked: whether cells are of the heads that a page selects.
    """
    layers, across = heads["layer"].nunique(), heads["head"].nunique()
    return word_grid(
        heads,
        "head",
        "layer",
        shade,
        [tip("layer:O"), tip("head:O"), *tooltip],
        f"Map of {layers} layers by {across} heads: {description}.",
        titles=("head", "layer"),
        select=("layer", "head") if clicked else (),
        under=under,
        over=[chart.encode(x="head:O", y="layer:O") for chart in (*over, *(_frames() if clicked else ()))],
    )


def _frames() -> list[alt.Chart]:
    """Frames around the cells of A and B: the head's colour on a dark ground."""
    return [
        alt.Chart().transform_filter(here).mark_rect(fill=None, stroke=stroke, strokeWidth=width)
        for here, colour in ((IS_A, A), (IS_B, B))
        for stroke, width in (("#111827", 5), (colour, 2.5))
    ]
