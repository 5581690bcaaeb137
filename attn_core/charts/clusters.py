"""Heads by cluster and by role: the silhouettes, the profiles of clusters, the map of all heads."""

from typing import Literal

import altair as alt
import numpy as np
import pandas as pd

from attn_core.charts.curve import Across, curve
from attn_core.charts.described import between, counted
from attn_core.charts.head_map import head_map
from attn_core.charts.style import COLOURS, tip
from attn_core.charts.word_grid import BLANK_CELLS, around_zero, of_names, printed, word_grid
from attn_core.measures.anchors import shown_anchors
from attn_core.measures.few_pairs import too_few
from attn_core.measures.roles import BY_NAME as BY_ROLE
from attn_core.measures.roles import names_for
from attn_core.measures.statistics import BY_NAME, Statistic

NONE = "#9aa0a6"  # of heads in no cluster
Group = Literal["role", "cluster"]  # what the colours of heads are of
SILHOUETTE = Statistic("silhouette", "mean silhouette", "ratio", "")


def silhouette_curve(silhouettes: dict[int, float], chosen: int) -> alt.LayerChart:
    """Mean silhouette by number of clusters; the chosen number stands below."""
    data = pd.DataFrame({"clusters": list(silhouettes), "silhouette": list(silhouettes.values())})
    across = Across("clusters:O", "number of clusters", alt.Axis(labelAngle=0))
    return curve(data, across, SILHOUETTE, note=f"chosen: {chosen}")


def profile_table(profiles: pd.DataFrame) -> alt.LayerChart:
    """Clusters x features, coloured by the mean z-score and with it in the cell; 0 is the mean of all heads."""
    counts = [f"({heads} {'head' if heads == 1 else 'heads'})" for heads in profiles["heads"]]
    data = profiles.assign(
        word=printed(profiles["z"], "+.1f"),
        statistic=[BY_NAME[feature].label for feature in profiles["feature"]],
        name=[f"{name} {count}" for name, count in zip(cluster_names(profiles["cluster"]), counts, strict=True)],
    )
    shade = around_zero(data["z"], "mean z-score", "+.1f", max(1.0, float(data["z"].abs().max())))
    ends = between(data["z"], data["statistic"] + ", " + data["name"], "{:+z.1f}".format)
    return word_grid(
        data, "statistic", "name", shade, [tip("name:N"), tip("statistic:N"), tip("z:Q", "+.2f", "mean z-score")],
        f"Mean z-scores of {data['feature'].nunique()} statistics in {data['cluster'].nunique()} clusters: from {ends}; 0 is the "
        "mean of all heads.",
        angle=40,
    )  # fmt: skip


def role_map(heads: pd.DataFrame, by: Group = "role") -> alt.LayerChart:
    """Layers x heads with the role in each cell, by colour and by a short word, or with the number of its cluster.

    heads: with a column cluster where that is what the colours are of.
    """
    short = {name: role.short for name, role in BY_ROLE.items()}
    words = heads[by].map(short) if by == "role" else heads[by].str.removeprefix("cluster ").replace("no cluster", "–")
    data = heads.assign(anchor=shown_anchors(heads), word=words)
    shade = BLANK_CELLS if too_few(heads) else of_names(by, dict(zip(*colours_of_groups(heads, by), strict=True)))
    tooltip = [tip("cluster:N")] if by == "cluster" else []
    tooltip += [
        tip("role:N"),
        tip("second_role:N", title="second role"),
        tip("role_rule:N", title="rule"),
        tip("anchor:N"),
    ]
    return head_map(data, shade, tooltip, f"{by}s, {counted(data[by])}")


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
