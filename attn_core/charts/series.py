"""Curves with several lines: of two subjects, of shares of pairs, and of the layers or roles of a training."""

import altair as alt
import numpy as np
import pandas as pd

from attn_core.charts.curve import LAYER, Across, curve
from attn_core.charts.style import COLOURS, A, B, ramp
from attn_core.measures.roles import BY_NAME as BY_ROLE
from attn_core.measures.roles import names_for
from attn_core.measures.statistics import Statistic

FIRST_TO_LAST = ramp("3b82f6 8b5cf6 d6409f ea580c")  # layers: readable on white and on black
DRIFT = Statistic("drift", "drift", "ratio", "")
HEADS = Statistic("heads", "heads", "tokens", "", of="number")
DEPTH = Across(
    "depth:Q", "depth (0: first layer, 1: last)", alt.Axis(tickCount=5), alt.Scale(domain=[0, 1], nice=False, padding=8)
)


def depth_curves(curves: pd.DataFrame, statistic: Statistic) -> alt.LayerChart:
    """Curve of a statistic by relative depth, with a line for A, one for B, and the chance of each in its colour.

    curves: the rows of that statistic in the table of `comparison.differences.curves`.
    """
    data = curves.rename(columns={"value": statistic.name, "chance": statistic.chance})
    colours = dict(zip(dict.fromkeys(curves["subject"]), (A, B), strict=False))
    return curve(data, DEPTH, statistic, by="subject", colours=colours, own_chance=True)


def share_sensitivity(curves: pd.DataFrame, statistic: Statistic, chosen: float) -> alt.LayerChart:
    """Curve of a statistic by layer, a line for each share of pairs. curves: layer, share and the statistic."""
    # All digits, since shares of one name would be one line.
    names = {share: f"{100 * share:.6g}%{' (chosen)' * (share == chosen)}" for share in sorted(set(curves["share"]))}
    data = curves.assign(strongest=curves["share"].map(names))
    colours = dict(zip(names.values(), COLOURS, strict=False))
    return curve(
        data, LAYER._replace(title="layer; lines: strongest pairs"), statistic, by="strongest", colours=colours
    )


def layers_by_step(layers: pd.DataFrame, statistic: Statistic) -> alt.LayerChart:
    """Curve of a statistic by step, with a line for each layer: the mean of its heads."""
    names = {layer: f"L{layer}" for layer in sorted(set(layers["layer"]))}
    shades = FIRST_TO_LAST[np.linspace(0, 255, len(names)).astype(int)].tolist()
    colours = dict(zip(names.values(), ["#{:02x}{:02x}{:02x}".format(*shade) for shade in shades], strict=True))
    data = layers.assign(of_layer=layers["layer"].map(names)).sort_values(["layer", "step"])
    return curve(data, _steps(layers), statistic, by="of_layer", colours=colours)


def drift_by_step(drift: pd.DataFrame) -> alt.LayerChart:
    """Curve of the mean drift of the heads of each layer: their distance from the last step."""
    means = drift.groupby(["layer", "step"], as_index=False)[["drift", "chance_drift"]].mean()
    return layers_by_step(means, DRIFT)


def roles_by_step(roles: pd.DataFrame) -> alt.LayerChart:
    """Curve of the number of heads of each role by step."""
    names = [name for name in names_for(roles["role"]) if roles.loc[roles["role"] == name, "heads"].any()]
    colours = {name: BY_ROLE[name].colour for name in names}
    data = roles[roles["role"].isin(names)]
    return curve(data, _steps(roles), HEADS, by="role", colours=colours, scale=alt.Scale(zero=True))


def _steps(data: pd.DataFrame) -> Across:
    steps = sorted(set(data["step"]))
    smallest = next((step for step in steps if step > 0), 1)
    scale = alt.Scale(type="symlog", constant=smallest, nice=False, padding=24)
    return Across("step:Q", "step", alt.Axis(values=steps, format=",d", grid=False), scale)
