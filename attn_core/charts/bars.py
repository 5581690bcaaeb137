"""The strong pairs of one head by what they are: a bar each, and below it a grey one of chance."""

import altair as alt
import pandas as pd

from attn_core.charts.described import share
from attn_core.charts.style import ACCENT, AXES, CHANCE, layered, tip


def bars_beside_chance(
    rows: pd.DataFrame, by: str, axis_title: str, title: str, colour: alt.Color | alt.ColorValue | None = None
) -> alt.LayerChart:
    """A bar a row, in their order. rows: the column `by`, share and chance_share. title: what is shown, for the description."""
    y = alt.Y(f"{by}:N", sort=rows[by].tolist(), title=axis_title, axis=alt.Axis(labelLimit=160))
    tooltip = [tip(f"{by}:N"), tip("share:Q", ".1%"), tip("chance_share:Q", ".1%", "chance")]
    base = alt.Chart(rows).encode(y=y, tooltip=tooltip)
    x = alt.X("share:Q", title="share of its strong pairs; grey: chance", axis=alt.Axis(format="%"))
    bars = base.mark_bar(height=12, yOffset=-3).encode(x=x, color=colour or alt.ColorValue(ACCENT))
    chance = base.mark_bar(height=5, yOffset=6.5, color=CHANCE).encode(x=alt.X("chance_share:Q"))
    most = rows.loc[(rows["share"] - rows["chance_share"]).idxmax()]
    return layered(
        [bars, chance],
        AXES + 23 * len(rows),
        f"{title}: furthest above chance is {most[by]}, {share(most['share'])} (chance {share(most['chance_share'])}).",
    )
