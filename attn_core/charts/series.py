"""A training step by step: statistics of layers, every head as a line, roles, drift. Steps lie on a log axis that has a 0."""

import altair as alt
import numpy as np
import pandas as pd

from attn_core.charts.described import InWords, between_heads, chance_of
from attn_core.charts.marks import legend_columns
from attn_core.charts.style import ACCENT, CHANCE, DASHED, POINT, layered, ramp, tip
from attn_core.head import Head
from attn_core.measures.roles import BY_NAME as BY_ROLE
from attn_core.measures.roles import names_for
from attn_core.measures.statistics import Statistic

FIRST_TO_LAST = ramp("3b82f6 8b5cf6 d6409f ea580c")  # layers: readable on white and on black
LINE = 0.055  # height of a label, as a share of the axis
PANEL = 0.9  # width of a layer's panel, where the next one begins at 1


def layers_by_step(layers: pd.DataFrame, statistic: Statistic) -> alt.LayerChart:
    """A statistic by step, a line a layer: the mean of its heads. Chance dashed; the 95 % interval under the pointer."""
    data = layers.assign(name="L" + layers["layer"].astype(str))
    x, y = step_axis(data, "chance"), _values(statistic)
    colour = alt.Color("layer:O", scale=layer_colours(data["layer"]), legend=None)
    low, high = statistic.bounds
    told = [
        tip("step:Q"),
        tip("layer:O"),
        tip(f"{statistic.name}:Q", statistic.format, "mean of the heads"),
        *(tip(f"{bound}:Q", statistic.format, "95%") for bound in (low, high) if bound in data),
        tip(f"{statistic.chance}:Q", statistic.format, "chance"),
    ]
    base = alt.Chart(data).encode(x=x, y=y, color=colour, tooltip=told)
    lines = base.mark_line(strokeWidth=2.5, point=alt.OverlayMarkDef(size=50))
    last = data[data["step"] == data["step"].max()]
    last = last.assign(beside=_apart(last[statistic.name], data[[statistic.name, statistic.chance]]))
    label = alt.Chart(last).mark_text(align="left", dx=10, fontSize=12)
    names = label.encode(x=x, y="beside:Q", color=colour, text="name:N")
    chance = alt.Chart(data).mark_line(**DASHED)
    chance = chance.encode(x=x, y=f"mean({statistic.chance}):Q")
    return layered(
        [chance, lines, names],
        height=320,
        description=f"{statistic.label} by step, mean of each layer's heads: {_ends(data, statistic)}; "
        f"{chance_of(data, statistic)}.",
    )


def heads_by_step(heads: pd.DataFrame, statistic: Statistic) -> alt.LayerChart:
    """A panel a layer, in it every head as a line over the steps; the layer's mean thick, chance dashed."""
    return _panels(
        heads,
        _values(statistic),
        statistic.name,
        statistic.chance,
        statistic.format,
        f"{statistic.label} of every head by step, a panel a layer. In the last step "
        f"{_range(heads, statistic.name, statistic.text)}; {chance_of(heads, statistic)}.",
    )


def drift_by_step(drift: pd.DataFrame) -> alt.LayerChart:
    """A panel a layer, in it how far every head is from what it is at the last step; chance dashed."""
    y = alt.Y("drift:Q", title="drift", axis=alt.Axis(format=".1f"), scale=alt.Scale(domainMin=0))
    return _panels(
        drift,
        y,
        "drift",
        "chance_drift",
        ".2f",
        f"Drift of every head by step, a panel a layer. In the first step "
        f"{_range(drift[drift['step'] == drift['step'].min()], 'drift', '{:.2f}'.format)}; "
        f"chance {drift['chance_drift'].mean():.2f}.",
    )


def drift_of_head(drift: pd.DataFrame, head: Head) -> alt.LayerChart:
    """How far one head is from what it is at the last step; chance dashed. drift: its rows."""
    y = alt.Y("drift:Q", title=f"drift of {head}", axis=alt.Axis(format=".1f"), scale=alt.Scale(domainMin=0))
    told = [tip("step:Q"), tip("drift:Q", ".2f"), tip("chance_drift:Q", ".2f", "chance")]
    base = alt.Chart(drift).encode(x=step_axis(drift, "chance"), tooltip=told)
    return layered(
        [
            base.mark_line(**DASHED).encode(y="chance_drift:Q"),
            base.mark_line(color=ACCENT, strokeWidth=3, point=alt.OverlayMarkDef(size=60, color=ACCENT)).encode(y=y),
        ],
        height=260,
        description=f"Drift of {head} by step: {drift['drift'].iloc[0]:.2f} at step {drift['step'].iloc[0]:,}, 0 at the last; "
        f"chance {drift['chance_drift'].mean():.2f}.",
    )


def roles_by_step(roles: pd.DataFrame) -> alt.Chart:
    """How many heads have each role, stacked, by step."""
    names = names_for(roles["role"])
    data = roles.assign(rank=roles["role"].map(names.index))
    colours = alt.Scale(domain=names, range=[BY_ROLE[name].colour for name in names])
    total = roles.groupby("step")["heads"].sum().iloc[0]
    first, last = (roles[roles["step"] == step] for step in (roles["step"].min(), roles["step"].max()))
    change = ", ".join(
        f"{name} {before} to {after}"
        for name, before, after in zip(first["role"], first["heads"], last["heads"], strict=True)
        if before or after
    )
    return (
        alt.Chart(data)
        .mark_area(opacity=0.9, line=False)
        .encode(
            x=step_axis(data),
            y=alt.Y("heads:Q", title="heads", stack=True, scale=alt.Scale(domain=[0, int(total)], nice=False)),
            color=alt.Color(
                "role:N",
                scale=colours,
                sort=names,
                legend=alt.Legend(title=None, orient="top", columns=legend_columns(names)),
            ),
            order=alt.Order("rank:Q"),
            tooltip=[tip("step:Q"), tip("role:N"), tip("heads:Q")],
        )
        .properties(height=340, description=f"Heads with each role, first step to last: {change}.")
    )


def _panels(frame: pd.DataFrame, y: alt.Y, column: str, chance: str, form: str, description: str) -> alt.LayerChart:
    """Panels side by side in one plot, which is as wide as the page however many layers there are."""
    place = _log_place(frame["step"])
    data = frame[["step", "layer", "head", column, chance]].assign(
        x=frame["layer"] - 1 + PANEL * place / (place.max() or 1)
    )
    means = data.groupby(["step", "layer", "x"], as_index=False)[[column, chance]].mean()
    layers = sorted(data["layer"].unique().tolist())
    axis = alt.Axis(
        values=[layer - 1 + PANEL / 2 for layer in layers],
        labelExpr="'layer ' + format(floor(datum.value) + 1, 'd')"
        if len(layers) <= 8
        else "format(floor(datum.value) + 1, 'd')",
        grid=False,
        labelOverlap=False,
        labelFlush=False,
    )
    title = f"steps {data['step'].min():,} to {data['step'].max():,} in each panel, log axis"
    title += "" if len(layers) <= 8 else "; panels: layers"
    x = alt.X(
        "x:Q",
        title=[title, "thick: mean of the heads, dashed: chance"],
        axis=axis,
        scale=alt.Scale(domain=[-0.05, len(layers)], nice=False),
    )
    told = [tip("step:Q"), tip("layer:O"), tip("head:O"), tip(f"{column}:Q", form), tip(f"{chance}:Q", form, "chance")]
    one = alt.Chart(data).encode(x=x, y=y, detail=["layer:O", "head:O"], tooltip=told)
    mean = alt.Chart(means).encode(x=x, detail="layer:O")
    frames = pd.DataFrame({"x": [edge for layer in layers for edge in (layer - 1, layer - 1 + PANEL)]})
    return layered(
        [
            alt.Chart(frames).mark_rule(color=CHANCE, opacity=0.35).encode(x=x),
            one.mark_line(color=POINT, strokeWidth=1, opacity=0.75),
            one.mark_circle(color=POINT, size=14, opacity=0.9),
            mean.mark_line(**DASHED).encode(y=f"{chance}:Q"),
            mean.mark_line(color=ACCENT, strokeWidth=3).encode(y=f"{column}:Q"),
        ],
        height=320,
        description=description,
    )


def _apart(values: pd.Series, shown: pd.DataFrame) -> np.ndarray:
    """Places for labels beside values, far enough from each other to be read. shown: all that the axis holds."""
    gap = LINE * float(np.ptp(shown.to_numpy()))
    order = np.argsort(values.to_numpy(), kind="stable")
    wanted = values.to_numpy()[order] - gap * np.arange(len(values))
    places = np.empty(len(values))
    places[order] = np.maximum.accumulate(wanted) + gap * np.arange(len(values))
    return places


def step_axis(data: pd.DataFrame, dashed: str = "") -> alt.X:
    """The steps on a log axis on which 0 has a place too. dashed: what the dashed line is."""
    numbers = sorted(data["step"].unique().tolist())
    scale = alt.Scale(type="symlog", constant=_smallest(data["step"]), nice=False, padding=24)
    return alt.X(
        "step:Q",
        title=f"step; dashed: {dashed}" if dashed else "step",
        scale=scale,
        axis=alt.Axis(values=numbers, format=",d", grid=False),
    )


def _log_place(steps: pd.Series) -> pd.Series:
    """Where a step lies on the same axis, from 0 at the first."""
    return np.log1p(steps / _smallest(steps)) - np.log1p(steps.min() / _smallest(steps))


def _smallest(steps: pd.Series) -> float:
    return float(steps[steps > 0].min()) if (steps > 0).any() else 1.0


def _values(statistic: Statistic) -> alt.Y:
    return alt.Y(
        f"{statistic.name}:Q",
        title=statistic.axis_title,
        axis=alt.Axis(format=statistic.axis_format),
        scale=alt.Scale(zero=False),
    )


def layer_colours(layers: pd.Series) -> alt.Scale:
    names = sorted(layers.unique().tolist())
    at = np.linspace(0, 255, len(names)).astype(int)
    return alt.Scale(
        domain=names, range=["#{:02x}{:02x}{:02x}".format(*colour) for colour in FIRST_TO_LAST[at].tolist()]
    )


def _ends(layers: pd.DataFrame, statistic: Statistic) -> str:
    """The first and the last layer, from the first to the last step."""
    values = layers.set_index(["layer", "step"])[statistic.name]
    steps = layers["step"].min(), layers["step"].max()
    return ", ".join(
        f"layer {layer} from {statistic.text(values[layer, steps[0]])} to {statistic.text(values[layer, steps[1]])}"
        for layer in dict.fromkeys((layers["layer"].min(), layers["layer"].max()))
    )


def _range(frame: pd.DataFrame, column: str, in_words: InWords) -> str:
    return between_heads(frame[frame["step"] == frame["step"].max()], column, in_words)
