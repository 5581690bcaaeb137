"""What follows when heads are taken away: the map to click them off, their effect beside chance, what changes, curves."""

import altair as alt
import numpy as np
import pandas as pd

from attn_core.charts.curve import Across, curve
from attn_core.charts.described import between_heads
from attn_core.charts.head_map import head_map
from attn_core.charts.style import ACCENT, CHANCE, COLOURS, DASHED, layered, tip
from attn_core.charts.word_grid import BLANK_CELLS, printed, rising
from attn_core.measures.statistics import Statistic

MORE = "more"  # the name of the selection that a click with Shift makes
OFF = "#d55e00"  # Okabe and Ito's vermilion: 3.6 : 1 on white, 5 : 1 on black
KINDS = {"entropy": "entropy", "cross_entropy": "cross-entropy"}
EFFECT = Statistic("effect", "effect (1 − cosine), √ scale", "share", "")
BITS = Statistic("bits", "bits", "ratio", "")
IN_PERCENT = "{:.2%}".format
# Effects at or below it are rounding. Head outputs and states are float32, whose relative error is about this number; 1 - cosine
# and 1 - rank correlation are quadratic in such errors, so that what they leave lies far below it, and what is printed above.
ROUNDING = float(np.finfo(np.float32).eps)


def removal_map(heads: pd.DataFrame, title: str) -> alt.LayerChart:
    """Layers x heads, coloured by importance, heads that are off crossed out; a click selects a cell, with Shift one more.

    heads: layer, head, importance (NaN where it is not known), off. title: of the colours.
    """
    importance, tooltip = heads["importance"], ""
    shade, largest = BLANK_CELLS, importance.max()
    if largest > ROUNDING:
        shade = rising(importance, float(largest), title, ".1~%", root=True)
    if np.isfinite(largest):
        tooltip = f"importance from {between_heads(heads, 'importance', IN_PERCENT)}; "
    data = heads.assign(word=printed(importance, ".1%"))
    gone = alt.Chart().transform_filter("datum.off")
    crossed_out = [
        gone.mark_rect(fill="#1f2328", fillOpacity=0.88, stroke=OFF, strokeWidth=2, cursor="pointer"),
        gone.mark_text(text="✕", fontSize=16, fontWeight="bold", color="#ff9d5c", cursor="pointer"),
    ]
    tips = [tip("importance:Q", ".3%"), tip("off:N")]
    more = alt.selection_point(
        name=MORE, fields=["layer", "head"], on="click[event.shiftKey]", clear="click[!event.shiftKey]", toggle=False,
        empty=False,
    )  # fmt: skip
    return head_map(data, shade, tips, f"{tooltip}off: {int(heads['off'].sum())}", over=crossed_out).add_params(more)


def effect_beside_chance(effect: float, by_chance: np.ndarray) -> alt.LayerChart:
    """An effect as a diamond, and those of other heads as dots, on one line. by_chance: (R,), each alone or of random sets."""
    x = alt.X(
        "effect:Q",
        title="effect (1 − cosine); dots: other heads",
        axis=alt.Axis(format="~%", tickCount=5),
        scale=alt.Scale(zero=True, nice=True),
    )
    others, own = (
        alt.Chart(pd.DataFrame({"effect": values})).encode(x=x, tooltip=tip("effect:Q", ".3%"))
        for values in (by_chance, [effect])
    )
    spread = f" {by_chance.min():.2%} to {by_chance.max():.2%}" if len(by_chance) else ""
    return layered(
        [
            others.mark_circle(size=90, color=CHANCE, opacity=0.55),
            own.mark_point(size=220, shape="diamond", filled=True, color=ACCENT, opacity=1),
        ],
        height=130,
        description=f"Effect {effect:.2%} of the heads that are off; of {len(by_chance)} others{spread}.",
    )


def pruning(table: pd.DataFrame, chance: str, threshold: float) -> alt.LayerChart:
    """Effect by the number of removed heads: a line per order, random orders as mean and band, and the threshold.

    table: order, removed, effect, low, high. chance: name of the random orders, whose low and high are their extremes.
    """
    is_chance, scale = table["order"] == chance, alt.Scale(type="sqrt", zero=True)  # so that small effects are seen
    curves, random = table[~is_chance], table[is_chance]
    base = alt.Chart(random).encode(x=alt.X("removed:Q"))
    tooltip = [tip("removed:Q"), *(tip(f"{column}:Q", ".2%") for column in ("low", "effect", "high"))]
    allowed = alt.Chart(pd.DataFrame({"effect": [threshold]})).mark_rule(color=OFF, strokeWidth=1.5)
    under = [
        base.mark_area(color=CHANCE, opacity=0.3).encode(y=alt.Y("low:Q"), y2=alt.Y2("high:Q")),
        base.mark_line(**DASHED).encode(y=alt.Y("effect:Q"), tooltip=tooltip),
        allowed.encode(y=alt.Y("effect:Q")),
    ]
    across = Across("removed:Q", "heads removed", alt.Axis(format="d"), alt.Scale(zero=True, nice=False))
    colours = dict(zip(curves["order"].unique(), [ACCENT, *COLOURS], strict=False))
    note = f"dashed, band: random orders; across: {threshold:.1%}"
    return curve(curves, across, EFFECT, by="order", colours=colours, scale=scale, under=under, note=note)


def bits_by_kind(entropies: pd.DataFrame) -> pd.DataFrame:
    """The rows of `by_layer_in_bits`: layer, heads, kind, bits."""
    parts = (
        entropies[["layer", "heads"]].assign(kind=tooltip, bits=entropies[kind]) for kind, tooltip in KINDS.items()
    )
    return pd.concat(parts, ignore_index=True)


def by_layer_in_bits(table: pd.DataFrame, chance: float) -> alt.LayerChart:
    """Entropy and cross-entropy by layer, without heads that are off in lines of their own; chance across.

    table: layer (0: the embeddings), kind, heads, bits.
    """
    names = table["kind"] if table["heads"].nunique() == 1 else table["kind"] + ", " + table["heads"]
    axis = alt.Axis(values=sorted(set(table["layer"])), format="d", grid=False)
    across = Across("layer:Q", "layer (0: embeddings)", axis)
    colours = dict(zip(names.unique(), [ACCENT, *COLOURS], strict=False))
    data = table.assign(line=names, chance_bits=chance)
    return curve(data, across, BITS, by="line", colours=colours, scale=alt.Scale(zero=True), note="an even guess")
