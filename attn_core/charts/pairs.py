"""Charts of strong pairs by distance and by kind, compared with chance."""

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from attn_core.charts.descriptions import printed
from attn_core.charts.style import ACCENT, AXES, CHANCE, DASHED, by_name, click, layered, legend, letters, tip
from attn_core.charts.word_grid import around_zero, word_grid
from attn_core.measures.kinds import KINDS
from attn_core.similarity.words import Unit

DOUBLINGS = "datum.value < 0 ? '1/' + format(pow(2, -datum.value), 'd') : format(pow(2, datum.value), 'd')"
# Colours of the corresponding roles (Okabe and Ito); the last kind has no property.
KIND_COLOURS = dict(zip(KINDS, ("#d55e00", "#56b4e9", "#e69f00", "#cc79a7", "#009e73", "#c9ccd1"), strict=True))
BY_CHANCE = "chance"
THIS_HEAD, ONE_TEXT = "this head", "one text"
MARKS = {THIS_HEAD: "circle", ONE_TEXT: "M0,-1.4L0,1.4"}  # shapes; those of copies follow
COPY_SHAPES = ("square", "diamond")
TIMES = [0, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128]  # labelled on an axis of ratios to chance
NEAR_TO_FAR = ["#3b82f6", "#8b5cf6", "#d6409f", "#ea580c"]  # visible on white and on black
PANEL = 64  # pixels, height of a layer


def distances_at_a_glance(binned: pd.DataFrame, of: Unit) -> alt.LayerChart:
    """Grid of layers x distances with the frequency of strong pairs relative to chance. of: unit of distances."""
    data = binned.sort_values(["start", "layer"], ignore_index=True)
    data = data.assign(doublings=np.log2(data["ratio"].clip(lower=2**-4)), word=printed(data["ratio"], ".1f"))
    limit = int(np.ceil(data["doublings"].abs().max())) or 1
    look = {"labelExpr": DOUBLINGS, "values": list(range(-limit, limit + 1))}
    shade = around_zero(data["doublings"], "× chance", limit=limit, look=look)
    tooltip = [
        tip("layer:O"), tip("distance:N"), tip("share:Q", ".1%", "share of strong pairs"),
        tip("chance_share:Q", ".1%", "chance"), tip("ratio:Q", ".2f", "times chance"),
    ]  # fmt: skip
    return word_grid(
        data, "distance", "layer", shade, tooltip,
        titles=(f"distance ({of}; ranges double)", "layer"), angle=40, row=28,
    )  # fmt: skip


def shares_of_texts(points: pd.DataFrame) -> alt.LayerChart:
    """Chart of the share of texts in which a head has each role, beside copies. points: as of `_in_rows`."""
    return _in_rows(
        points, alt.X("value:Q", title="share of texts", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1]))
    )


def over_chance(points: pd.DataFrame) -> alt.LayerChart:
    """Chart of statistics over chance, a bar for each text, beside copies. points: as of `_in_rows`."""
    scale = alt.Scale(type="symlog", constant=0.5, domainMin=0, nice=False, padding=8)
    x = alt.X("value:Q", title="over chance (dashed: 1)", axis=alt.Axis(values=TIMES, format="~r"), scale=scale)
    rule = alt.Chart(pd.DataFrame({"value": [1.0]})).mark_rule(**DASHED).encode(x="value:Q")
    return _in_rows(points, x, [rule])


def _in_rows(points: pd.DataFrame, x: alt.X, under: Sequence[alt.Chart] = ()) -> alt.LayerChart:
    """Chart of marks in rows: those of a head in colour, those of copies hollow and grey.

    points: row, of (`THIS_HEAD`, `ONE_TEXT` or the name of a copy), value, said (in words), text (its name).
    """
    names = list(dict.fromkeys(points["of"]))
    copies = dict(zip([name for name in names if name not in MARKS], COPY_SHAPES, strict=False))
    shapes = {name: (MARKS | copies)[name] for name in names}
    colours = {name: CHANCE if name in copies else ACCENT for name in names}
    above = legend(names)
    y = alt.Y("row:N", sort=list(dict.fromkeys(points["row"])), title=None, axis=alt.Axis(labelLimit=160, grid=True))
    marks = alt.Chart(points).mark_point(size=90, strokeWidth=2).encode(
        x=x, y=y, shape=by_name(alt.Shape, "of", shapes, above), stroke=by_name(alt.Stroke, "of", colours, above),
        tooltip=[tip("row:N", title="of"), tip("said:N", title="value"), tip("of:N", title="in"), tip("text:N")],
    )  # fmt: skip
    medians = points[points["of"].isin(MARKS)].groupby("row", sort=False)["value"].median()
    said = ", ".join(f"{row} {value:.2g}" for row, value in medians.items())
    return layered([*under, marks], AXES + 40 + 34 * points["row"].nunique(), f"medians of the head: {said}")


def bars_beside_chance(rows: pd.DataFrame, by: str, axis_title: str) -> alt.LayerChart:
    """Bar chart of shares in the order of the rows, each with a grey bar for chance below it.

    rows: the column `by`, share and chance_share.
    """
    y = alt.Y(f"{by}:N", sort=rows[by].tolist(), title=axis_title, axis=alt.Axis(labelLimit=160))
    tooltip = [tip(f"{by}:N"), tip("share:Q", ".1%"), tip("chance_share:Q", ".1%", "chance")]
    base = alt.Chart(rows).encode(y=y, tooltip=tooltip)
    x = alt.X("share:Q", title="share of strong pairs", axis=alt.Axis(format="%"))
    grey = by_name(alt.Fill, "is", {BY_CHANCE: CHANCE}, legend())
    colour = by_name(alt.Color, "kind", KIND_COLOURS) if by == "kind" else alt.ColorValue(ACCENT)
    bars = base.mark_bar(height=12, yOffset=-3).encode(x=x, color=colour)
    chance = base.transform_calculate(**{"is": f"'{BY_CHANCE}'"}).mark_bar(height=5, yOffset=6.5)
    chance = chance.encode(x=alt.X("chance_share:Q"), fill=grey)
    return layered([bars, chance], AXES + 23 * len(rows) + 24)


def kinds_at_a_glance(kinds: pd.DataFrame) -> alt.LayerChart:
    """Chart with a stacked bar for each head, layer by layer, and one for chance. A click selects a head.

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
    colour = by_name(alt.Color, "kind", KIND_COLOURS, legend(KINDS)).sort(list(KINDS))
    shares = [tip("share:Q", ".1%", "share of strong pairs"), tip("chance_share:Q", ".1%", "chance")]
    base = alt.Chart(data).encode(x=x, y=y, color=colour, order=alt.Order("place:Q"))
    # A line between kinds, which stand in the order of the legend, parts those that look alike to the colour-blind.
    edge: dict[str, Any] = {"stroke": "#ffffff", "strokeWidth": 0.6}
    bars = base.transform_filter("isValid(datum.layer)").mark_bar(cursor="pointer", **edge)
    bars = bars.encode(xOffset=offset, tooltip=[tip("layer:O"), tip("head:O"), tip("kind:N"), *shares])
    by_chance = base.transform_filter("!isValid(datum.layer)").mark_bar(width=alt.RelativeBandSize(0.7), **edge)
    above = [mark.encode(x=x, xOffset=offset, y=alt.datum(1)) for mark in letters(data[data["place"] == 0], down=-9)]
    means = kinds.groupby("kind", sort=False)[["share", "chance_share"]].mean()
    said = [f"{kind} {own:.0%} ({expected:.0%})" for kind, own, expected in means.itertuples()]
    return layered(
        [bars.add_params(click()), by_chance.encode(tooltip=[tip("kind:N"), shares[0]]), *above],
        262,
        f"means (chance): {', '.join(said)}",
    )


def scores_by_layer(scores: pd.DataFrame, of: Unit) -> alt.LayerChart:
    """Small multiples, a panel for each layer: the distributions of scores by distance, mean over its heads.

    scores: the table of `similarity_scores.score_table`. of: unit of distances.
    """
    by = ["layer", "distance_class", "start", "end"]
    data = scores.groupby(by, sort=False, as_index=False)["share"].mean()
    layers, classes = data["layer"].max(), list(data["distance_class"].unique())
    # Panels lie on one axis, which counts layers downwards, since Vega-Lite fits only a single view to a page.
    data = data.assign(
        score=(data["start"] + data["end"]) / 2, top=data["layer"] - 0.92 * data["share"] / data["share"].max()
    )
    x = alt.X("score:Q", title="similarity (standard deviations)", scale=alt.Scale(nice=False))
    rows = alt.Scale(domain=[layers + 0.04, 0.04], nice=False, zero=False)
    axis = alt.Axis(values=list(range(1, layers + 1)), format="d")
    above = legend(classes, title=f"{of} apart", symbolType="stroke", symbolStrokeWidth=3)
    colour = by_name(alt.Color, "distance_class", dict(zip(classes, NEAR_TO_FAR, strict=False)), above)
    y = alt.Y("top:Q", title="layer", scale=rows, axis=axis)
    base = alt.Chart(data).encode(x=x, y=y, color=colour, detail=alt.Detail("layer:O"))
    tooltip = [
        tip("layer:O"), tip("distance_class:N", title=f"{of} apart"), tip("start:Q", ".2f", "score from"),
        tip("end:Q", ".2f", "to"), tip("share:Q", ".1%", "share of these pairs"),
    ]  # fmt: skip
    return layered(
        [base.mark_line(strokeWidth=1.8), base.mark_point(size=40, opacity=0).encode(tooltip=tooltip)], PANEL * layers
    )
