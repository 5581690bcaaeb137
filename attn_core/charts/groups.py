"""Charts of roles and clusters of heads: maps, counts, scatter plot, cluster profiles, common strong pairs."""

from collections.abc import Sequence
from itertools import cycle
from typing import Any, Literal

import altair as alt
import numpy as np
import pandas as pd

from attn_core.charts.curve import THIS_MODEL
from attn_core.charts.descriptions import counted, printed
from attn_core.charts.head_map import head_map
from attn_core.charts.role_words import LOOKS, role_rules, shown_anchors
from attn_core.charts.style import BLANK, CHANCE, COLOURS, DASHED, POINT, by_name, click, layered, legend, ringed, tip
from attn_core.charts.word_grid import BLANK_CELLS, above_zero, around_zero, of_names, word_grid
from attn_core.head import Head
from attn_core.measures.few_pairs import too_few
from attn_core.measures.roles import REMOVED, names_for
from attn_core.measures.stable_roles import SETTINGS
from attn_core.measures.statistics import BY_NAME, Statistic
from attn_core.similarity.strong_pairs import LABELLED_MEASURES

NONE = "#9aa0a6"  # of heads in no cluster
Group = Literal["role", "cluster"]  # the column that colours the heads
SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right"]
SIDE = 600  # pixels, height of the matrix of heads
FILLS = [CHANCE, "transparent"]  # bars of the copies
ROW = 46  # pixels per role
PALE_BAR = 0.35  # opacity, also of the outline of a bar
STABLE_OR_NOT = "full: the role is stable; pale: it is not"
SILHOUETTE = Statistic("silhouette", "mean silhouette", "ratio", "")
NUMBER = alt.X("clusters:O", title="number of clusters", axis=alt.Axis(labelAngle=0))


def profile_table(profiles: pd.DataFrame) -> alt.LayerChart:
    """Grid of clusters x statistics with mean z-scores, where 0 is the mean of all heads."""
    counts = [f"({heads} {'head' if heads == 1 else 'heads'})" for heads in profiles["heads"]]
    data = profiles.assign(
        word=printed(profiles["z"], "+.1f"),
        statistic=[BY_NAME[feature].label for feature in profiles["feature"]],
        name=[f"{name} {count}" for name, count in zip(cluster_names(profiles["cluster"]), counts, strict=True)],
    )
    shade = around_zero(data["z"], "mean z-score", "+.1f", max(1.0, float(data["z"].abs().max())))
    tooltip = [tip("name:N"), tip("statistic:N"), tip("z:Q", "+.2f", "mean z-score")]
    return word_grid(data, "statistic", "name", shade, tooltip, angle=40)


def role_map(heads: pd.DataFrame, by: Group = "role") -> alt.LayerChart:
    """Map of the role or cluster of each head.

    heads: with the column `by`, and for pale cells where a role is not stable the column stable, see `with_stable`.
    """
    short = {name: look.short for name, look in LOOKS.items()}
    words = heads[by].map(short) if by == "role" else heads[by].str.removeprefix("cluster ").replace("no cluster", "–")
    data = heads.assign(anchor=shown_anchors(heads), word=words, rule=role_rules(heads))
    title, pale, said = None, heads["role"] == REMOVED, ""
    tooltip = [tip(f"{name}:N") for name in ("cluster", "role") if name in heads]
    tooltip += [tip("second_role:N", title="second role"), tip("rule:N"), tip("anchor:N")]
    if "stable" in heads:
        tooltip.append(tip("stable:N"))
        pale = ~heads["stable"].eq(True)
        if heads["stable"].isna().any():
            title = "pale: stable roles are not read yet"
        else:
            title = STABLE_OR_NOT
            said = f"stable: {counted(data.loc[heads['stable'], by]) or 'none'}"
    shade = BLANK_CELLS
    if not too_few(heads):
        shade = of_names(data[by], colours_of_groups(heads, by), title, pale.tolist())
    return head_map(data, shade, tooltip, said=said)


def settings_grid(roles: pd.DataFrame, head: Head) -> alt.LayerChart:
    """Grid of the roles of a head by measure and share of strong pairs.

    roles: the table of `stable_roles`; without rows, the grid has no words.
    """
    labels = {measure: label for label, measure in LABELLED_MEASURES.items()}
    data = pd.DataFrame(SETTINGS.values(), columns=["measure", "share"])
    data = data.assign(measure=data["measure"].map(labels), share=[f"top {100 * share:g}%" for share in data["share"]])
    data["word"] = head.rows_of(roles).iloc[0][list(SETTINGS)].to_list() if len(roles) else ""
    colours = {"": BLANK, **{name: look.colour for name, look in LOOKS.items()}}
    return word_grid(
        data, "share", "measure", of_names(data["word"], colours, named=False),
        [tip("measure:N"), tip("share:N"), tip("word:N", title="role")],
    )  # fmt: skip


def heads_of_roles(counts: pd.DataFrame) -> alt.LayerChart:
    """Bar chart of the number of heads per role, pale where it is not stable, with grey bars for copies of the model.

    counts: subject (`THIS_MODEL` and the copies), role, stable (bool), heads; NaN until they are read.
    """
    subjects = list(dict.fromkeys(counts["subject"]))
    colours = colours_of_groups(counts, "role")
    base = alt.Chart(counts).encode(
        x=alt.X("heads:Q", title="number of heads", axis=alt.Axis(format="d", tickMinStep=1)),
        y=alt.Y("role:N", sort=list(colours), title=None),
        yOffset=alt.YOffset("subject:N", sort=subjects),
        opacity=alt.Opacity("stable:N", scale=alt.Scale(domain=[True, False], range=[1, PALE_BAR]), legend=None),
        order=alt.Order("stable:N", sort="descending"),
        tooltip=[tip("role:N"), tip("subject:N", title="of"), tip("stable:N"), tip("heads:Q")],
    )
    own = base.transform_filter(alt.datum.subject == THIS_MODEL).mark_bar()
    below: dict[str, Any] = {"orient": "bottom", "titleLimit": 320, "symbolType": "square", "symbolStrokeColor": CHANCE}
    bars = dict(zip([f"{THIS_MODEL}, coloured", *subjects[1:]], [next(iter(colours.values())), *FILLS], strict=False))
    filled = by_name(alt.Fill, "subject", bars, legend(title=STABLE_OR_NOT, columns=2, **below))
    copies = base.transform_filter(alt.datum.subject != THIS_MODEL).mark_bar(stroke=CHANCE)
    of_subjects = counts.pivot_table("heads", ["subject", "role"], "stable", sort=False)
    numbers = [
        f"{subject} {', '.join(f'{role} {heads[True]:.0f} of {heads.sum():.0f}' for (_, role), heads in of.iterrows())}"
        for subject, of in of_subjects.groupby(level=0, sort=False)
    ]
    return layered(
        [
            own.encode(color=by_name(alt.Color, "role", colours)),
            *([copies.encode(fill=filled)] if subjects[1:] else []),
        ],
        ROW * len(colours) + 110,
        f"so many of them stable: {'; '.join(numbers)}",
    )


def scatter(
    heads: pd.DataFrame, x: Statistic, y: Statistic, by: Group | None = "role", tooltip: Sequence[str] = ()
) -> alt.LayerChart:
    """Scatter plot of heads by two statistics, with mean chance levels as dashed lines.

    heads: layer, head, both statistics with chance, and the columns `by` and `tooltip`.
    """
    columns = dict.fromkeys(["layer", "head", x.name, y.name, *([by] if by else []), *tooltip])
    data = heads[list(columns)]
    across, up = alt.X(f"{x.name}:Q", **_axis(heads, x)), alt.Y(f"{y.name}:Q", **_axis(heads, y))
    tips = [tip("layer:O"), tip("head:O"), *(tip(f"{one.name}:Q", one.format, one.label) for one in (x, y))]
    tips += [tip(f"{column}:Q", ".3f") for column in tooltip]
    points = alt.Chart(data).mark_point(filled=True, size=70, opacity=0.9, cursor="pointer")
    lines = [
        alt.Chart(pd.DataFrame({"at": [heads[x.chance].mean()]})).mark_rule(**DASHED).encode(x=alt.X("at:Q")),
        alt.Chart(pd.DataFrame({"at": [heads[y.chance].mean()]})).mark_rule(**DASHED).encode(y=alt.Y("at:Q")),
    ]
    return layered(
        [
            *lines,
            points.encode(x=across, y=up, tooltip=tips, **_look(heads, by)).add_params(click()),
            *(mark.encode(x=across, y=up) for mark in ringed(data)),
        ],
        390,
    )


def likeness_map(overlap: pd.DataFrame, heads: pd.DataFrame, chance: float) -> alt.LayerChart:
    """Matrix of heads x heads, sorted by cluster, with the share of common strong pairs above chance.

    overlap: a row and a column per head, in the order of `heads` (layer, head, cluster). A click selects the head of a
    row.
    """
    order = np.argsort(heads["cluster"].to_numpy(), kind="stable")
    names = [str(Head.of_row(*row)) for row in heads[["layer", "head"]].to_numpy()[order]]
    ordered = heads.iloc[order].assign(name=names)
    row, column = np.nonzero(~np.eye(len(order), dtype=bool))
    shared = overlap.to_numpy()[np.ix_(order, order)][row, column].round(4)
    data = ordered[["layer", "head", "name"]].iloc[row].reset_index(drop=True)
    data = data.assign(other=ordered["name"].to_numpy()[column], share=shared, excess=(shared - chance).clip(min=0))
    axis: dict[str, Any] = {
        "scale": alt.Scale(domain=names), "title": "heads, by cluster",
        "axis": alt.Axis(labelOverlap=True, labelFontSize=9),
    }  # fmt: skip
    tooltip = [
        tip("name:N", title="head"), tip("other:N", title="and"), tip("share:Q", ".1%", "strong pairs in common"),
    ]  # fmt: skip
    colour = above_zero(data["excess"], "in common above chance", ".0%").colour
    cells = alt.Chart(data).mark_rect(cursor="pointer").encode(color=colour, tooltip=tooltip)
    begins = ordered[ordered["cluster"] != ordered["cluster"].shift()].iloc[1:]
    line = alt.Chart(begins[["name"]]).mark_rule(color=CHANCE, strokeWidth=2)
    return layered(
        [
            cells.encode(x=alt.X("other:N", **axis), y=alt.Y("name:N", **axis)).add_params(click()),
            line.encode(x=alt.X("name:N", bandPosition=0)),
            line.encode(y=alt.Y("name:N", bandPosition=0)),
        ],
        SIDE,
        f"mean of every two {data['share'].mean():.0%}, chance {chance:.0%}",
    )


def cluster_names(labels: np.ndarray | pd.Series) -> list[str]:
    """Names of cluster numbers; 0 is "no cluster", for heads with too few pairs."""
    return [f"cluster {label}" if label else "no cluster" for label in labels]


def colours_of_groups(heads: pd.DataFrame, by: Group) -> dict[str, str]:
    """The colour of each role or cluster of heads, by name."""
    if by == "role":
        return {name: LOOKS[name].colour for name in names_for(heads["role"])}
    names = sorted(heads["cluster"].unique())
    return {name: NONE if name == "no cluster" else COLOURS[int(name.split()[1]) - 1] for name in names}


def _axis(heads: pd.DataFrame, of: Statistic) -> dict[str, Any]:
    """Title, scale and axis of a statistic; without values below 0, labels below 0 are left out."""
    labels = alt.Undefined if heads[of.name].min() < 0 else "datum.value < 0 ? '' : datum.label"
    return {
        "title": f"{of.axis_title}; dashed: chance",
        "scale": alt.Scale(zero=False, nice=False, padding=16),
        "axis": alt.Axis(format=of.axis_format, labelExpr=labels),
    }


def _look(heads: pd.DataFrame, by: Group | None) -> dict[str, Any]:
    """Colour and shape of the groups of heads: some colours are alike to the colour-blind."""
    if by is None or too_few(heads):
        return {"color": alt.ColorValue(POINT if by is None else NONE)}
    colours = colours_of_groups(heads, by)
    shapes = dict(zip(colours, cycle(SHAPES), strict=False))
    above = legend(colours)
    return {"color": by_name(alt.Color, by, colours, above), "shape": by_name(alt.Shape, by, shapes, above)}
