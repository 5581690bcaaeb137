"""Charts of removed heads: a map to select them, effects against chance, pruning curves, entropies."""

import altair as alt
import numpy as np
import pandas as pd

from attn_core.charts.curve import NO_COPIES, Copies, curve, steps_across
from attn_core.charts.descriptions import printed
from attn_core.charts.head_map import head_map
from attn_core.charts.style import ACCENT, CELL, CHANCE, DASHED, IS_A, LIGHT_INK, layered, tip
from attn_core.charts.word_grid import BLANK_CELLS, rising
from attn_core.measures.statistics import Statistic

MORE = "more"  # name of the selection by Shift-click
OFF = "#d55e00"  # Okabe and Ito's vermilion: 3.6 : 1 on white, 5 : 1 on black
KINDS = {"entropy": "entropy", "cross_entropy": "cross-entropy"}
EFFECT = Statistic("effect", "effect (1 − cosine), √ scale", "share", "")
BITS = Statistic("bits", "bits", "ratio", "")
# Smaller effects are rounding errors: this is the relative error of float32, and 1 - cosine is quadratic in it.
ROUNDING = float(np.finfo(np.float32).eps)


def removal_map(heads: pd.DataFrame, title: str) -> alt.LayerChart:
    """Map of importance; a cross marks head A and other removed heads. A click selects a head, a Shift-click adds one.

    heads: layer, head, importance (NaN if unknown), off (whether removed beside A). title: of the colour legend.
    """
    importance, shade = heads["importance"], BLANK_CELLS
    largest = importance.max()
    if largest > ROUNDING:
        shade = rising(importance, float(largest), title, ".1~%", root=True)
    data = heads.assign(word=printed(importance, ".1%"))
    gone = alt.Chart().transform_filter(f"datum.off || ({IS_A})")
    corner = alt.ExprRef(f"width / {2 * heads['head'].nunique()} - 9")
    crossed_out = [
        gone.mark_rect(fill=None, stroke=OFF, strokeWidth=3),
        gone.mark_point(size=150, filled=True, color=OFF, opacity=1, xOffset=corner, yOffset=9 - CELL / 2),
        gone.mark_text(text="✕", fontSize=9, fontWeight="bold", color=LIGHT_INK, dx=corner, dy=9 - CELL / 2),
    ]
    tips = [tip("importance:Q", ".3%"), tip("off:N")]
    more = alt.selection_point(
        name=MORE, fields=["layer", "head"], on="click[event.shiftKey]", clear="click[!event.shiftKey]", toggle=False,
        empty=False,
    )  # fmt: skip
    return head_map(data, shade, tips, crossed_out).add_params(more)


def effect_beside_chance(effects: pd.DataFrame) -> alt.LayerChart:
    """Chart of an effect (diamond), the first row, and of effects by chance (dots). effects: with the column effect."""
    x = alt.X(
        "effect:Q", title="effect (1 − cosine); dots: other heads", axis=alt.Axis(format="~%", tickCount=5),
        scale=alt.Scale(zero=True),
    )  # fmt: skip
    others, own = (
        alt.Chart(rows).encode(x=x, tooltip=tip("effect:Q", ".3%")) for rows in (effects.iloc[1:], effects.iloc[:1])
    )
    return layered(
        [
            others.mark_circle(size=90, color=CHANCE, opacity=0.55),
            own.mark_point(size=220, shape="diamond", filled=True, color=ACCENT, opacity=1),
        ],
        130,
        f"of the heads that are off: {effects['effect'].iloc[0]:.2%}",
    )


def pruning(table: pd.DataFrame, chance: str, threshold: float) -> alt.LayerChart:
    """Curves of the effect by the number of removed heads, one per order, with a band for random orders.

    table: order, removed, effect, low, high. chance: name of the random orders, with their mean and
    extremes, NaN if unknown.
    """
    scale = alt.Scale(type="sqrt", zero=True)  # a root scale, so that small effects are visible
    curves, random = table[table["order"] != chance].assign(line=table["order"]), table[table["order"] == chance]
    base = alt.Chart(random).encode(x=alt.X("removed:Q"))
    tooltip = [tip("removed:Q"), *(tip(f"{column}:Q", ".2%") for column in ("low", "effect", "high"))]
    allowed = alt.Chart(pd.DataFrame({"effect": [threshold]})).mark_rule(color=OFF, strokeWidth=1.5)
    under = [
        base.mark_area(color=CHANCE, opacity=0.3).encode(y=alt.Y("low:Q"), y2=alt.Y2("high:Q")),
        base.mark_line(**DASHED).encode(y=alt.Y("effect:Q"), tooltip=tooltip),
        allowed.encode(y=alt.Y("effect:Q")),
    ]
    x = alt.X("removed:Q", title="heads removed", axis=alt.Axis(format="d"), scale=alt.Scale(zero=True, nice=False))
    note = f"dashed, band: random orders; across: {threshold:.1%}"
    return curve(curves, x, EFFECT, scale=scale, under=under, note=note)


def by_step_in_bits(entropies: pd.DataFrame, copies: Copies) -> alt.LayerChart:
    """Curves of entropy and cross-entropy of the last layer by step, with the cross-entropy of copies.

    entropies: of all steps, and copies by name: step, layer, entropy, cross_entropy, chance_entropy.
    """
    last = entropies[entropies["layer"] == entropies["layer"].max()].sort_values("step")
    others = {
        name: of[of["layer"] == of["layer"].max()].assign(bits=of["cross_entropy"]) for name, of in copies.items()
    }
    return _in_bits(last, steps_across(last), others)


def by_layer_in_bits(entropies: pd.DataFrame) -> alt.LayerChart:
    """Curves of entropy and cross-entropy by layer, with and without heads.

    entropies: layer, entropy, cross_entropy, chance_entropy and, if some are without heads, heads (which are left).
    """
    axis = alt.Axis(values=sorted(set(entropies["layer"])), format="d", grid=False)
    return _in_bits(entropies, alt.X("layer:Q", title="layer (0: embeddings)", axis=axis))


def _in_bits(entropies: pd.DataFrame, x: alt.X, copies: Copies = NO_COPIES) -> alt.LayerChart:
    state = ", " + entropies["heads"] if "heads" in entropies else ""
    chance = entropies["chance_entropy"].iloc[0]
    parts = [
        entropies.assign(line=name + state, bits=entropies[kind], chance_bits=chance) for kind, name in KINDS.items()
    ]
    data = pd.concat(parts, ignore_index=True)
    return curve(data, x, BITS, copies=copies, scale=alt.Scale(zero=True), note="chance: an even guess")
