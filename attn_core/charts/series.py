"""A training step by step: statistics of layers, roles, drift. Steps lie on a log axis that has a 0."""

import altair as alt
import numpy as np
import pandas as pd

from attn_core.charts.curve import Across, curve
from attn_core.charts.style import ramp
from attn_core.head import Head
from attn_core.measures.roles import BY_NAME as BY_ROLE
from attn_core.measures.roles import names_for
from attn_core.measures.statistics import Statistic

FIRST_TO_LAST = ramp("3b82f6 8b5cf6 d6409f ea580c")  # layers: readable on white and on black
DRIFT = Statistic("drift", "drift", "ratio", "")
HEADS = Statistic("heads", "heads", "tokens", "", of="number")


def layers_by_step(layers: pd.DataFrame, statistic: Statistic) -> alt.LayerChart:
    """A statistic by step, a line a layer: the mean of its heads. Chance dashed; the 95 % interval under the pointer."""
    names = {layer: f"L{layer}" for layer in sorted(set(layers["layer"]))}
    shades = FIRST_TO_LAST[np.linspace(0, 255, len(names)).astype(int)].tolist()
    colours = dict(zip(names.values(), ["#{:02x}{:02x}{:02x}".format(*shade) for shade in shades], strict=True))
    data = layers.assign(of_layer=layers["layer"].map(names)).sort_values(["layer", "step"])
    return curve(data, _steps(layers), statistic, by="of_layer", colours=colours)


def drift_by_step(drift: pd.DataFrame) -> alt.LayerChart:
    """How far the heads of a layer are, on average, from what they are at the last step; chance dashed."""
    means = drift.groupby(["layer", "step"], as_index=False)[["drift", "chance_drift"]].mean()
    return layers_by_step(means, DRIFT)


def drift_of_head(drift: pd.DataFrame, head: Head) -> alt.LayerChart:
    """How far one head is from what it is at the last step; chance dashed. drift: its rows."""
    return curve(drift, _steps(drift), Statistic("drift", f"drift of {head}", "ratio", ""))


def roles_by_step(roles: pd.DataFrame) -> alt.LayerChart:
    """How many heads have each role, by step."""
    names = [name for name in names_for(roles["role"]) if roles.loc[roles["role"] == name, "heads"].any()]
    colours = {name: BY_ROLE[name].colour for name in names}
    data = roles[roles["role"].isin(names)]
    return curve(data, _steps(roles), HEADS, by="role", colours=colours, scale=alt.Scale(zero=True))


def _steps(data: pd.DataFrame) -> Across:
    """The steps on a log axis on which 0 has a place too."""
    steps = sorted(set(data["step"]))
    smallest = next((step for step in steps if step > 0), 1)
    scale = alt.Scale(type="symlog", constant=smallest, nice=False, padding=24)
    return Across("step:Q", "step", alt.Axis(values=steps, format=",d", grid=False), scale)
