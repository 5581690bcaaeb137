"""The map of all heads, and the crop of a similarity matrix around one pair."""

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from attn_core.charts.described import between, between_heads, chance_of, grid, number
from attn_core.charts.marks import LEGEND, click, frames, gradient, head_grid, in_cells, longest, map_height, shading
from attn_core.charts.style import CLICKED, above, diverging, layered, tip
from attn_core.measures.anchors import shown_anchors
from attn_core.measures.few_pairs import too_few
from attn_core.measures.repetition import shown_repetitions
from attn_core.measures.statistics import Statistic
from attn_core.texts.token_names import readable

CROP_HEIGHT = 560  # pixels: room for square cells as wide as half a page, names above them, the legend below


def head_map(heads: pd.DataFrame, statistic: Statistic) -> alt.LayerChart:
    """Layers x heads, coloured by a statistic minus its chance level, the value printed in the cell.

    Clicking a cell selects it: parameter "cell" with the fields layer and head. Heads A and B of `Marked` are framed.
    """
    excess = heads[statistic.name] - heads[statistic.chance]
    data = heads[["layer", "head", statistic.name, statistic.chance, "role"]].assign(
        excess=excess.clip(lower=0) if statistic.only_above else excess,
        anchor=shown_anchors(heads),
        repeated_tokens=shown_repetitions(heads),
    )
    limit = float(data["excess"].abs().max()) or 1.0
    base = head_grid(
        data,
        tip(f"{statistic.name}:Q", statistic.format, statistic.label),
        tip(f"{statistic.chance}:Q", statistic.format, "chance"),
        tip("role:N"),
        tip("anchor:N"),
        tip("repeated_tokens:N", title="repeats"),
    )
    grey = "above chance; grey: not above" if statistic.only_above else "minus chance"
    legend = gradient(f"colour: {statistic.label.lower()} {grey}", statistic.format)
    blank = statistic.of_pairs and too_few(heads)
    colour, words = shading("excess", limit, legend, above if statistic.only_above else diverging, blank)
    form = statistic.format.replace(".1%", ".0%")
    numbers = in_cells(base, data["head"].nunique(), longest(data[statistic.name], form), cursor="pointer")
    numbers = numbers.encode(text=alt.Text(f"{statistic.name}:Q", format=form), color=words)
    told = between_heads(heads, statistic.name, statistic.text)
    return layered(
        [base.mark_rect(**CLICKED).encode(color=colour).add_params(click()), numbers, *frames(data)],
        height=map_height(data) + LEGEND,
        description=f"Map of {grid(data)}: {statistic.label.lower()}, from {told}; {chance_of(heads, statistic)}"
        f"{'; no colours: too few strong pairs' if blank else ''}.",
    )


def matrix_crop(
    values: np.ndarray,
    tokens: list[str],
    start_row: int,
    start_column: int,
    label: str,
    colours: Sequence[str],
    cut: tuple[float, float],
    picked: tuple[int, int],
) -> alt.LayerChart:
    """A part of a token x token matrix with its tokens written out, the picked pair (row, column) outlined.

    values: (rows, columns), tokens: all N tokens. colours: evenly spaced from the first value of cut to the second.
    Cells are square, as large as the figure's width allows; names for which there is no room are left out, never drawn over
    each other.
    """
    rows, columns = np.indices(values.shape).reshape(2, -1) + np.array([[start_row], [start_column]])
    names = np.array([f"{position} {readable(token)}" for position, token in enumerate(tokens)], dtype=object)
    data = pd.DataFrame(
        {"row": names[rows], "column": names[columns], "first": rows, "second": columns, "value": values.ravel()}
    )
    low, high = cut
    scale = alt.Scale(
        domain=np.linspace(low, high if high > low else low + 1, len(colours)).tolist(), range=list(colours), clamp=True
    )
    side = f"min(width / {values.shape[1]}, height / {values.shape[0]})"
    axis: dict[str, Any] = {"labelOverlap": "parity", "labelLimit": 80, "labelPadding": 4}
    x = alt.X(
        "column:N",
        sort=alt.SortField("second"),
        title="token (column); red: the picked pair",
        scale=alt.Scale(range=[0, alt.ExprRef(f"{values.shape[1]} * {side}")]),
        axis=alt.Axis(labelAngle=-90, orient="top", **axis),
    )
    y = alt.Y(
        "row:N",
        sort=alt.SortField("first"),
        title="token (row)",
        scale=alt.Scale(range=[0, alt.ExprRef(f"{values.shape[0]} * {side}")]),
        axis=alt.Axis(**axis),
    )
    cells = alt.Chart(data).mark_rect()
    cells = cells.encode(
        x=x,
        y=y,
        color=alt.Color("value:Q", scale=scale, legend=gradient(label)),
        tooltip=[tip("row:N"), tip("column:N"), tip("value:Q", ".4g", label)],
    )
    here = data[(data["first"] == picked[0]) & (data["second"] == picked[1])]
    frame = alt.Chart(here).mark_rect(fill=None, stroke="#ef4444", strokeWidth=3).encode(x=x, y=y)
    pairs = data["row"] + " and " + data["column"]
    return layered(
        [cells, frame],
        height=CROP_HEIGHT,
        description=f"{label.capitalize()} of tokens {start_row} to {start_row + values.shape[0] - 1} (rows) and "
        f"{start_column} to {start_column + values.shape[1] - 1} (columns): from "
        f"{between(data['value'], pairs, number)}.",
    )
