"""Bar charts: kinds of strong pairs, shares of one head beside chance, heads of each role."""

import altair as alt
import pandas as pd

from attn_core.charts.clusters import colours_of_groups
from attn_core.charts.curve import THIS_MODEL
from attn_core.charts.descriptions import share
from attn_core.charts.style import ACCENT, AXES, CHANCE, IS_A, IS_B, A, B, click, layered, legend_columns, tip
from attn_core.measures.kinds import KINDS

FILLS = [CHANCE, "transparent"]  # of the bars of the copies
ROW = 46  # pixels of a role
# The colours of the roles that mean the same (Okabe and Ito's); the last kind has no property.
KIND_COLOURS = ["#d55e00", "#56b4e9", "#e69f00", "#cc79a7", "#009e73", "#c9ccd1"]
BY_CHANCE = "chance"


def bars_beside_chance(rows: pd.DataFrame, by: str, axis_title: str, title: str) -> alt.LayerChart:
    """A bar for each row, in their order, with a grey bar of chance below it.

    rows: the column `by`, share and chance_share. title: what is shown, for the description.
    """
    y = alt.Y(f"{by}:N", sort=rows[by].tolist(), title=axis_title, axis=alt.Axis(labelLimit=160))
    tooltip = [tip(f"{by}:N"), tip("share:Q", ".1%"), tip("chance_share:Q", ".1%", "chance")]
    base = alt.Chart(rows).encode(y=y, tooltip=tooltip)
    x = alt.X("share:Q", title="share of its strong pairs; grey: chance", axis=alt.Axis(format="%"))
    bars = base.mark_bar(height=12, yOffset=-3).encode(
        x=x, color=_of_kinds(None) if by == "kind" else alt.ColorValue(ACCENT)
    )
    chance = base.mark_bar(height=5, yOffset=6.5, color=CHANCE).encode(x=alt.X("chance_share:Q"))
    most = rows.loc[(rows["share"] - rows["chance_share"]).idxmax()]
    return layered(
        [bars, chance],
        AXES + 23 * len(rows),
        f"{title}: furthest above chance is {most[by]}, {share(most['share'])} (chance {share(most['chance_share'])}).",
    )


def kinds_at_a_glance(kinds: pd.DataFrame) -> alt.LayerChart:
    """A stacked bar for each head, layer by layer, and one for chance at the left. A click selects a head.

    kinds: the table of `kinds.kind_table`.
    """
    chance = kinds.groupby("kind", sort=False)["chance_share"].mean().rename("share").reset_index()
    heads = kinds.assign(group=kinds["layer"].astype(str))[["group", "layer", "head", "kind", "share", "chance_share"]]
    data = pd.concat([chance.assign(group=BY_CHANCE, chance_share=chance["share"]), heads], ignore_index=True)
    data["place"] = [KINDS.index(kind) for kind in data["kind"]]
    groups = [BY_CHANCE, *map(str, sorted(kinds["layer"].unique()))]
    x = alt.X("group:N", sort=groups, title="layer", axis=alt.Axis(labelAngle=0, labelOverlap=False))
    offset = alt.XOffset("head:O", sort=sorted(kinds["head"].unique().tolist()))
    y = alt.Y("share:Q", title="strong pairs", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1]))
    colour = _of_kinds(alt.Legend(title=None, orient="top", columns=legend_columns(KINDS)))
    shares = [tip("share:Q", ".1%", "share of strong pairs"), tip("chance_share:Q", ".1%", "chance")]
    base = alt.Chart(data).encode(x=x, y=y, color=colour, order=alt.Order("place:Q"))
    bars = base.transform_filter("isValid(datum.layer)").mark_bar(cursor="pointer")
    bars = bars.encode(xOffset=offset, tooltip=[tip("layer:O"), tip("head:O"), tip("kind:N"), *shares])
    by_chance = base.transform_filter("!isValid(datum.layer)").mark_bar(width=alt.RelativeBandSize(0.7))
    letters = [
        alt.Chart(data)
        .transform_filter(f"datum.place == 0 && {here}")
        .mark_text(fontSize=14, fontWeight="bold", color=of_head, text=which, dy=-9)
        .encode(x=x, xOffset=offset, y=alt.datum(1))
        for which, here, of_head in (("A", IS_A, A), ("B", IS_B, B))
    ]
    means = kinds.groupby("kind", sort=False)[["share", "chance_share"]].mean()
    numbers = [f"{kind} {share(row['share'])} ({share(row['chance_share'])})" for kind, row in means.iterrows()]
    return layered(
        [bars.add_params(click()), by_chance.encode(tooltip=[tip("kind:N"), shares[0]]), *letters],
        height=262,
        description=f"Kinds of the strong pairs of {len(heads) // len(KINDS)} heads, mean (chance): "
        f"{', '.join(numbers)}.",
    )


def heads_of_roles(counts: pd.DataFrame) -> alt.LayerChart:
    """A bar for the number of heads of each role, and grey bars for the copies of the model.

    counts: a row for each role, a column for `THIS_MODEL` and one for each copy.
    """
    subjects = list(counts)
    data = counts.rename_axis("role").reset_index().melt("role", var_name="subject", value_name="heads")
    names, colours = colours_of_groups(data, "role")
    base = alt.Chart(data).encode(
        x=alt.X("heads:Q", title="heads; in colours: this model", axis=alt.Axis(format="d", tickMinStep=1)),
        y=alt.Y("role:N", sort=names, title=None),
        yOffset=alt.YOffset("subject:N", sort=subjects),
        tooltip=[tip("role:N"), tip("subject:N", title="of"), tip("heads:Q")],
    )
    own = base.transform_filter(alt.datum.subject == THIS_MODEL).mark_bar()
    own = own.encode(color=alt.Color("role:N", scale=alt.Scale(domain=names, range=colours), legend=None))
    legend = alt.Legend(title=None, orient="bottom", symbolType="square", symbolStrokeColor=CHANCE)
    filled = alt.Fill("subject:N", scale=alt.Scale(domain=subjects[1:], range=FILLS), legend=legend)
    copies = base.transform_filter(alt.datum.subject != THIS_MODEL).mark_bar(stroke=CHANCE)
    numbers = [
        f"{subject} {', '.join(f'{role} {heads:.0f}' for role, heads in counts[subject].items())}"
        for subject in subjects
    ]
    return layered(
        [own, *([copies.encode(fill=filled)] if subjects[1:] else [])],
        height=ROW * len(names) + 90,
        description=f"Heads of each role: {'; '.join(numbers)}.",
    )


def _of_kinds(legend: alt.Legend | None) -> alt.Color:
    scale = alt.Scale(domain=list(KINDS), range=KIND_COLOURS)
    return alt.Color("kind:N", scale=scale, sort=list(KINDS), legend=legend)
