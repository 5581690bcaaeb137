"""What maps of heads share: a click that chooses a head, and frames around the heads A and B."""

from collections.abc import Sequence
from typing import Any

import altair as alt
import pandas as pd

from attn_core.charts.marked import IS_A, IS_B
from attn_core.charts.style import AXES, CELL, A, B, tip
from attn_core.head import Head

SELECTION = "cell"  # the name of the selection that a click makes; its fields are layer and head
LEGEND = 96  # pixels that a legend below a map takes


def head_grid(data: pd.DataFrame, *told: alt.Tooltip) -> alt.Chart:
    """A row a layer, a column a head, for marks that fill the cells; under the pointer layer, head, and what is told."""
    return alt.Chart(data).encode(
        x=alt.X("head:O", title="head", axis=alt.Axis(labelAngle=0, orient="top")),
        y=alt.Y("layer:O", title="layer"),
        tooltip=[tip("layer:O"), tip("head:O"), *told],
    )


def click() -> alt.Parameter:
    """A click chooses the head under the pointer."""
    return alt.selection_point(name=SELECTION, fields=["layer", "head"], on="click", empty=False)


def among(data: pd.DataFrame, heads: Sequence[Head]) -> list[bool]:
    """Which rows are of some heads; all where there are none."""
    rows = {head.row for head in heads}
    return [not rows or row in rows for row in zip(data["layer"], data["head"], strict=True)]


def map_height(data: pd.DataFrame) -> int:
    """Pixels for a layers x heads map: a row a layer, and the axis above."""
    return AXES + CELL * data["layer"].nunique()


def with_tokens(data: pd.DataFrame) -> pd.DataFrame:
    """Adds to heads with an anchor what `tokens_in_cells` draws: a lone dot or comma between marks unlike either."""
    is_mark = [bool(token) and not any(map(str.isalnum, token)) for token in data["anchor"]]
    shown = [f"‹{token}›" if mark else token or "–" for token, mark in zip(data["anchor"], is_mark, strict=True)]
    return data.assign(shown=shown, is_mark=is_mark)


def tokens_in_cells(base: alt.Chart, data: pd.DataFrame, **look: Any) -> alt.Chart:
    """The token of every head in its cell, punctuation large; a dash where there is none. data: as of `with_tokens`."""
    across = data["head"].nunique()
    return base.mark_text(
        fontSize=alt.ExprRef(f"max(9, min(12, width / {4 * across})) * (datum.is_mark ? 1.6 : 1)"),
        fontWeight=alt.ExprRef("datum.is_mark ? 'bold' : 'normal'"),
        limit=alt.ExprRef(f"width / {across} - 3"),
        **look,
    ).encode(text="shown:N")


def gradient(title: str, form: str = "", expression: str | None = None) -> alt.Legend:
    """A legend below a map, where it takes no width from the cells; its numbers in a format, or by an expression."""
    legend = alt.Legend(
        title=title, titleLimit=320, orient="bottom", direction="horizontal", gradientLength=220, tickCount=5
    )
    legend["labelExpr" if expression else "format"] = expression or form
    return legend


def letters(data: pd.DataFrame) -> list[alt.Chart]:
    """A ring around the point of A and of B, and the letter beside it; to be encoded with the points' places."""
    return [
        mark
        for which, here, stroke in (("A", IS_A, A), ("B", IS_B, B))
        for chart in [alt.Chart(data).transform_filter(here)]
        for mark in (
            chart.mark_point(size=330, shape="circle", filled=False, stroke=stroke, strokeWidth=3, opacity=1),
            chart.mark_text(align="right", dx=-12, fontSize=14, fontWeight="bold", color=stroke, text=which),
        )
    ]


def frames(data: pd.DataFrame) -> list[alt.Chart]:
    """Frames around the cells of A and B on a layers x heads map: the head's colour on a dark ground."""
    here = alt.Chart(data).transform_filter(f"({IS_A}) || ({IS_B})").encode(x="head:O", y="layer:O")
    return [
        here.mark_rect(fill=None, stroke="#111827", strokeWidth=5),
        here.mark_rect(fill=None, strokeWidth=2.5).encode(stroke=alt.condition(IS_A, alt.value(A), alt.value(B))),
    ]
