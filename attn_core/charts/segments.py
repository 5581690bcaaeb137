"""Where a text breaks: segments as coloured strips, scores over the gaps, the power of every head."""

import altair as alt
import numpy as np
import pandas as pd

from attn_core.charts.described import between_heads, grid, number
from attn_core.charts.marks import LEGEND, gradient, head_grid, in_cells, longest
from attn_core.charts.style import AXES, CELL, DARK_INK, LIGHT_INK, layered, tip

TICKS = 12  # at most, on an axis of sentences
# Each with the ink that is read better on it, 4 : 1 at least.
SEGMENT_INK = {
    "#4c78a8": LIGHT_INK, "#f58518": DARK_INK, "#54a24b": DARK_INK, "#b279a2": DARK_INK, "#eeca3b": DARK_INK,
    "#72b7b2": DARK_INK, "#e45756": DARK_INK, "#9d755d": LIGHT_INK,
}  # fmt: skip
SEGMENT_COLOURS = list(SEGMENT_INK)


def segment_strips(strips: pd.DataFrame) -> alt.LayerChart:
    """One strip a segmentation, segments in turning colours; sentences count from 1.

    strips: name, segment, first_sentence, last_sentence, preview (its first words).
    """
    data = strips.assign(
        start=strips["first_sentence"] - 0.5,
        stop=strips["last_sentence"] + 0.5,
        first=strips["first_sentence"],
        last=strips["last_sentence"],
        middle=(strips["first_sentence"] + strips["last_sentence"]) / 2,
        colour=(strips["segment"] - 1) % len(SEGMENT_COLOURS),
        ink=[SEGMENT_INK[SEGMENT_COLOURS[(segment - 1) % len(SEGMENT_COLOURS)]] for segment in strips["segment"]],
    )
    order = list(dict.fromkeys(data["name"]))
    y = alt.Y("name:N", sort=order, title=None, axis=alt.Axis(labelLimit=260))
    x = _sentences("start:Q", "sentence", int(data["last"].max()))
    tooltip = [tip("name:N"), tip("segment:Q"), tip("first:Q"), tip("last:Q"), tip("preview:N")]
    bars = alt.Chart(data).mark_bar(cornerRadius=3)
    bars = bars.encode(
        x=x,
        x2="stop:Q",
        y=y,
        color=alt.Color(
            "colour:O", legend=None, scale=alt.Scale(domain=list(range(len(SEGMENT_COLOURS))), range=SEGMENT_COLOURS)
        ),
        tooltip=tooltip,
    )
    numbers = alt.Chart(data).mark_text(fontWeight="bold")
    numbers = numbers.encode(x="middle:Q", y=y, text="segment:Q", color=alt.Color("ink:N", scale=None))
    counts = ", ".join(
        f"{name} {count}" for name, count in data.groupby("name", sort=False)["segment"].nunique().items()
    )
    return layered(
        [bars, numbers],
        height=AXES + CELL * len(order),
        description=f"Segments of {data['last'].max()} sentences, one strip a segmentation: {counts}.",
    )


def _sentences(field: str, title: str | list[str], last: int) -> alt.X:
    """An axis of whole sentences, from 1 to the last."""
    steps = (step * ten for ten in (1, 10, 100, 1_000, 10_000, 100_000) for step in (1, 2, 5))
    step = next(step for step in steps if last <= step * TICKS)
    ticks = [1, *range(2 if step == 1 else step, last + 1, step)]
    return alt.X(
        field,
        title=title,
        scale=alt.Scale(domain=[0.5, last + 0.5], nice=False),
        axis=alt.Axis(values=ticks, format="d"),
    )


def power_map(power: np.ndarray, weights: np.ndarray) -> alt.LayerChart:
    """Layers x heads: how well each head tells near sentences from far ones; the weights of those used as numbers.

    power, weights: (layer, head).
    """
    layer, head = np.indices(power.shape).reshape(2, -1) + 1
    data = pd.DataFrame({"layer": layer, "head": head, "power": power.ravel(), "weight": weights.ravel()})
    base = head_grid(data, tip("power:Q", ".3f"), tip("weight:Q", ".1%", "its weight"))
    cells = base.mark_rect().encode(
        color=alt.Color("power:Q", scale=alt.Scale(scheme="viridis"), legend=gradient("colour: power; number: weight"))
    )
    middle = float(np.quantile(power, 0.6))
    numbers = in_cells(base, power.shape[1], longest(data["weight"], ".0%")).encode(
        text=alt.Text("weight:Q", format=".0%"),
        color=alt.condition(f"datum.power > {middle}", alt.value("#1f2328"), alt.value("#ffffff")),
        opacity=alt.condition("datum.weight >= 0.005", alt.value(1), alt.value(0)),
    )
    return layered(
        [cells, numbers],
        height=AXES + 30 * power.shape[0] + LEGEND,
        description=f"Map of {grid(data)}: power to tell near sentences from far ones, from "
        f"{between_heads(data, 'power', number)}; {int((data['weight'] > 0).sum())} heads are used.",
    )
