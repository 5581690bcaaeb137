"""How far heads reach: curves over layers, distributions of distances, sensitivity to the share of pairs."""

from collections.abc import Mapping
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from attn_core.charts.copies import NO_COPIES, copies_in_words, copy_lines
from attn_core.charts.described import between, between_heads, by_layer, chance_of, share, times
from attn_core.charts.marks import GRADIENT, LEGEND, click, in_cells, letters, longest
from attn_core.charts.style import ACCENT, AXES, CHANCE, DASHED, POINT, diverging, ink, layered, tip
from attn_core.head import Head
from attn_core.measures.anchors import shown_anchors
from attn_core.measures.statistics import Statistic
from attn_core.similarity.words import Unit

BINS = alt.Axis(labelAngle=-40, labelOverlap=False)
DOUBLINGS = "datum.value < 0 ? '1/' + format(pow(2, -datum.value), 'd') : format(pow(2, datum.value), 'd')"


def layer_curve(
    heads: pd.DataFrame,
    layers: pd.DataFrame,
    statistic: Statistic,
    ringed: bool = False,
    copies: Mapping[str, pd.DataFrame] = NO_COPIES,
) -> alt.LayerChart:
    """A statistic by layer: every head a point, the layer's mean a line, chance dashed, copies of the model grey.

    The mean lies in its 95 % band where the layers have one (columns `<statistic>_low` and `_high`). Clicking a point
    selects its head. ringed: whether the heads A and B of `Marked` are marked. copies: as of `copy_lines`.
    """
    x = alt.X("layer:O", title="layer; points: heads, line: their mean, dashed: chance", axis=alt.Axis(labelAngle=0))
    y = alt.Y(f"{statistic.name}:Q", title=statistic.axis_title, axis=alt.Axis(format=statistic.axis_format))

    def number(column: str, title: str) -> alt.Tooltip:
        return tip(f"{column}:Q", statistic.format, title)

    places: dict[str, Any] = {"x": x, "y": y, "xOffset": alt.XOffset("head:O", scale=alt.Scale(paddingOuter=1))}
    named = {"anchor": shown_anchors(heads), "role": heads["role"]} if "role" in heads else {}
    told = [
        tip("layer:O"),
        tip("head:O"),
        number(statistic.name, statistic.label),
        *(tip(f"{name}:N") for name in named),
    ]
    shown = heads[["layer", "head", statistic.name]].assign(**named)
    points = alt.Chart(shown).mark_circle(size=44, opacity=1, color=POINT, cursor="pointer")
    low, high = statistic.bounds
    banded = low in layers
    interval = [number(low, "95% from"), number(high, "to")] if banded else []
    mean = alt.Chart(layers).mark_line(color=ACCENT, strokeWidth=3, point=alt.OverlayMarkDef(size=90, color=ACCENT))
    mean = mean.encode(
        x=x,
        y=y,
        tooltip=[
            tip("layer:O"),
            number(statistic.name, "mean of the heads"),
            *interval,
            number(statistic.chance, "chance"),
        ],
    )
    band = alt.Chart(layers).mark_area(color=ACCENT, opacity=0.3).encode(x=x, y=f"{low}:Q", y2=f"{high}:Q")
    chance = alt.Chart(layers).mark_line(**DASHED).encode(x=x, y=f"{statistic.chance}:Q")
    rings = [mark.encode(**places) for mark in letters(shown)] if ringed else []
    pointed = points.encode(**places, tooltip=told).add_params(click())
    return layered(
        [pointed, *([band] if banded else []), chance, *copy_lines(copies, statistic, x), mean, *rings],
        height=320,
        description=f"{statistic.label} by layer, mean of the heads: {by_layer(layers, statistic.name, statistic.text)}; "
        f"{chance_of(layers, statistic)}{copies_in_words(copies, statistic)}. "
        f"Single heads: {between_heads(heads, statistic.name, statistic.text)}.",
    )


def distances_at_a_glance(binned: pd.DataFrame, of: Unit) -> alt.LayerChart:
    """Layers x distance: how many times more often than chance strong pairs have that distance (doublings as colour).

    of: what distances count.
    """
    data = binned.assign(doublings=np.log2(binned["ratio"].clip(lower=2**-4)))
    limit = float(np.ceil(data["doublings"].abs().max())) or 1.0
    base = alt.Chart(data).encode(
        x=alt.X("distance:N", sort=alt.SortField("start"), title=f"distance ({of})", axis=BINS),
        y=alt.Y("layer:O", title="layer"),
        tooltip=[
            tip("layer:O"),
            tip("distance:N"),
            tip("share:Q", ".1%", "share of strong pairs"),
            tip("chance_share:Q", ".1%", "chance"),
            tip("ratio:Q", ".2f", "times chance"),
        ],
    )
    colour = alt.Color(
        "doublings:Q",
        scale=diverging(limit),
        legend=alt.Legend(
            title="times chance",
            orient="bottom",
            direction="horizontal",
            labelExpr=DOUBLINGS,
            gradientLength=GRADIENT,
            tickMinStep=1,
        ),
    )
    numbers = in_cells(base, data["distance"].nunique(), longest(data["ratio"], ".1f"))
    numbers = numbers.encode(text=alt.Text("ratio:Q", format=".1f"), color=ink("doublings", limit))
    height = AXES + LEGEND + 28 * data["layer"].nunique()
    names = "layer " + data["layer"].astype(str) + " at " + data["distance"] + f" {of}"
    return layered(
        [base.mark_rect().encode(color=colour), numbers],
        height=height,
        description="How many times more often than chance strong pairs have a distance, by layer: from "
        f"{between(data['ratio'], names, times)}; chance is 1.",
    )


def distance_distribution(binned: pd.DataFrame, of: Unit) -> alt.LayerChart:
    """One head: share of its strong pairs by distance as bars, chance as ticks. binned: its rows; of: as above."""
    x = alt.X("distance:N", sort=alt.SortField("start"), title=f"distance ({of}); grey: chance", axis=BINS)
    tooltip = [tip("distance:N"), tip("share:Q", ".1%"), tip("chance_share:Q", ".1%", "chance")]
    bars = alt.Chart(binned).mark_bar(color=ACCENT, opacity=0.85)
    bars = bars.encode(
        x=x, y=alt.Y("share:Q", title="share of strong pairs", axis=alt.Axis(format="%")), tooltip=tooltip
    )
    chance = alt.Chart(binned).mark_tick(color=CHANCE, thickness=3, width=alt.RelativeBandSize(0.7))
    chance = chance.encode(x=x, y="chance_share:Q", tooltip=tooltip)
    most = binned.loc[binned["share"].idxmax()]
    return layered(
        [bars, chance],
        height=260,
        description=f"Strong pairs of {Head.of_row(most['layer'], most['head'])} by distance: the most, "
        f"{share(most['share'])}, are {most['distance']} {of} apart; chance {share(most['chance_share'])}.",
    )


def share_sensitivity(curves: pd.DataFrame, statistic: Statistic, chosen: float) -> alt.LayerChart:
    """A statistic by layer for several shares q; columns share, layer and the statistic. The chosen share is thick."""
    # All digits: shares that read alike would be one line.
    percent = [f"{100 * share:.6g}%" for share in curves["share"]]
    data = curves.assign(percent=percent, chosen=curves["share"] == chosen)
    lines = alt.Chart(data).mark_line(point=True)
    lines = lines.encode(
        x=alt.X("layer:O", title="layer; dashed: chance", axis=alt.Axis(labelAngle=0)),
        y=alt.Y(f"{statistic.name}:Q", title=statistic.axis_title, axis=alt.Axis(format=statistic.axis_format)),
        color=alt.Color(
            "percent:N", sort=alt.SortField("share"), title="strongest pairs", scale=alt.Scale(scheme="tableau10")
        ),
        strokeWidth=alt.condition("datum.chosen", alt.value(4), alt.value(1.5)),
        tooltip=[tip("percent:N"), tip("layer:O"), tip(f"{statistic.name}:Q", statistic.format)],
    )
    chance = alt.Chart(data).mark_line(**DASHED)
    chance = chance.encode(x="layer:O", y=f"mean({statistic.chance}):Q")
    names = data["percent"] + ", layer " + data["layer"].astype(str)
    return layered(
        [lines, chance],
        height=280,
        description=f"{statistic.label} by layer for the strongest {', '.join(dict.fromkeys(percent))} of the pairs: from "
        f"{between(data[statistic.name], names, statistic.text)}; {chance_of(data, statistic)}.",
    )
