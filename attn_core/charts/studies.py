"""What a study shows: curves over layers with their intervals, and how steady the anchors are over texts."""

import altair as alt
import pandas as pd

from attn_core.charts.style import ACCENT, AXES, CELL, CHANCE, CHANCE_DASH
from attn_core.measures.statistics import Statistic


def banded_curve(layers: pd.DataFrame, statistic: Statistic) -> alt.LayerChart:
    """A statistic by layer, mean of the heads: a line in its 95 % band (columns _low and _high), chance dashed."""
    unit = f" ({statistic.unit})" if statistic.unit == "tokens" else ""
    x = alt.X("layer:O", title="layer", axis=alt.Axis(labelAngle=0))
    y = alt.Y(
        f"{statistic.name}:Q", title=f"{statistic.label}{unit}", axis=alt.Axis(format=statistic.axis_format),
        scale=alt.Scale(zero=statistic.unit != "tokens"),
    )  # fmt: skip
    low, high = f"{statistic.name}_low", f"{statistic.name}_high"
    tooltip = [
        alt.Tooltip("layer:O"),
        alt.Tooltip(f"{statistic.name}:Q", title=statistic.label, format=statistic.format),
        alt.Tooltip(f"{low}:Q", title="95 % from", format=statistic.format),
        alt.Tooltip(f"{high}:Q", title="to", format=statistic.format),
        alt.Tooltip(f"{statistic.chance}:Q", title="chance", format=statistic.format),
    ]
    base = alt.Chart(layers)
    band = base.mark_area(color=ACCENT, opacity=0.25).encode(x=x, y=alt.Y(f"{low}:Q"), y2=alt.Y2(f"{high}:Q"))
    line = base.mark_line(color=ACCENT, strokeWidth=3, point=alt.OverlayMarkDef(size=90, color=ACCENT)).encode(
        x=x, y=y, tooltip=tooltip
    )
    chance = base.mark_line(color=CHANCE, strokeDash=CHANCE_DASH, strokeWidth=2).encode(
        x=x, y=alt.Y(f"{statistic.chance}:Q")
    )
    label = (
        alt.Chart(layers.tail(1))
        .mark_text(color=CHANCE, align="right", dy=-9, fontSize=12, text="chance")
        .encode(x=x, y=alt.Y(f"{statistic.chance}:Q"))
    )
    return (band + chance + label + line).properties(height=300)


def stability_map(heads: pd.DataFrame) -> alt.LayerChart:
    """Layers x heads: every head's anchor over all texts, coloured by the share of texts that have it as theirs."""
    data = heads[["layer", "head", "anchor", "anchor_coverage", "chance_anchor_coverage", "anchor_stability"]]
    data = data.assign(short=data["anchor"].str.slice(0, 9))
    base = alt.Chart(data).encode(
        x=alt.X("head:O", title="head", axis=alt.Axis(labelAngle=0, orient="top")),
        y=alt.Y("layer:O", title="layer"),
        tooltip=[
            "layer:O", "head:O", alt.Tooltip("anchor:N"),
            alt.Tooltip("anchor_stability:Q", title="anchor of so many texts", format=".0%"),
            alt.Tooltip("anchor_coverage:Q", title="coverage", format=".0%"),
            alt.Tooltip("chance_anchor_coverage:Q", title="chance", format=".0%"),
        ],
    )  # fmt: skip
    colour = alt.Color(
        "anchor_stability:Q",
        title="share of texts",
        scale=alt.Scale(domain=[0, 1], scheme="purples"),
        legend=alt.Legend(format=".0%", orient="bottom", direction="horizontal", gradientLength=220, tickCount=5),
    )
    names = base.mark_text(fontSize=11).encode(
        text="short:N", color=alt.condition("datum.anchor_stability > 0.45", alt.value("#ffffff"), alt.value("#1f2328"))
    )
    return (base.mark_rect().encode(color=colour) + names).properties(height=AXES + 40 + CELL * data["layer"].nunique())
