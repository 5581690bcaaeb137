"""What heads do in proportion: the kinds of every head's strong pairs in one bar each, and one head beside chance."""

import altair as alt
import pandas as pd

from attn_core.charts.bars import bars_beside_chance
from attn_core.charts.described import share
from attn_core.charts.marks import IS_A, IS_B, click
from attn_core.charts.style import A, B, layered, legend_columns, tip
from attn_core.head import Head
from attn_core.measures.kinds import KINDS

# The colours of the roles that mean the same (Okabe and Ito's); the last kind is what has no property.
COLOURS = alt.Scale(domain=list(KINDS), range=["#d55e00", "#56b4e9", "#e69f00", "#cc79a7", "#009e73", "#c9ccd1"])
BY_CHANCE = "chance"


def kinds_at_a_glance(kinds: pd.DataFrame) -> alt.LayerChart:
    """A stacked bar a head, layer by layer, and at the left what chance gives, mean of the heads. Clicking selects a head.

    kinds: as of `kinds.kind_table`.
    """
    chance = kinds.groupby("kind", sort=False)["chance_share"].mean().rename("share").reset_index()
    heads = kinds.assign(group=kinds["layer"].astype(str))[["group", "layer", "head", "kind", "share", "chance_share"]]
    data = pd.concat([chance.assign(group=BY_CHANCE, chance_share=chance["share"]), heads], ignore_index=True)
    data["place"] = [KINDS.index(kind) for kind in data["kind"]]
    groups = [BY_CHANCE, *map(str, sorted(kinds["layer"].unique()))]
    x = alt.X("group:N", sort=groups, title="layer", axis=alt.Axis(labelAngle=0, labelOverlap=False))
    offset = alt.XOffset("head:O", sort=sorted(kinds["head"].unique().tolist()))
    tooltip = [tip("kind:N"), tip("share:Q", ".1%", "share of strong pairs"), tip("chance_share:Q", ".1%", "chance")]
    colour = alt.Color(
        "kind:N",
        scale=COLOURS,
        sort=list(KINDS),
        legend=alt.Legend(title=None, orient="top", columns=legend_columns(KINDS)),
    )
    bars = alt.Chart(data).transform_filter("isValid(datum.layer)").mark_bar(cursor="pointer")
    bars = bars.encode(
        x=x,
        xOffset=offset,
        y=alt.Y("share:Q", title="strong pairs", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1])),
        color=colour,
        order=alt.Order("place:Q"),
        tooltip=[tip("layer:O"), tip("head:O"), *tooltip],
    )
    by_chance = alt.Chart(data).transform_filter("!isValid(datum.layer)").mark_bar(width=alt.RelativeBandSize(0.7))
    by_chance = by_chance.encode(x=x, y="share:Q", color=colour, order=alt.Order("place:Q"), tooltip=tooltip[:2])
    letters = [
        alt.Chart(data)
        .transform_filter(f"datum.place == 0 && {here}")
        .mark_text(fontSize=14, fontWeight="bold", color=colour, text=which, dy=-9)
        .encode(x=x, xOffset=offset, y=alt.datum(1))
        for which, here, colour in (("A", IS_A, A), ("B", IS_B, B))
    ]
    means = kinds.groupby("kind", sort=False)[["share", "chance_share"]].mean()
    told_means = ", ".join(
        f"{kind} {share(row['share'])} ({share(row['chance_share'])})" for kind, row in means.iterrows()
    )
    return layered(
        [bars.add_params(click()), by_chance, *letters],
        height=262,
        description=f"Kinds of the strong pairs of {len(heads) // len(KINDS)} heads, mean and chance: {told_means}.",
    )


def kinds_of_head(kinds: pd.DataFrame) -> alt.LayerChart:
    """One head: the share of each kind as a bar beside chance. kinds: the rows of that head."""
    head = Head.of_row(*kinds[["layer", "head"]].iloc[0])
    colour = alt.Color("kind:N", scale=COLOURS, legend=None)
    return bars_beside_chance(kinds, "kind", "kind", f"Kinds of the strong pairs of {head}", colour)
