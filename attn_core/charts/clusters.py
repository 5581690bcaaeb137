"""Heads by likeness and by role: their projection, the silhouettes, the profiles of clusters, the map of roles."""

import altair as alt
import numpy as np
import pandas as pd

from attn_core.charts.described import between, counted, grid, number
from attn_core.charts.marks import LEGEND, click, frames, gradient, head_grid, letters, map_height
from attn_core.charts.once import once
from attn_core.charts.style import ACCENT, CELL, CHANCE, CHANCE_DASH, diverging, ink, layered
from attn_core.head import Head
from attn_core.measures.clusters import Clustering
from attn_core.measures.roles import BY_NAME as BY_ROLE
from attn_core.measures.statistics import BY_NAME

# Okabe and Ito's colours, told apart by all kinds of eyes; the ninth is for heads in no cluster.
COLOURS = ["#2f86d1", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#8c6d31", "#b3a800"]
NONE = "#9aa0a6"
LABELS = "#7d8590"  # readable on white and on black
LABEL = np.array([32, 10])  # pixels of a label
POINT = np.array([10, 10])  # pixels of a point
PICTURE = np.array([640, 420])  # pixels between the axes on a narrow screen: labels that fit there fit on wider ones
PROFILE_AXIS = 110  # pixels that the slanted labels above the profiles take
ROLE_SHAPES = alt.Scale(domain=list(BY_ROLE), range=[role.shape for role in BY_ROLE.values()])
ROLE_COLOURS = {name: role.colour for name, role in BY_ROLE.items()}


@once
def projection(heads: pd.DataFrame, clustering: Clustering, a: Head, b: Head) -> alt.LayerChart:
    """Every head a labelled point on two principal components; colour is its cluster, shape its role.

    heads: layer, head, role, anchor, in the order of the clustering. Clicking a point selects its head.
    """
    offsets = label_offsets(clustering.projection)
    data = heads[["layer", "head", "role", "anchor"]].assign(
        first=clustering.projection[:, 0],
        second=clustering.projection[:, 1],
        dx=offsets[:, 0],
        dy=offsets[:, 1],
        cluster=cluster_names(clustering.labels),
        name=[str(Head.of_row(*head)) for head in zip(heads["layer"], heads["head"], strict=True)],
    )
    axes = [
        f"component {rank} ({share:.0%} of the variance)" for rank, share in enumerate(clustering.explained, start=1)
    ]
    names = sorted(data["cluster"].unique())
    x = alt.X("first:Q", title=axes[0], scale=alt.Scale(zero=False, nice=False, padding=46))
    y = alt.Y("second:Q", title=axes[1], scale=alt.Scale(zero=False, nice=False, padding=16))
    told = [
        alt.Tooltip("name:N", title="head"),
        alt.Tooltip("cluster:N"),
        alt.Tooltip("role:N"),
        alt.Tooltip("anchor:N"),
    ]
    colour = alt.Color(
        "cluster:N",
        scale=alt.Scale(domain=names, range=[_cluster_colour(name) for name in names]),
        legend=alt.Legend(title=None, orient="top", columns=4),
    )
    shape = alt.Shape(
        "role:N",
        scale=ROLE_SHAPES,
        legend=alt.Legend(title=None, orient="bottom", columns=3, symbolFillColor=NONE, symbolStrokeColor=NONE),
    )
    base = alt.Chart(data)
    points = base.mark_point(size=60, filled=True, opacity=0.9, cursor="pointer").encode(
        x=x, y=y, color=colour, shape=shape, tooltip=told
    )
    labels = base.mark_text(
        fontSize=9, cursor="pointer", color=LABELS, dx=alt.ExprRef("datum.dx"), dy=alt.ExprRef("datum.dy")
    ).encode(x=x, y=y, text=alt.Text("name:N"), tooltip=told)
    rings = [mark.encode(x=x, y=y) for mark in letters(data, a, b)]
    zoom = alt.selection_interval(bind="scales", name="zoom")
    return layered(points.add_params(click(), zoom), labels, *rings).properties(
        height=600,
        description=f"{len(data)} heads on two principal components of their statistics ({clustering.explained[0]:.0%} and "
        f"{clustering.explained[1]:.0%} of the variance): {counted(data['cluster'])}; roles: {counted(data['role'])}.",
    )


def label_offsets(points: np.ndarray) -> np.ndarray:
    """Where to write a label beside each of the points, (H, 2) -> (H, 2): pixels right and down from the point.

    Label after label takes the place at its point that covers the fewest labels and points so far.
    """
    span = np.ptp(points, axis=0)
    span[span == 0] = 1.0
    pixels = points / span * PICTURE * [1, -1]
    angles = np.pi * np.array([0, 1, 0.5, 1.5, 0.25, 1.75, 0.75, 1.25])
    around = np.rint(np.stack([np.cos(angles), np.sin(angles)], axis=1) * (LABEL / 2 + [7, 6]))
    offsets = np.concatenate([around, around * 1.3])
    placed = np.empty_like(pixels)
    chosen = np.empty_like(pixels)
    for at, point in enumerate(pixels):
        candidates = point + offsets
        on_labels = _covered(candidates, placed[:at], LABEL)
        on_points = _covered(candidates, np.delete(pixels, at, axis=0), (LABEL + POINT) / 2)
        best = (on_labels + on_points).argmin()
        chosen[at], placed[at] = offsets[best], candidates[best]
    return chosen


def _covered(candidates: np.ndarray, others: np.ndarray, size: np.ndarray) -> np.ndarray:
    """How much of the others lies under each candidate, (C,); size: from where on two do not touch."""
    gaps = np.abs(candidates[:, None] - others)
    return np.maximum(1 - gaps / size, 0).prod(axis=2).sum(axis=1)


@once
def silhouette_curve(silhouettes: dict[int, float], chance: dict[int, float], chosen: int) -> alt.LayerChart:
    """Mean silhouette by number of clusters, the chosen number marked, one cloud without clusters dashed."""
    data = pd.DataFrame(
        {
            "clusters": list(silhouettes),
            "silhouette": list(silhouettes.values()),
            "chance": [chance.get(number, np.nan) for number in silhouettes],
        }
    )
    x = alt.X("clusters:O", title="number of clusters", axis=alt.Axis(labelAngle=0))
    tooltip = [
        alt.Tooltip("clusters:O"),
        alt.Tooltip("silhouette:Q", format=".2f"),
        alt.Tooltip("chance:Q", format=".2f"),
    ]
    line = (
        alt.Chart(data)
        .mark_line(color=ACCENT, strokeWidth=2.5)
        .encode(x=x, y=alt.Y("silhouette:Q", title="mean silhouette", scale=alt.Scale(zero=True)))
    )
    points = (
        alt.Chart(data)
        .mark_point(filled=True, color=ACCENT, opacity=1)
        .encode(
            x=x,
            y=alt.Y("silhouette:Q"),
            size=alt.condition(f"datum.clusters == {chosen}", alt.value(220), alt.value(50)),
            tooltip=tooltip,
        )
    )
    by_chance = (
        alt.Chart(data).mark_line(color=CHANCE, strokeDash=CHANCE_DASH, strokeWidth=2).encode(x=x, y=alt.Y("chance:Q"))
    )
    label = (
        alt.Chart(data.tail(1))
        .mark_text(color=CHANCE, align="right", dy=12, fontSize=12, text="one cloud, no clusters")
        .encode(x=x, y=alt.Y("chance:Q"))
    )
    told = between(data["silhouette"], data["clusters"].astype(str) + " clusters", number)
    return layered(line, by_chance, label, points).properties(
        height=210,
        description=f"Mean silhouette by number of clusters: from {told}, {chosen} chosen; one cloud without clusters gives "
        f"{number(data['chance'].min())} to {number(data['chance'].max())}.",
    )


@once
def profile_table(profiles: pd.DataFrame) -> alt.LayerChart:
    """Clusters x features, coloured by the mean z-score and with it in the cell; 0 is the mean of all heads."""
    data = profiles.assign(
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
            axis=alt.Axis(orient="top", labelAngle=-40, labelLimit=200, labelOverlap=False),
        ),
        y=alt.Y("name:N", title=None, axis=alt.Axis(labelLimit=200)),
        tooltip=[
            alt.Tooltip("name:N"),
            alt.Tooltip("statistic:N"),
            alt.Tooltip("z:Q", title="mean z-score", format="+.2f"),
        ],
    )
    cells = base.mark_rect().encode(
        color=alt.Color("z:Q", scale=diverging(limit), legend=gradient("mean z-score", "+.1f"))
    )
    numbers = base.mark_text(fontSize=12).encode(text=alt.Text("z:Q", format="+.1f"), color=ink("z", limit))
    return layered(cells, numbers).properties(
        height=PROFILE_AXIS + CELL * data["cluster"].nunique() + LEGEND,
        description=f"Mean z-scores of {data['feature'].nunique()} statistics in {data['cluster'].nunique()} clusters: from "
        f"{between(data['z'], data['statistic'] + ', ' + data['name'], '{:+.1f}'.format)}; 0 is the mean of all heads.",
    )


@once
def role_map(heads: pd.DataFrame, a: Head, b: Head) -> alt.LayerChart:
    """Layers x heads with the role in each cell, by colour and by a short word. Clicking a cell selects its head."""
    short = {name: role.short for name, role in BY_ROLE.items()}
    data = heads[["layer", "head", "role", "role_rule", "anchor"]].assign(short=heads["role"].map(short))
    base = head_grid(
        data,
        alt.Tooltip("role:N"),
        alt.Tooltip("role_rule:N", title="rule"),
        alt.Tooltip("anchor:N"),
    )
    cells = base.mark_rect(cursor="pointer", stroke="#ffffff", strokeOpacity=0.35).encode(
        color=alt.Color(
            "role:N",
            scale=alt.Scale(domain=list(ROLE_COLOURS), range=list(ROLE_COLOURS.values())),
            legend=alt.Legend(title=None, orient="bottom", columns=3, symbolType="square"),
        )
    )
    words = base.mark_text(
        fontSize=alt.ExprRef(f"max(7, min(12, width / {2.6 * data['head'].nunique()}))"),
        cursor="pointer",
        color="#1f2328",
    ).encode(text=alt.Text("short:N"))
    return layered(cells.add_params(click()), words, *frames(data, a, b)).properties(
        height=map_height(data) + LEGEND, description=f"Roles of {grid(data)}: {counted(data['role'])}."
    )


def cluster_names(labels: np.ndarray | pd.Series) -> list[str]:
    """Words for cluster numbers; 0 is for the heads that HDBSCAN puts into none."""
    return [f"cluster {label}" if label else "no cluster" for label in labels]


def _cluster_colour(name: str) -> str:
    return COLOURS[(int(name.split()[1]) - 1) % len(COLOURS)] if name != "no cluster" else NONE
