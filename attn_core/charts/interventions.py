"""What follows when heads are taken away: the map to click them off, their effect beside chance, what changes, curves."""

from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from attn_core.charts.described import between, between_heads, grid, number
from attn_core.charts.marks import (
    LEGEND,
    click,
    frames,
    gradient,
    head_grid,
    in_cells,
    legend_columns,
    longest,
    map_height,
)
from attn_core.charts.style import ACCENT, BLANK, CHANCE, CLICKED, DASHED, layered, tip

OFF = "#d55e00"  # Okabe and Ito's vermilion: 3.6 : 1 on white, 5 : 1 on black
# Of Okabe and Ito, readable on white and on black: as many as there are orders.
ORDERS = ["#7c3aed", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"]
KINDS = {"entropy": "entropy", "cross_entropy": "cross-entropy"}
EFFECT = "effect (1 − cosine)"
IN_PERCENT = "{:.2%}".format
# Effects at or below it are rounding. Head outputs and states are float32, whose relative error is about this number; 1 - cosine
# and 1 - rank correlation are quadratic in such errors, so that what they leave lies far below it, and what is printed above.
ROUNDING = float(np.finfo(np.float32).eps)


def removal_map(heads: pd.DataFrame, title: str) -> alt.LayerChart:
    """Layers x heads, coloured by importance, heads that are off crossed out; a click selects a cell.

    heads: layer, head, importance (NaN where it is not known), off. title: of the colours.
    """
    base = head_grid(heads, tip("importance:Q", ".3%"), tip("off:N"))
    largest = heads["importance"].max()
    colour: Any = alt.value("#e8e6ef")
    numbers, told = list[alt.Chart](), ""
    if np.isfinite(largest):
        colour = alt.value(BLANK)
        if largest > ROUNDING:
            scale = alt.Scale(type="sqrt", domain=[0, float(largest)], scheme="purples")
            shade = alt.Color("importance:Q", scale=scale, legend=gradient(title, ".1~%"))
            colour = alt.condition(f"datum.importance > {ROUNDING}", shade, alt.value(BLANK))
        ink = alt.condition(f"datum.importance > {0.4 * largest}", alt.value("#ffffff"), alt.value("#1f2328"))
        in_percent = in_cells(base, heads["head"].nunique(), longest(heads["importance"], ".1%"), cursor="pointer")
        numbers = [in_percent.encode(text=alt.Text("importance:Q", format=".1%"), color=ink)]
        told = f"importance from {between_heads(heads, 'importance', IN_PERCENT)}; "
    gone = base.transform_filter("datum.off")
    crossed_out = [
        gone.mark_rect(fill="#1f2328", fillOpacity=0.88, stroke=OFF, strokeWidth=2, cursor="pointer"),
        gone.mark_text(text="✕", fontSize=16, fontWeight="bold", color="#ff9d5c", cursor="pointer"),
    ]
    cells = base.mark_rect(**CLICKED).encode(color=colour)
    return layered(
        [cells.add_params(click()), *numbers, *crossed_out, *frames(heads)],
        height=map_height(heads) + LEGEND,
        description=f"Map of {grid(heads)}: {told}off: {int(heads['off'].sum())}.",
    )


def effect_beside_chance(effect: float, by_chance: np.ndarray) -> alt.LayerChart:
    """An effect as a diamond, and those of other heads as dots, on one line. by_chance: (R,), each alone or of random sets."""
    drawn = pd.DataFrame({"effect": by_chance})
    here = pd.DataFrame({"effect": [effect]})
    x = alt.X(
        "effect:Q",
        title=f"{EFFECT}; dots: other heads",
        axis=alt.Axis(format="~%", tickCount=5),
        scale=alt.Scale(zero=True, nice=True),
    )
    told = tip("effect:Q", ".3%")
    dots = alt.Chart(drawn).mark_circle(size=90, color=CHANCE, opacity=0.55).encode(x=x, tooltip=told)
    own = alt.Chart(here).mark_point(size=220, shape="diamond", filled=True, color=ACCENT, opacity=1)
    own = own.encode(x=x, tooltip=told)
    spread = f" {by_chance.min():.2%} to {by_chance.max():.2%}" if len(by_chance) else ""
    return layered(
        [dots, own],
        height=130,
        description=f"Effect {effect:.2%} of the heads that are off; of {len(by_chance)} others{spread}.",
    )


def pruning(table: pd.DataFrame, chance: str, bar: float) -> alt.LayerChart:
    """Effect by the number of heads that are gone: a line an order, random orders as their band and mean, a bar across.

    table: order, removed, effect, low, high. chance: the order that stands for the random ones, the lowest and the highest of
    them; its effects are NaN where none is known yet.
    """
    is_chance = table["order"] == chance
    curves, by_chance = table[~is_chance], table[is_chance]
    x = alt.X(
        "removed:Q",
        title=["heads removed; dashed: random orders,", "line: as far as is allowed"],
        axis=alt.Axis(format="d"),
        scale=alt.Scale(zero=True, nice=False),
    )
    scale = alt.Scale(type="sqrt", zero=True)  # small effects are what is asked about
    y = alt.Y("effect:Q", title=f"{EFFECT}, √ scale", axis=alt.Axis(format="~%"), scale=scale)
    names = curves["order"].unique().tolist()
    legend = alt.Legend(orient="top", title=None, columns=legend_columns(names), columnPadding=24, labelLimit=220)
    colour = alt.Color("order:N", scale=alt.Scale(domain=names, range=ORDERS[: len(names)]), legend=legend)
    told = [tip("order:N"), tip("removed:Q"), tip("effect:Q", ".2%")]
    random = alt.Chart(by_chance).encode(x=x)
    told_random = [tip("removed:Q"), *(tip(f"{c}:Q", ".2%") for c in ("low", "effect", "high"))]
    band = random.mark_area(color=CHANCE, opacity=0.3).encode(y=alt.Y("low:Q", scale=scale), y2="high:Q")
    mean = random.mark_line(**DASHED).encode(y=y, tooltip=told_random)
    lines = alt.Chart(curves).mark_line(strokeWidth=2.5, point=alt.OverlayMarkDef(size=45))
    allowed = alt.Chart(pd.DataFrame({"effect": [bar]})).mark_rule(color=OFF, strokeWidth=1.5).encode(y=y)
    ends = (
        f"{name} {between(rows['effect'], rows['removed'].astype(str) + ' gone', IN_PERCENT)}"
        for name, rows in curves.groupby("order", sort=False)
    )
    drawn = by_chance["effect"].notna()
    told_chance = (
        between(by_chance["effect"], by_chance["removed"].astype(str) + " gone", IN_PERCENT)
        if drawn.all()
        else "none yet"
    )
    return layered(
        [band, mean, allowed, lines.encode(x=x, y=y, color=colour, tooltip=told)],
        height=310,
        description=f"Effect as heads go: {'; '.join(ends)}; random orders, mean: {told_chance}. A line at {bar:.1%}.",
    )


def bits_by_kind(entropies: pd.DataFrame) -> pd.DataFrame:
    """The rows of `by_layer_in_bits`: layer, heads, kind, bits."""
    parts = (entropies[["layer", "heads"]].assign(kind=told, bits=entropies[kind]) for kind, told in KINDS.items())
    return pd.concat(parts, ignore_index=True)


def by_layer_in_bits(table: pd.DataFrame, chance: float) -> alt.LayerChart:
    """Entropy and cross-entropy by layer; without the heads that are off they are dashed; chance across.

    table: layer (0: the embeddings), kind, heads, bits.
    """
    layers = sorted(table["layer"].unique().tolist())
    x = alt.X(
        "layer:Q",
        title="layer (0: embeddings); dashed across: an even guess",
        axis=alt.Axis(values=layers, format="d", grid=False),
    )
    y = alt.Y("bits:Q", title="bits", scale=alt.Scale(zero=True))
    kinds, states = table["kind"].unique().tolist(), table["heads"].unique().tolist()
    legend = alt.Legend(orient="top", title=None, labelLimit=220, columns=legend_columns(kinds))
    colour = alt.Color("kind:N", scale=alt.Scale(domain=kinds, range=ORDERS[: len(kinds)]), legend=legend)
    dashes = alt.Scale(domain=states, range=[[1, 0], [6, 3]][: len(states)])
    of_dashes = alt.Legend(
        orient="top", title=None, labelLimit=220, symbolType="stroke", columns=legend_columns(states)
    )
    dash = alt.StrokeDash("heads:N", scale=dashes, legend=of_dashes if len(states) > 1 else None)
    told = [tip("layer:Q"), tip("kind:N"), tip("heads:N"), tip("bits:Q", ".2f")]
    lines = alt.Chart(table).mark_line(strokeWidth=2.5, point=alt.OverlayMarkDef(size=55))
    level = alt.Chart(pd.DataFrame({"bits": [chance]})).mark_rule(**DASHED)
    ends = (
        f"{kind}, {heads}: {between(rows['bits'], 'layer ' + rows['layer'].astype(str), number)}"
        for (kind, heads), rows in table.groupby(["kind", "heads"], sort=False)
    )
    return layered(
        [level.encode(y=y), lines.encode(x=x, y=y, color=colour, strokeDash=dash, tooltip=told)],
        height=300,
        description=f"Bits by layer. {'; '.join(ends)}; an even guess among all words: {number(chance)}.",
    )
