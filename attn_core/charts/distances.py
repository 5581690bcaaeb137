"""How far heads reach: curves over layers, distributions of distances, sensitivity to the share of pairs."""

import altair as alt
import numpy as np
import pandas as pd

from attn_core.charts.style import ACCENT, AXES, CHANCE, CHANCE_DASH, diverging, ink, layered
from attn_core.measures.statistics import Statistic

BINS = alt.Axis(labelAngle=-40, labelOverlap=False)
DOUBLINGS = "datum.value < 0 ? '1/' + format(pow(2, -datum.value), 'd') : format(pow(2, datum.value), 'd')"


def layer_curve(heads: pd.DataFrame, layers: pd.DataFrame, statistic: Statistic) -> alt.LayerChart:
    """A statistic by layer: every head a point, the layer's mean a line, chance dashed.

    The mean lies in its 95 % band where the layers have one (columns `<statistic>_low` and `_high`).
    """
    unit = f" ({statistic.unit})" if statistic.unit == "tokens" else ""
    x = alt.X("layer:O", title="layer", axis=alt.Axis(labelAngle=0))
    y = alt.Y(f"{statistic.name}:Q", title=f"{statistic.label}{unit}", axis=alt.Axis(format=statistic.axis_format))
    chance_y = alt.Y(f"{statistic.chance}:Q")

    def number(column: str, title: str) -> alt.Tooltip:
        return alt.Tooltip(f"{column}:Q", title=title, format=statistic.format)

    points = (
        alt.Chart(heads)
        .mark_circle(size=40, opacity=0.45, color=ACCENT)
        .encode(
            x=x,
            y=y,
            xOffset=alt.XOffset("head:O", scale=alt.Scale(paddingOuter=1)),
            tooltip=["layer:O", "head:O", number(statistic.name, statistic.label), "anchor:N", "role:N"],
        )
    )
    low, high = statistic.bounds
    banded = low in layers
    interval = [number(low, "95 % from"), number(high, "to")] if banded else []
    mean = (
        alt.Chart(layers)
        .mark_line(color=ACCENT, strokeWidth=3, point=alt.OverlayMarkDef(size=90, color=ACCENT))
        .encode(
            x=x,
            y=y,
            tooltip=[
                "layer:O", number(statistic.name, "mean of the heads"), *interval, number(statistic.chance, "chance"),
            ],
        )
    )  # fmt: skip
    band = alt.Chart(layers).mark_area(color=ACCENT, opacity=0.3).encode(x=x, y=f"{low}:Q", y2=f"{high}:Q")
    chance = alt.Chart(layers).mark_line(color=CHANCE, strokeDash=CHANCE_DASH, strokeWidth=2).encode(x=x, y=chance_y)
    label = (
        alt.Chart(layers.tail(1))
        .mark_text(color=CHANCE, align="left", dx=12, fontSize=12, text="chance")
        .encode(x=x, y=chance_y)
    )
    return layered(points, *([band] if banded else []), chance, label, mean).properties(height=320)


def distances_at_a_glance(binned: pd.DataFrame) -> alt.LayerChart:
    """Layers x distance: how many times more often than chance strong pairs have that distance (doublings as colour)."""
    data = binned.assign(doublings=np.log2(binned["ratio"].clip(lower=2**-4)))
    limit = float(np.ceil(data["doublings"].abs().max())) or 1.0
    base = alt.Chart(data).encode(
        x=alt.X("distance:N", sort=alt.SortField("start"), title="distance (tokens)", axis=BINS),
        y=alt.Y("layer:O", title="layer"),
        tooltip=[
            "layer:O",
            "distance:N",
            alt.Tooltip("share:Q", title="share of strong pairs", format=".1%"),
            alt.Tooltip("chance_share:Q", title="chance", format=".1%"),
            alt.Tooltip("ratio:Q", title="times chance", format=".2f"),
        ],
    )
    colour = alt.Color(
        "doublings:Q",
        scale=diverging(limit),
        legend=alt.Legend(title="times chance", labelExpr=DOUBLINGS, gradientLength=120, tickMinStep=1),
    )
    numbers = base.mark_text(fontSize=11).encode(text=alt.Text("ratio:Q", format=".1f"), color=ink("doublings", limit))
    height = AXES + 28 * data["layer"].nunique()
    return layered(base.mark_rect().encode(color=colour), numbers).properties(height=height)


def distance_distribution(binned: pd.DataFrame) -> alt.LayerChart:
    """One layer: share of its strong pairs by distance as bars, chance as ticks. binned: the rows of that layer."""
    x = alt.X("distance:N", sort=alt.SortField("start"), title="distance (tokens)", axis=BINS)
    tooltip = [
        "distance:N",
        alt.Tooltip("share:Q", format=".1%"),
        alt.Tooltip("chance_share:Q", title="chance", format=".1%"),
    ]
    bars = (
        alt.Chart(binned)
        .mark_bar(color=ACCENT, opacity=0.85)
        .encode(x=x, y=alt.Y("share:Q", title="share of strong pairs", axis=alt.Axis(format="%")), tooltip=tooltip)
    )
    chance = (
        alt.Chart(binned)
        .mark_tick(color=CHANCE, thickness=3, width=30)
        .encode(x=x, y="chance_share:Q", tooltip=tooltip)
    )
    return layered(bars, chance).properties(height=260)


def share_sensitivity(curves: pd.DataFrame, statistic: Statistic, chosen: float) -> alt.LayerChart:
    """A statistic by layer for several shares q; columns share, layer and the statistic. The chosen share is thick."""
    percent = [
        f"{100 * share:.6g} %" for share in curves["share"]
    ]  # all digits: shares that read alike would be one line
    data = curves.assign(percent=percent, chosen=curves["share"] == chosen)
    lines = (
        alt.Chart(data)
        .mark_line(point=True)
        .encode(
            x=alt.X("layer:O", title="layer", axis=alt.Axis(labelAngle=0)),
            y=alt.Y(f"{statistic.name}:Q", title=statistic.label, axis=alt.Axis(format=statistic.axis_format)),
            color=alt.Color(
                "percent:N", sort=alt.SortField("share"), title="strongest pairs", scale=alt.Scale(scheme="tableau10")
            ),
            strokeWidth=alt.condition("datum.chosen", alt.value(4), alt.value(1.5)),
            tooltip=["percent:N", "layer:O", alt.Tooltip(f"{statistic.name}:Q", format=statistic.format)],
        )
    )
    chance = (
        alt.Chart(data)
        .mark_line(color=CHANCE, strokeDash=CHANCE_DASH, strokeWidth=2)
        .encode(x="layer:O", y=f"mean({statistic.chance}):Q")
    )
    return layered(lines, chance).properties(height=280)
