"""Heads by cluster and by role: the silhouettes, the profiles of clusters, the map of all heads."""

from typing import Literal

import altair as alt
import numpy as np
import pandas as pd

from attn_core.charts.described import between, counted, grid, number
from attn_core.charts.marks import LEGEND, click, frames, gradient, head_grid, in_cells, legend_columns, map_height
from attn_core.charts.style import ACCENT, BLANK, CELL, CLICKED, diverging, ink, layered, tip
from attn_core.measures.anchors import shown_anchors
from attn_core.measures.few_pairs import too_few
from attn_core.measures.roles import BY_NAME as BY_ROLE
from attn_core.measures.roles import names_for
from attn_core.measures.statistics import BY_NAME

# Okabe and Ito's colours, told apart by all kinds of eyes; the ninth is for heads in no cluster.
COLOURS = ["#2f86d1", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#8c6d31", "#b3a800"]
NONE = "#9aa0a6"
PROFILE_AXIS = 110  # pixels that the slanted labels above the profiles take
Group = Literal["role", "cluster"]  # what the colours of heads are of


def silhouette_curve(silhouettes: dict[int, float], chosen: int) -> alt.LayerChart:
    """Mean silhouette by number of clusters, the chosen number marked."""
    data = pd.DataFrame({"clusters": list(silhouettes), "silhouette": list(silhouettes.values())})
    line = alt.Chart(data).encode(
        x=alt.X("clusters:O", title="number of clusters", axis=alt.Axis(labelAngle=0)),
        y=alt.Y("silhouette:Q", title="mean silhouette", scale=alt.Scale(zero=True)),
        tooltip=[tip("clusters:O"), tip("silhouette:Q", ".2f")],
    )
    points = line.mark_point(filled=True, color=ACCENT, opacity=1)
    points = points.encode(size=alt.condition(f"datum.clusters == {chosen}", alt.value(220), alt.value(50)))
    told = between(data["silhouette"], data["clusters"].astype(str) + " clusters", number)
    return layered(
        [line.mark_line(color=ACCENT, strokeWidth=2.5), points],
        height=210,
        description=f"Mean silhouette by number of clusters: from {told}, {chosen} chosen.",
    )


def profile_table(profiles: pd.DataFrame) -> alt.LayerChart:
    """Clusters x features, coloured by the mean z-score and with it in the cell; 0 is the mean of all heads."""
    data = profiles.assign(
        shown=profiles["z"].map("{:+z.1f}".format),
        z=profiles["z"].round(2) + 0.0,  # which the tooltip would print as -0.00
        statistic=[BY_NAME[feature].label for feature in profiles["feature"]],
        name=[
            f"{name} ({heads} {'head' if heads == 1 else 'heads'})"
            for name, heads in zip(cluster_names(profiles["cluster"]), profiles["heads"], strict=True)
        ],
    )
    limit = max(1.0, float(data["z"].abs().max()))
    base = alt.Chart(data).encode(
        x=alt.X(
            "statistic:N",
            sort=None,
            title=None,
            # Labels lie to the left of their columns, where the names of the clusters leave room.
            axis=alt.Axis(orient="top", labelAngle=40, labelLimit=200, labelOverlap=False),
        ),
        y=alt.Y("name:N", title=None, axis=alt.Axis(labelLimit=200, labelFlush=False)),
        tooltip=[tip("name:N"), tip("statistic:N"), tip("z:Q", "+.2f", "mean z-score")],
    )
    cells = base.mark_rect().encode(
        color=alt.Color("z:Q", scale=diverging(limit), legend=gradient("mean z-score", "+.1f"))
    )
    numbers = in_cells(base, data["feature"].nunique(), data["shown"].str.len().max())
    numbers = numbers.encode(text="shown:N", color=ink("z", limit))
    return layered(
        [cells, numbers],
        height=PROFILE_AXIS + CELL * data["cluster"].nunique() + LEGEND,
        description=f"Mean z-scores of {data['feature'].nunique()} statistics in {data['cluster'].nunique()} clusters: from "
        f"{between(data['z'], data['statistic'] + ', ' + data['name'], '{:+z.1f}'.format)}; 0 is the mean of all heads.",
    )


def role_map(heads: pd.DataFrame, by: Group = "role") -> alt.LayerChart:
    """Layers x heads with the role in each cell, by colour and by a short word, or with the number of its cluster.

    heads: with a column cluster where that is what the colours are of. Clicking a cell selects its head.
    """
    short = {name: role.short for name, role in BY_ROLE.items()} | {f"cluster {n}": f"{n}" for n in range(1, 10)}
    names, colours = colours_of_groups(heads, by)
    data = heads[[*dict.fromkeys(["layer", "head", "role", "second_role", "role_rule", by])]].assign(
        anchor=shown_anchors(heads), short=heads[by].map(short)
    )
    base = head_grid(
        data,
        *([tip("cluster:N")] if by == "cluster" else []),
        tip("role:N"),
        tip("second_role:N", title="second role"),
        tip("role_rule:N", title="rule"),
        tip("anchor:N"),
    )
    cells = base.mark_rect(**CLICKED)
    cells = cells.encode(
        color=alt.value(BLANK)
        if too_few(heads)
        else alt.Color(
            f"{by}:N",
            scale=alt.Scale(domain=names, range=colours),
            legend=alt.Legend(
                title=None, orient="bottom", columns=legend_columns(names), symbolType="square", symbolStrokeWidth=0
            ),
        )
    )
    words = in_cells(base, data["head"].nunique(), data["short"].str.len().max(), cursor="pointer", color="#1f2328")
    words = words.encode(text="short:N")
    return layered(
        [cells.add_params(click()), words, *frames(data)],
        height=map_height(data) + LEGEND,
        description=f"{by.capitalize()}s of {grid(data)}: {counted(data[by])}.",
    )


def cluster_names(labels: np.ndarray | pd.Series) -> list[str]:
    """Words for cluster numbers; 0 is for heads of too few pairs, which are in none."""
    return [f"cluster {label}" if label else "no cluster" for label in labels]


def colours_of_groups(heads: pd.DataFrame, by: Group) -> tuple[list[str], list[str]]:
    """The roles or the clusters of heads in their order, and a colour for each."""
    if by == "role":
        names = names_for(heads["role"])
        return names, [BY_ROLE[name].colour for name in names]
    names = sorted(heads["cluster"].unique())
    return names, [NONE if name == "no cluster" else COLOURS[int(name.split()[1]) - 1] for name in names]
