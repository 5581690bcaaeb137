"""The copies of a model in a chart by layer: grey lines, named in a legend."""

from collections.abc import Mapping

import altair as alt
import pandas as pd

from attn_core.charts.style import CHANCE, tip
from attn_core.measures.statistics import Statistic
from attn_core.models.files import COPIES

NO_COPIES: Mapping[str, pd.DataFrame] = {}
DASHES = [[1, 0], [1, 3]]  # chance has another
LEGEND = alt.Legend(title=None, orient="top", symbolType="stroke", symbolSize=300, symbolStrokeWidth=2)


def copy_lines(copies: Mapping[str, pd.DataFrame], statistic: Statistic, x: alt.X) -> list[alt.Chart]:
    """The mean of each layer of the copies. copies: the layers table of each by its name; of none no line."""
    if not copies:
        return []
    means = [layers[["layer", statistic.name]].assign(copy=name) for name, layers in copies.items()]
    lines = alt.Chart(pd.concat(means, ignore_index=True)).mark_line(strokeWidth=2, point=alt.OverlayMarkDef(size=24))
    names = list(COPIES.values())
    grey, dashes = (alt.Scale(domain=names, range=each) for each in ([CHANCE] * len(names), DASHES))
    return [
        lines.encode(
            x=x,
            y=f"{statistic.name}:Q",
            color=alt.Color("copy:N", scale=grey, legend=LEGEND),
            strokeDash=alt.StrokeDash("copy:N", scale=dashes, legend=LEGEND),
            tooltip=[tip("copy:N"), tip("layer:O"), tip(f"{statistic.name}:Q", statistic.format, statistic.label)],
        )
    ]


def copies_in_words(copies: Mapping[str, pd.DataFrame], statistic: Statistic) -> str:
    """The means of the copies over their layers, for who cannot see the lines."""
    return "".join(f"; {name} {statistic.text(layers[statistic.name].mean())}" for name, layers in copies.items())
