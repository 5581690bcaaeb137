"""Which heads pair the same tokens? Every head with every other, cluster by cluster."""

import altair as alt
import numpy as np
import pandas as pd

from attn_core.charts.described import share
from attn_core.charts.marks import click
from attn_core.charts.style import CHANCE, layered, tip
from attn_core.charts.word_grid import above_zero
from attn_core.head import Head

SIDE = 600  # pixels


def likeness_map(overlap: np.ndarray, heads: pd.DataFrame, chance: float) -> alt.LayerChart:
    """Heads x heads, coloured by how much more strong pairs two have in common than by chance; lines between clusters.

    overlap: (H, H), in the order of heads, which has the columns layer, head and cluster. Clicking a cell selects the head of
    its row.
    """
    order = np.argsort(heads["cluster"].to_numpy(), kind="stable")
    ordered = heads.iloc[order].assign(
        name=[str(Head.of_row(*row)) for row in heads[["layer", "head"]].to_numpy()[order]]
    )
    row, column = np.nonzero(~np.eye(len(order), dtype=bool))
    data = ordered[["layer", "head", "name"]].iloc[row].reset_index(drop=True)
    data = data.assign(
        other=ordered["name"].to_numpy()[column], share=overlap[np.ix_(order, order)][row, column].round(4)
    )
    data["excess"] = (data["share"] - chance).clip(lower=0)
    begins = ordered[ordered["cluster"] != ordered["cluster"].shift()].iloc[1:]
    domain = alt.Scale(domain=ordered["name"].tolist())
    axis = alt.Axis(labelOverlap=True, labelFontSize=9)
    x = alt.X("other:N", scale=domain, title="heads, cluster by cluster", axis=axis)
    y = alt.Y("name:N", scale=domain, title="heads, cluster by cluster", axis=axis)
    tooltip = [
        tip("name:N", title="head"),
        tip("other:N", title="and"),
        tip("share:Q", ".1%", "strong pairs in common"),
    ]
    colour = above_zero(data["excess"], "in common above chance", ".0%").colour
    cells = alt.Chart(data).mark_rect(cursor="pointer").encode(x=x, y=y, color=colour, tooltip=tooltip)
    line = alt.Chart(begins[["name"]]).mark_rule(color=CHANCE, strokeWidth=2)
    lines = [line.encode(x=alt.X("name:N", bandPosition=0)), line.encode(y=alt.Y("name:N", bandPosition=0))]
    most = data.loc[data["share"].idxmax()]
    return layered(
        [cells.add_params(click()), *lines],
        height=SIDE,
        description=f"Strong pairs that every two of {len(order)} heads have in common: mean {share(data['share'].mean())}; "
        f"the most, {share(most['share'])}, in {most['name']} and {most['other']}; chance {share(chance)}.",
    )
