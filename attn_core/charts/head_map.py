"""Maps of all heads, one row per layer; A and B are framed, and a click selects a head."""

from collections.abc import Sequence
from typing import Any

import altair as alt
import pandas as pd

from attn_core.charts.descriptions import printed
from attn_core.charts.role_words import shown_anchors, shown_repetitions
from attn_core.charts.style import A_AND_B, letters, tip
from attn_core.charts.word_grid import BLANK_CELLS, Shade, above_zero, around_zero, rising, word_grid
from attn_core.head import Head
from attn_core.measures.few_pairs import too_few
from attn_core.measures.statistics import Statistic


def head_map(
    heads: pd.DataFrame,
    shade: Shade,
    tooltip: Sequence[alt.Tooltip],
    over: Sequence[alt.Chart] = (),
    clicked: bool = True,
    said: str = "",
) -> alt.LayerChart:
    """Grid of layers x heads with a colour and a word per cell.

    heads: layer, head, word and the columns of shade and tooltip. over: charts drawn above the cells. clicked: whether
    a click selects a head, and A and B are framed. said: see `layered`.
    """
    framed = [
        alt.Chart().transform_filter(here).mark_rect(fill=None, stroke=stroke, strokeWidth=width)
        for _, here, colour in A_AND_B
        for stroke, width in (("#111827", 5), (colour, 2.5))  # the head's colour on a dark ground
        if clicked
    ]
    corner: dict[str, Any] = {"x": alt.X("head:O", bandPosition=0), "y": alt.Y("layer:O", bandPosition=0)}
    return word_grid(
        heads, "head", "layer", shade, [tip("layer:O"), tip("head:O"), *tooltip],
        titles=("head", "layer"),
        select=("layer", "head") if clicked else (),
        over=[
            *(chart.encode(x=alt.X("head:O"), y=alt.Y("layer:O")) for chart in [*over, *framed]),
            *(mark.encode(**corner) for mark in (letters(right=6, down=6) if clicked else ())),
        ],
        said=said,
    )  # fmt: skip


def statistic_map(heads: pd.DataFrame, statistic: Statistic, chance: str = "chance") -> alt.LayerChart:
    """Map of a statistic minus its chance level, with the value in each cell.

    heads: the table heads. chance: what the chance level is of, such as the untrained copy.
    """
    excess = heads[statistic.name] - heads[statistic.chance]
    data = heads[["layer", "head", statistic.name, statistic.chance, "role"]].assign(
        excess=excess.clip(lower=0) if statistic.only_above else excess,
        word=_rounded(heads[statistic.name], statistic),
        anchor=shown_anchors(heads),
        repeated_tokens=shown_repetitions(heads),
    )
    blank, label = statistic.of_pairs and too_few(heads), statistic.label.lower()
    if blank or excess.isna().all():
        shade = BLANK_CELLS
    elif statistic.only_above:
        shade = above_zero(data["excess"], f"colour: {label} above {chance}; grey: not above", statistic.axis_format)
    else:
        shade = around_zero(data["excess"], f"colour: {label} minus {chance}", statistic.axis_format)
    tooltip = [
        tip(f"{statistic.name}:Q", statistic.format, statistic.label),
        tip(f"{statistic.chance}:Q", statistic.format, chance),
        tip("role:N"), tip("anchor:N"), tip("repeated_tokens:N", title="repeats"),
    ]  # fmt: skip
    return head_map(data, shade, tooltip, said="no colours: too few strong pairs" * blank)


def value_map(heads: pd.DataFrame, column: str, statistic: Statistic, limit: float = 0.0) -> alt.LayerChart:
    """Map of differences with diverging colours.

    heads: layer, head, the column of the values, few (whether there are too few pairs to colour heads by). limit: the
    largest absolute value, by default that of the data.
    """
    words = column.replace("_", " ")
    data = heads[["layer", "head", column]].assign(word=_rounded(heads[column], statistic))
    shade = BLANK_CELLS if heads["few"].any() else around_zero(data[column], words, statistic.axis_format, limit)
    return head_map(data, shade, [tip(f"{column}:Q", statistic.format)], clicked=False)


def best_match_map(matches: pd.DataFrame) -> alt.LayerChart:
    """Map of the best match in B of each head of A; a dash if the match is not above chance.

    matches: the table of `comparison.match.HeadMatch.table`.
    """
    best = [str(Head.of_row(*head)) for head in zip(matches["best_layer"], matches["best_head"], strict=True)]
    words = [name if above else "–" for name, above in zip(best, matches["above_chance"], strict=True)]
    tooltip = [
        tip("best:N", title="most like it"), tip("correlation:Q", ".2f"), tip("chance_correlation:Q", ".2f", "chance"),
        tip("mutual:N", title="each other's best"),
    ]  # fmt: skip
    shade = rising(matches["correlation"], 1, "rank correlation; –: not above chance", ".1f")
    return head_map(matches.assign(best=best, word=words), shade, tooltip)


def _rounded(values: pd.Series, statistic: Statistic) -> list[str]:
    """Values for cells: without the decimal of a format with one, and a dash for removed heads."""
    words = printed(values, statistic.format.replace(".1", ".0"))
    return [word or "–" for word in words] if any(words) else words
