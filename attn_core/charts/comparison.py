"""Subjects against each other: curves over relative depth, differences, the match of heads."""

import altair as alt
import pandas as pd

from attn_core.charts.curve import Across, curve
from attn_core.charts.described import between_heads, number
from attn_core.charts.head_map import head_map
from attn_core.charts.style import A, B, tip
from attn_core.charts.word_grid import BLANK_CELLS, Shade, around_zero, printed, rising
from attn_core.head import Head
from attn_core.measures.statistics import Statistic

# Of the first two subjects those of heads A and B everywhere; all hold on white and on black.
COLOURS = [A, B, "#12946b", "#c2489b", "#8a6d1f", "#7c3aed", "#1490a8", "#b4423c"]
DEPTH = Across(
    "depth:Q", "depth (0: first layer, 1: last)", alt.Axis(tickCount=5), alt.Scale(domain=[0, 1], nice=False, padding=8)
)


def depth_curves(curves: pd.DataFrame, statistic: Statistic) -> alt.LayerChart:
    """A statistic by relative depth, a line a subject, its chance dashed in its colour.

    curves: the rows of that statistic, as of `comparison.subjects.curves`.
    """
    data = curves.rename(columns={"value": statistic.name, "chance": statistic.chance})
    colours = dict(zip(dict.fromkeys(curves["subject"]), COLOURS, strict=False))
    return curve(data, DEPTH, statistic, by="subject", colours=colours, own_chance=True)


def value_map(
    heads: pd.DataFrame, column: str, statistic: Statistic, limit: float, blank: bool = False
) -> alt.LayerChart:
    """Layers x heads coloured by a column around zero, one scale for maps side by side; the number in the cell.

    heads: layer, head, the column. limit: where the colours end. blank: without colours, since pairs are too few.
    """
    words = column.replace("_", " ")
    data = heads[["layer", "head", column]].assign(word=printed(heads[column], statistic.format.replace(".1%", ".0%")))
    shade: Shade = BLANK_CELLS if blank else around_zero(data[column], words, statistic.format, limit)
    tooltip = f"{statistic.label.lower()}, {words}: from {between_heads(data, column, number)}"
    return head_map(data, shade, [tip(f"{column}:Q", statistic.format)], tooltip, clicked=False)


def best_match_map(matches: pd.DataFrame) -> alt.LayerChart:
    """Layers x heads of A: in each cell the head of B most like it, coloured by how alike; a dash: not above chance.

    matches: as of `comparison.match.HeadMatch.table`.
    """
    best = [str(Head.of_row(*head)) for head in zip(matches["best_layer"], matches["best_head"], strict=True)]
    words = [name if above else "–" for name, above in zip(best, matches["above_chance"], strict=True)]
    tooltip = [
        tip("best:N", title="most like it"), tip("correlation:Q", ".2f"), tip("chance_correlation:Q", ".2f", "chance"),
        tip("mutual:N", title="each other's best"),
    ]  # fmt: skip
    return head_map(
        matches.assign(best=best, word=words),
        rising(matches["correlation"], 1, "rank correlation; –: not above chance", ".1f"),
        tooltip,
        "the head of B most like each head of A, rank correlation from "
        f"{between_heads(matches, 'correlation', number)}; chance {matches['chance_correlation'].iloc[0]:.2f}",
    )
