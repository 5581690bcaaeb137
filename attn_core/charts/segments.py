"""Charts of segmentation: segments as coloured strips, and a map of the power of heads to separate topics."""

import altair as alt
import pandas as pd

from attn_core.charts.descriptions import between_heads, number
from attn_core.charts.head_map import head_map
from attn_core.charts.style import AXES, CELL, DARK_INK, LIGHT_INK, layered, tip
from attn_core.charts.word_grid import rising

# Fill and text colours with a contrast of at least 4 : 1.
SEGMENT_INK = {
    "#4c78a8": LIGHT_INK, "#f58518": DARK_INK, "#54a24b": DARK_INK, "#b279a2": DARK_INK, "#eeca3b": DARK_INK,
    "#72b7b2": DARK_INK, "#e45756": DARK_INK, "#9d755d": LIGHT_INK,
}  # fmt: skip
SEGMENT_COLOURS = list(SEGMENT_INK)


def segment_strips(strips: pd.DataFrame) -> alt.LayerChart:
    """Chart with one strip per segmentation, its segments in alternating colours.

    strips: name, segment, first_sentence, last_sentence (from 1), preview (the first words).
    """
    colours = [SEGMENT_COLOURS[(segment - 1) % len(SEGMENT_COLOURS)] for segment in strips["segment"]]
    first, last = strips["first_sentence"], strips["last_sentence"]
    data = strips.assign(
        start=first - 0.5, stop=last + 0.5, middle=(first + last) / 2, colour=colours,
        ink=[SEGMENT_INK[one] for one in colours],
    )  # fmt: skip
    order, sentences = list(dict.fromkeys(data["name"])), int(last.max())
    x = alt.X(
        "start:Q", title="sentence", scale=alt.Scale(domain=[0.5, sentences + 0.5], nice=False),
        axis=alt.Axis(tickCount=12, tickMinStep=1, format="d"),
    )  # fmt: skip
    tips = [
        tip("name:N"), tip("segment:Q"), tip("first_sentence:Q", title="first"), tip("last_sentence:Q", title="last"),
        tip("preview:N"),
    ]  # fmt: skip
    base = alt.Chart(data).encode(y=alt.Y("name:N", sort=order, title=None, axis=alt.Axis(labelLimit=260)))
    bars = base.mark_bar(cornerRadius=3).encode(
        x=x, x2=alt.X2("stop:Q"), color=alt.Color("colour:N", scale=None), tooltip=tips
    )
    numbers = base.mark_text(fontWeight="bold").encode(
        x=alt.X("middle:Q"), text=alt.Text("segment:Q"), color=alt.Color("ink:N", scale=None)
    )
    counts = ", ".join(
        f"{name} {count}" for name, count in data.groupby("name", sort=False)["segment"].nunique().items()
    )
    return layered(
        [bars, numbers],
        height=AXES + CELL * len(order),
        description=f"Segments of {sentences} sentences, one strip a segmentation: {counts}.",
    )


def power_map(power: pd.DataFrame) -> alt.LayerChart:
    """Map of the power of heads to separate near from distant sentences. power: layer, head, power, weight."""
    data = power.assign(word=[f"{weight:.0%}" if weight >= 0.005 else "" for weight in power["weight"]])
    return head_map(
        data,
        rising(data["power"], float(data["power"].max()), "colour: power; number: weight"),
        [tip("power:Q", ".3f"), tip("weight:Q", ".1%", "its weight")],
        f"power to tell near sentences from far ones, from {between_heads(data, 'power', number)}; "
        f"{int((data['weight'] > 0).sum())} heads are used",
        clicked=False,
    )
