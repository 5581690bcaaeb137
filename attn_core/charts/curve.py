"""Line charts of a statistic by layer, depth, step or removed heads: chance dashed, copies grey, heads as points."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from attn_core.charts.descriptions import between_heads, chance_of
from attn_core.charts.role_words import shown_anchors
from attn_core.charts.style import (
    ACCENT,
    CHANCE,
    CHANCE_DASH,
    COLOURS,
    POINT,
    click,
    layered,
    legend_columns,
    ramp,
    ringed,
    tip,
)
from attn_core.measures.roles import names_for
from attn_core.measures.statistics import LIKE_DISTANCE, Statistic

Copies = Mapping[str, pd.DataFrame]
NO_COPIES: Copies = {}
THIS_MODEL, ONE_HEAD = "this model", "one head"
OTHER = COLOURS[3]  # colour of what this model is compared with
SOLID, *COPY_DASHES = [1, 0], [1, 0], [1, 3]  # of the model and of copies; chance has its own dash
HEIGHT, STRIP = 320, 72  # pixels: of a chart, of a role
LOWEST = 6  # heads, as many as a strip is high at least
# Further chance levels of a statistic, by their name in the legend: columns of the same table.
FURTHER = {"same_sentence_share": {"at like distance": LIKE_DISTANCE.name}}
FEW = 6  # lines, the most that a description covers; otherwise only the first and the last


class Across(NamedTuple):
    """A horizontal axis. column: with its type, such as "layer:O"."""

    column: str
    title: str
    axis: Any = alt.Axis(labelAngle=0)
    scale: Any = alt.Undefined


LAYER = Across("layer:O", "layer")
FIRST_TO_LAST = ramp("3b82f6 8b5cf6 d6409f ea580c")  # layers: visible on white and on black
DRIFT = Statistic("drift", "drift", "ratio", "")
DEPTH = Across(
    "depth:Q", "depth (0: first layer, 1: last)", alt.Axis(tickCount=5), alt.Scale(domain=[0, 1], nice=False, padding=8)
)


def curve(
    data: pd.DataFrame,
    across: Across,
    statistic: Statistic,
    *,
    by: str = "",
    colours: Mapping[str, str] | None = None,
    own_chance: bool = False,
    heads: pd.DataFrame | None = None,
    tooltip: Sequence[alt.Tooltip] = (),
    copies: Copies = NO_COPIES,
    scale: alt.Scale | None = None,
    chance_name: str = "chance",
    under: Sequence[alt.Chart] = (),
    note: str = "",
) -> alt.LayerChart:
    """Line chart of a statistic with one line, or one for each name in column `by` with a colour from `colours`.

    A single line has a 95 % band if data has the columns `<statistic>_low` and `_high`. own_chance: draw the chance
    level of each line in its colour. heads: drawn as points; a click selects one. tooltip: more fields of the points.
    copies: tables of copies of the model, by name; one without rows has its place in the legend. chance_name: of the
    chance level in the legend. under: charts drawn below the lines. note: added to the axis title.
    """
    name, chance, bounds = statistic.name, statistic.chance, [end for end in statistic.bounds if end in data]
    far = None if scale else _without_far_copies([data] if heads is None else [data, heads], statistic, copies)
    parts = ["band: 95%" * bool(bounds and not by), "copies at the edge lie beyond it" * bool(far), note]
    title = [across.title, *filter(None, ["; ".join(filter(None, parts))])]
    x = alt.X(across.column, title=title, axis=across.axis, scale=across.scale)
    y = alt.Y(
        f"{name}:Q", title=statistic.axis_title, axis=alt.Axis(format=statistic.axis_format),
        scale=scale or far or alt.Scale(zero=not by),
    )  # fmt: skip
    lines = {line: (colour, SOLID) for line, colour in (colours or {THIS_MODEL: ACCENT}).items()}
    lines |= {copy: (CHANCE, dash) for copy, dash in zip(copies, COPY_DASHES, strict=False)}
    if own_chance:
        lines |= {f"{one}: chance": (colour, CHANCE_DASH) for one, (colour, _) in lines.items()}
    levels = {} if own_chance else {chance_name: chance} | ({} if by else FURTHER.get(name, {}))
    levels = {level: column for level, column in levels.items() if column in data}
    lines |= {level: (colour, CHANCE_DASH) for level, colour in zip(levels, (CHANCE, OTHER), strict=False)}
    look = _look(lines, beside=0 if heads is None else 110)
    numbers = {name: statistic.label, **dict(zip(bounds, ("95% from", "to"), strict=False)), chance: "chance"}
    numbers |= {column: level for level, column in levels.items()}
    tips = [tip(across.column), *([tip(f"{by}:N")] if by else [])]
    tips += [tip(f"{column}:Q", statistic.format, words) for column, words in numbers.items() if column in data]
    base = alt.Chart(data.assign(line=data[by] if by else THIS_MODEL)).encode(x=x, y=y)
    line = base.mark_line(strokeWidth=2.5, point=alt.OverlayMarkDef(size=55)).encode(**look, tooltip=tips)
    if own_chance:
        dashed = base.transform_calculate(line="datum.line + ': chance'").mark_line(strokeWidth=1.5)
        dashes = [dashed.encode(y=alt.Y(f"{chance}:Q"), **look)]
    else:
        dashes = [
            base.transform_calculate(line=f"'{level}'")
            .mark_line(strokeWidth=2)
            .encode(y=alt.Y(f"mean({at}):Q"), **look)
            for level, at in levels.items()
        ]
    band = base.mark_area(color=ACCENT, opacity=0.3)
    layers = [
        *under,
        *([_points(heads, x, y, statistic, tooltip)] if heads is not None else []),
        *([band.encode(y=alt.Y(f"{bounds[0]}:Q"), y2=alt.Y2(f"{bounds[1]}:Q"))] if bounds and not by else []),
        *dashes,
        *_copy_lines(copies, statistic, x, look),
        line,
    ]
    if heads is not None:
        layers += [mark.encode(x=x, y=y, xOffset=_beside()) for mark in ringed(heads)]
    return layered(layers, HEIGHT, _description(data, across, statistic, by, heads, copies))


def layer_curve(
    heads: pd.DataFrame, layers: pd.DataFrame, statistic: Statistic, copies: Copies = NO_COPIES, chance_of: str = ""
) -> alt.LayerChart:
    """Curve of a statistic by layer, with a point for each head. heads, layers: tables of a text or a study.

    chance_of: the name of the copy whose values are the chance level, in place of all pairs.
    """
    name = "chance"
    if chance_of in copies:
        copies = dict(copies)
        values = copies.pop(chance_of).set_index("layer")[statistic.name]
        layers = layers.assign(**{statistic.chance: layers["layer"].map(values)})
        name = f"chance: {chance_of}"
    named = {"anchor": shown_anchors(heads), "role": heads["role"]} if "role" in heads else {}
    points = heads[["layer", "head", statistic.name]].assign(**named)
    tooltip = [tip(f"{name}:N") for name in named]
    return curve(layers, LAYER, statistic, heads=points, tooltip=tooltip, copies=copies, chance_name=name)


def depth_curves(curves: pd.DataFrame, statistic: Statistic) -> alt.LayerChart:
    """Curves of a statistic for two subjects, by layer, or by relative depth where they differ in layers.

    The chance level is one grey line where they share it, else one in the colour of each. curves: rows of the statistic
    in the table of `comparison.differences.curves`.
    """
    data = curves.rename(columns={"value": statistic.name, "chance": statistic.chance})
    colours = dict(zip(dict.fromkeys(curves["subject"]), (ACCENT, OTHER), strict=False))
    across = LAYER if data.groupby("layer")["depth"].nunique().eq(1).all() else DEPTH
    levels = data.groupby("layer")[statistic.chance].agg(np.ptp)
    shared = across is LAYER and np.allclose(levels, 0, atol=1e-3 * data[statistic.chance].abs().max())
    return curve(data, across, statistic, by="subject", colours=colours, own_chance=not shared)


def share_sensitivity(curves: pd.DataFrame, statistic: Statistic, chosen: float) -> alt.LayerChart:
    """Curves of a statistic by layer, one per share of pairs. curves: layer, share and the statistic."""
    # All digits, since shares with equal names would form one line.
    names = {share: f"{100 * share:.6g}%{' (chosen)' * (share == chosen)}" for share in sorted(set(curves["share"]))}
    data = curves.assign(strongest=curves["share"].map(names))
    colours = dict(zip(names.values(), COLOURS, strict=False))
    return curve(
        data, LAYER._replace(title="layer; lines: strongest pairs"), statistic, by="strongest", colours=colours
    )


def layers_by_step(layers: pd.DataFrame, statistic: Statistic, copies: Copies = NO_COPIES) -> alt.LayerChart:
    """Curves of a statistic by step, one per layer: the mean of its heads.

    copies: of the model, by name: tables of a row per step and layer; drawn is the mean of their layers.
    """
    names = {layer: f"L{layer}" for layer in sorted(set(layers["layer"]))}
    shades = FIRST_TO_LAST[np.linspace(0, 255, len(names)).astype(int)].tolist()
    colours = dict(zip(names.values(), ["#{:02x}{:02x}{:02x}".format(*shade) for shade in shades], strict=True))
    data = layers.assign(of_layer=layers["layer"].map(names)).sort_values(["layer", "step"])
    means = {name: of.groupby("step", as_index=False)[statistic.name].mean() for name, of in copies.items()}
    return curve(data, steps_across(layers), statistic, by="of_layer", colours=colours, copies=means)


def drift_by_step(drift: pd.DataFrame) -> alt.LayerChart:
    """Curves of the mean drift of heads by step, one per layer: the distance from the last step."""
    means = drift.groupby(["layer", "step"], as_index=False)[["drift", "chance_drift"]].mean()
    return layers_by_step(means, DRIFT)


def roles_by_step(roles: pd.DataFrame) -> alt.LayerChart:
    """Curves of the number of heads by step, a strip of its own scale for each role, with those of copies in grey.

    roles: of (`THIS_MODEL` or the name of a copy), step, role, heads.
    """
    names = [name for name in names_for(roles["role"]) if roles.loc[roles["role"] == name, "heads"].any()]
    data = roles[roles["role"].isin(names)].assign(base=lambda rows: rows["role"].map(names[::-1].index))
    most = data.groupby("role")["heads"].transform("max").clip(lower=LOWEST)
    data = data.assign(at=data["base"] + 0.75 * data["heads"] / most)
    own, steps = data[data["of"] == THIS_MODEL], steps_across(data)
    copies = dict(zip([name for name in dict.fromkeys(data["of"]) if name != THIS_MODEL], COPY_DASHES, strict=False))
    look = _look({THIS_MODEL: (ACCENT, SOLID)} | {name: (CHANCE, dash) for name, dash in copies.items()}, beside=60)
    x = alt.X(steps.column, title=steps.title, axis=steps.axis, scale=steps.scale)
    middles = [at + 0.4 for at in range(len(names))]
    axis = alt.Axis(values=middles, labelExpr=f"{names[::-1]}[floor(datum.value)]", grid=False)
    floors = alt.Chart(data[["base"]].drop_duplicates()).mark_rule(color=CHANCE, opacity=0.4)
    scale = alt.Scale(domain=[0, len(names)], nice=False)
    y = alt.Y("at:Q", title="number of heads, each role on its scale", axis=axis, scale=scale)
    lines = alt.Chart(data.assign(line=data["of"]).iloc[::-1]).mark_line(strokeWidth=2.5, point=True)  # own on top
    tips = [tip("of:N"), tip("role:N"), tip("step:Q"), tip("heads:Q")]
    ends = own[own["step"].isin([own["step"].min(), own["step"].max()])]
    said = [f"{name} {', '.join(map(str, rows.sort_values('step')['heads']))}" for name, rows in own.groupby("role")]
    return layered(
        [
            floors.encode(y="base:Q"),
            lines.encode(x=x, y=y, detail="role:N", tooltip=tips, **look),
            alt.Chart(ends).mark_text(dy=-9, color=POINT).encode(x=x, y=y, text="heads:Q"),
        ],
        STRIP * len(names) + 90,
        f"Number of heads of each role, step by step: {'; '.join(said)}.",
    )


def _without_far_copies(tables: Sequence[pd.DataFrame], statistic: Statistic, copies: Copies) -> alt.Scale | None:
    """The scale of 0 and the numbers of tables where copies are so far away that they would press these together."""
    own = pd.concat([table[name] for table in tables for name in (statistic.name, statistic.chance) if name in table])
    low, high = min(0.0, own.min()), max(0.0, own.max())
    far = [value for table in copies.values() for value in table[statistic.name].dropna()]
    if not far or (max(far) <= 2 * high - low and min(far) >= 2 * low - high):
        return None
    return alt.Scale(domain=[low, high + 0.1 * (high - low)], clamp=True)


def _points(heads: pd.DataFrame, x: alt.X, y: alt.Y, statistic: Statistic, tooltip: Sequence[alt.Tooltip]) -> alt.Chart:
    points = alt.Chart(heads).transform_calculate(of=f"'{ONE_HEAD}'").mark_circle(size=44, opacity=1, cursor="pointer")
    legend = alt.Legend(title=None, orient="top", symbolType="circle")
    colour = alt.Fill("of:N", scale=alt.Scale(domain=[ONE_HEAD], range=[POINT]), legend=legend)
    value = tip(f"{statistic.name}:Q", statistic.format, statistic.label)
    points = points.encode(
        x=x, y=y, fill=colour, xOffset=_beside(), tooltip=[tip("layer:O"), tip("head:O"), value, *tooltip]
    )
    return points.add_params(click())


def _beside() -> alt.XOffset:
    """Offset that puts the heads of a layer side by side."""
    return alt.XOffset("head:O", scale=alt.Scale(paddingOuter=1))


def _look(lines: Mapping[str, tuple[str, list[int]]], beside: int) -> dict[str, Any]:
    """Colour and dash of the column `line`, with one legend. lines: colour and dash by name. beside: of the legend."""
    if len(lines) == 1:
        return {"color": alt.ColorValue(next(iter(lines.values()))[0])}
    legend = alt.Legend(
        title=None, orient="top", columns=legend_columns(lines, beside), symbolType="stroke", symbolSize=300,
        symbolStrokeWidth=3, labelLimit=400,
    )  # fmt: skip
    colours, dashes = (alt.Scale(domain=list(lines), range=list(each)) for each in zip(*lines.values(), strict=True))
    return {
        "color": alt.Color("line:N", scale=colours, legend=legend),
        "strokeDash": alt.StrokeDash("line:N", scale=dashes, legend=legend),
    }


def _copy_lines(copies: Copies, statistic: Statistic, x: alt.X, look: dict[str, Any]) -> list[alt.Chart]:
    """A list with the layer of the copies; empty without copies."""
    if not any(map(len, copies.values())):
        return []
    place = str(x.shorthand)
    values = [rows[[place.partition(":")[0], statistic.name]].assign(line=name) for name, rows in copies.items()]
    lines = alt.Chart(pd.concat(values, ignore_index=True)).mark_line(strokeWidth=2, point=alt.OverlayMarkDef(size=24))
    tips = [tip("line:N", title="of"), tip(place), tip(f"{statistic.name}:Q", statistic.format, statistic.label)]
    return [lines.encode(x=x, y=alt.Y(f"{statistic.name}:Q"), **look, tooltip=tips)]


def _description(
    data: pd.DataFrame, across: Across, statistic: Statistic, by: str, heads: pd.DataFrame | None, copies: Copies
) -> str:
    """A description of the curves in one sentence."""
    lines = [(f"{name}, ", rows) for name, rows in data.groupby(by, sort=False)] if by else [("", data)]
    lines = lines if len(lines) <= FEW else [lines[0], lines[-1]]
    parts = [f"{name}{_description_of(rows, across, statistic)}" for name, rows in lines]
    parts += [chance_of(data, statistic)] if statistic.chance in data and data[statistic.chance].notna().any() else []
    parts += [f"{name} {statistic.text(table[statistic.name].mean())}" for name, table in copies.items() if len(table)]
    parts += [f"single heads {between_heads(heads, statistic.name, statistic.text)}"] if heads is not None else []
    return f"{statistic.label} by {across.title}: {'; '.join(parts)}."


def _description_of(rows: pd.DataFrame, across: Across, statistic: Statistic) -> str:
    """First, last, smallest and largest value of a line."""
    known = rows.dropna(subset=statistic.name)  # a layer that lacks heads has not every statistic
    rows = rows if known.empty else known
    values, places = rows[statistic.name], rows[across.column.partition(":")[0]]
    first, last = (f"{statistic.text(values.iloc[at])} at {places.iloc[at]:,.6g}" for at in (0, -1))
    return f"{first} to {last}, between {statistic.text(values.min())} and {statistic.text(values.max())}"


def steps_across(data: pd.DataFrame) -> Across:
    """The axis of the steps of a training, logarithmic."""
    steps = sorted(set(data["step"]))
    smallest = next((step for step in steps if step > 0), 1)
    scale = alt.Scale(type="symlog", constant=smallest, nice=False, padding=24)
    return Across("step:Q", "step", alt.Axis(values=steps, format=",d", grid=False), scale)
