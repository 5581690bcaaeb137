"""Charts of segmentation: segments as strips of two tones, and a map of the power of heads to separate topics."""

import altair as alt
import pandas as pd

from attn_core.charts.descriptions import printed
from attn_core.charts.head_map import head_map
from attn_core.charts.style import AXES, CELL, DARK_INK, LIGHT_INK, layered, tip
from attn_core.charts.word_grid import rising

# Two alternating tones with the ink of each: a colour of its own would say that segments share a topic.
SEGMENT_INK = {"#4c78a8": LIGHT_INK, "#b5cbe3": DARK_INK}
TONES = list(SEGMENT_INK)
GOLD = "#d55e00"


def segment_strips(strips: pd.DataFrame) -> alt.LayerChart:
    """Chart with one strip per segmentation, its segments in two alternating tones; rules at the gold boundaries.

    strips: name, segment, first_sentence, last_sentence (from 1), preview (the first words), gold (whether it is of
    the gold boundaries).
    """
    tones = [TONES[(segment - 1) % 2] for segment in strips["segment"]]
    first, last = strips["first_sentence"], strips["last_sentence"]
    data = strips.assign(
        start=first - 0.5, stop=last + 0.5, middle=(first + last) / 2, colour=tones,
        ink=[SEGMENT_INK[tone] for tone in tones],
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
    boundaries = alt.Chart(data[data["gold"] & (first > 1)]).mark_rule(color=GOLD, strokeWidth=2.5)
    counts = data.groupby("name", sort=False)["segment"].nunique()
    return layered(
        [bars, numbers, *([boundaries.encode(x=x)] if data["gold"].any() else [])],
        AXES + CELL * len(order),
        f"segments of {sentences} sentences, {', '.join(f'{name} {count}' for name, count in counts.items())}",
    )


def power_map(power: pd.DataFrame) -> alt.LayerChart:
    """Map of the power of heads to separate near from distant sentences. power: layer, head, power, weight."""
    data = power.assign(word=printed(power["power"], ".1f"))
    tooltip = [tip("power:Q", ".2f", "topic separation"), tip("weight:Q", ".1%", "weight in the partition")]
    shade = rising(data["power"], float(data["power"].max()), "topic separation (SD)")
    return head_map(data, shade, tooltip, clicked=False)
