"""Line charts of a statistic by layer, depth, step or removed heads: chance dashed, copies grey, heads as points."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from attn_core.charts.role_words import shown_anchors
from attn_core.charts.style import (
    ACCENT,
    CHANCE,
    CHANCE_DASH,
    COLOURS,
    POINT,
    by_name,
    click,
    layered,
    legend,
    ramp,
    ringed,
    tip,
)
from attn_core.measures.roles import names_for
from attn_core.measures.statistics import LIKE_DISTANCE, Statistic

Copies = Mapping[str, pd.DataFrame]
NO_COPIES: Copies = {}
Looks = dict[str, tuple[str, list[int]]]  # colour and dash of each line
THIS_MODEL, ONE_HEAD = "this model", "one head"
OTHER = COLOURS[3]  # colour of what this model is compared with
SOLID, *COPY_DASHES = [1, 0], [1, 0], [1, 3]  # of the model and of copies; chance has its own dash
HEIGHT, STRIP = 320, 72  # pixels: of a chart, of a role
LOWEST = 6  # heads, as many as a strip is high at least
# Further chance levels of a statistic, by their name in the legend: columns of the same table.
FURTHER = {"same_sentence_share": {"at like distance": LIKE_DISTANCE.name}}
FIRST_TO_LAST = ramp("3b82f6 8b5cf6 d6409f ea580c")  # layers: visible on white and on black
DRIFT = Statistic("drift", "drift", "ratio", "")
LAYER = alt.X("layer:O", title="layer", axis=alt.Axis(labelAngle=0))
DEPTH = alt.X(
    "depth:Q", title="depth (0: first layer, 1: last)", axis=alt.Axis(tickCount=5),
    scale=alt.Scale(domain=[0, 1], nice=False, padding=8),
)  # fmt: skip


def curve(
    data: pd.DataFrame,
    x: alt.X,
    statistic: Statistic,
    *,
    colours: Sequence[str] = (ACCENT, *COLOURS),
    own_chance: bool = False,
    heads: pd.DataFrame | None = None,
    tooltip: Sequence[alt.Tooltip] = (),
    copies: Copies = NO_COPIES,
    scale: alt.Scale | None = None,
    chance_name: str = "chance",
    under: Sequence[alt.Chart] = (),
    note: str = "",
) -> alt.LayerChart:
    """Line chart of a statistic with one line, or one for each name in the column `line`, in the order of `colours`.

    A single line has a 95 % band if data has the columns `<statistic>_low` and `_high`. own_chance: draw the chance
    level of each line in its colour. heads: drawn as points; a click selects one. tooltip: more fields of the points.
    copies: tables of copies of the model, by name; one without rows has its place in the legend. chance_name: of the
    chance level in the legend. under: charts drawn below the lines. note: added to the axis title.
    """
    name, single, place = statistic.name, "line" not in data, _column(x)
    bounds = [end for end in statistic.bounds if end in data and single]
    far = None if scale else _without_far_copies([data] if heads is None else [data, heads], statistic, copies)
    notes = ["band: 95%" * bool(bounds), "copies at the edge lie beyond it" * bool(far), note]
    x = x.title([x["title"], *filter(None, ["; ".join(filter(None, notes))])])
    y = alt.Y(
        f"{name}:Q", title=statistic.axis_title, axis=alt.Axis(format=statistic.axis_format),
        scale=scale or far or alt.Scale(zero=single),
    )  # fmt: skip
    data = data.assign(line=THIS_MODEL) if single else data
    levels = {chance_name: statistic.chance} | (FURTHER.get(name, {}) if single else {})
    levels = {level: column for level, column in levels.items() if column in data}
    own: Looks = {line: (colour, SOLID) for line, colour in zip(data["line"].unique(), colours, strict=False)}
    looks = own | {copy: (CHANCE, dash) for copy, dash in zip(copies, COPY_DASHES, strict=False)}
    if own_chance:
        looks |= {f"{line}: chance": (colour, CHANCE_DASH) for line, (colour, _) in own.items()}
        chances = [data.assign(line=data["line"] + ": chance", **{name: data[statistic.chance]})]
    else:
        looks |= {level: (colour, CHANCE_DASH) for level, colour in zip(levels, (CHANCE, OTHER), strict=False)}
        means = data.groupby(place, as_index=False)[list(levels.values())].mean()
        chances = [means.assign(line=level, **{name: means[column]}) for level, column in levels.items()]
    value = tip(f"{name}:Q", statistic.format, statistic.label)
    numbers = {**dict(zip(bounds, ("95% from", "to"), strict=False)), **{at: level for level, at in levels.items()}}
    lines = alt.Chart(data).encode(x=x, y=y, **_look(looks, beside=0 if heads is None else 110))
    drawn = [*under]
    if heads is not None:
        drawn.append(_points(heads, x, y).encode(tooltip=[tip("layer:O"), tip("head:O"), value, *tooltip]))
    if bounds:
        band = alt.Chart(data).mark_area(color=ACCENT, opacity=0.3)
        drawn.append(band.encode(x=x, y=alt.Y(f"{bounds[0]}:Q"), y2=alt.Y2(f"{bounds[1]}:Q")))
    of_copies = [rows[[place, name]].assign(line=copy) for copy, rows in copies.items() if len(rows)]
    if chances:
        drawn.append(lines.properties(data=pd.concat(chances, ignore_index=True)).mark_line(strokeWidth=2))
    if of_copies:
        of_all = lines.properties(data=pd.concat(of_copies, ignore_index=True))
        marks = of_all.mark_line(strokeWidth=2, point=alt.OverlayMarkDef(size=24))
        drawn.append(marks.encode(tooltip=[tip("line:N", title="of"), tip(x.shorthand), value]))
    tips = [tip(x.shorthand), *([] if single else [tip("line:N")]), value]
    tips += [tip(f"{column}:Q", statistic.format, words) for column, words in numbers.items()]
    drawn.append(lines.mark_line(strokeWidth=2.5, point=alt.OverlayMarkDef(size=55)).encode(tooltip=tips))
    if heads is not None:
        drawn += [mark.encode(x=x, y=y, xOffset=_beside()) for mark in ringed(heads)]
    means = [f"{copy} {statistic.text(rows[name].mean())}" for copy, rows in copies.items() if len(rows)]
    return layered(drawn, HEIGHT, f"means: {', '.join(means)}" if means else "")


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
    data = curves.rename(columns={"value": statistic.name, "chance": statistic.chance, "subject": "line"})
    x = LAYER if data.groupby("layer")["depth"].nunique().eq(1).all() else DEPTH
    levels = data.groupby("layer")[statistic.chance].agg(np.ptp)
    shared = x is LAYER and np.allclose(levels, 0, atol=1e-3 * data[statistic.chance].abs().max())
    return curve(data, x, statistic, colours=(ACCENT, OTHER), own_chance=not shared)


def share_sensitivity(curves: pd.DataFrame, statistic: Statistic, chosen: float) -> alt.LayerChart:
    """Curves of a statistic by layer, one per share of pairs. curves: layer, share and the statistic."""
    # All digits, since shares with equal names would form one line.
    names = [f"{100 * share:.6g}%{' (chosen)' * (share == chosen)}" for share in curves["share"]]
    data = curves.assign(line=names).sort_values(["share", "layer"])
    return curve(data, LAYER, statistic, colours=COLOURS, note="lines: strongest pairs")


def layers_by_step(layers: pd.DataFrame, statistic: Statistic, copies: Copies = NO_COPIES) -> alt.LayerChart:
    """Curves of a statistic by step, one per layer: the mean of its heads.

    copies: of the model, by name: tables of a row per step and layer; drawn is the mean of their layers.
    """
    data = layers.assign(line="L" + layers["layer"].astype(str)).sort_values(["layer", "step"])
    shades = FIRST_TO_LAST[np.linspace(0, 255, data["line"].nunique()).astype(int)].tolist()
    colours = ["#{:02x}{:02x}{:02x}".format(*shade) for shade in shades]
    means = {name: of.groupby("step", as_index=False)[statistic.name].mean() for name, of in copies.items()}
    return curve(data, steps_across(layers), statistic, colours=colours, copies=means)


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
    own, x = data[data["of"] == THIS_MODEL], steps_across(data)
    copies = dict(zip([name for name in dict.fromkeys(data["of"]) if name != THIS_MODEL], COPY_DASHES, strict=False))
    look = _look({THIS_MODEL: (ACCENT, SOLID)} | {name: (CHANCE, dash) for name, dash in copies.items()}, beside=60)
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
        f"step by step: {'; '.join(said)}",
    )


def _without_far_copies(tables: Sequence[pd.DataFrame], statistic: Statistic, copies: Copies) -> alt.Scale | None:
    """The scale of 0 and the numbers of tables where copies are so far away that they would press these together."""
    own = pd.concat([table[name] for table in tables for name in (statistic.name, statistic.chance) if name in table])
    low, high = min(0.0, own.min()), max(0.0, own.max())
    far = [value for table in copies.values() for value in table[statistic.name].dropna()]
    if not far or (max(far) <= 2 * high - low and min(far) >= 2 * low - high):
        return None
    return alt.Scale(domain=[low, high + 0.1 * (high - low)], clamp=True)


def _points(heads: pd.DataFrame, x: alt.X, y: alt.Y) -> alt.Chart:
    points = alt.Chart(heads).transform_calculate(of=f"'{ONE_HEAD}'").mark_circle(size=44, opacity=1, cursor="pointer")
    fill = by_name(alt.Fill, "of", {ONE_HEAD: POINT}, legend(symbolType="circle"))
    return points.encode(x=x, y=y, fill=fill, xOffset=_beside()).add_params(click())


def _beside() -> alt.XOffset:
    """Offset that puts the heads of a layer side by side."""
    return alt.XOffset("head:O", scale=alt.Scale(paddingOuter=1))


def _look(looks: Looks, beside: int) -> dict[str, Any]:
    """Colour and dash of the column `line`, with one legend. beside: pixels of another legend."""
    if len(looks) == 1:
        return {"color": alt.ColorValue(next(iter(looks.values()))[0])}
    above = legend(looks, beside, symbolType="stroke", symbolSize=300, symbolStrokeWidth=3, labelLimit=400)
    return {
        "color": by_name(alt.Color, "line", {line: colour for line, (colour, _) in looks.items()}, above),
        "strokeDash": by_name(alt.StrokeDash, "line", {line: dash for line, (_, dash) in looks.items()}, above),
    }


def steps_across(data: pd.DataFrame) -> alt.X:
    """The axis of the steps of a training, logarithmic."""
    steps = sorted(set(data["step"]))
    smallest = next((step for step in steps if step > 0), 1)
    scale = alt.Scale(type="symlog", constant=smallest, nice=False, padding=24)
    return alt.X("step:Q", title="step", axis=alt.Axis(values=steps, format=",d", grid=False), scale=scale)


def _column(x: alt.X) -> str:
    """The column of an axis, without its type."""
    return str(x.shorthand).partition(":")[0]
