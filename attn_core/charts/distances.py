"""Distances of strong pairs by layer, and a statistic by layer for several shares of pairs."""

import altair as alt
import numpy as np
import pandas as pd

from attn_core.charts.curve import LAYER, curve
from attn_core.charts.descriptions import between
from attn_core.charts.style import COLOURS, tip
from attn_core.charts.word_grid import around_zero, printed, word_grid
from attn_core.measures.statistics import Statistic
from attn_core.similarity.words import Unit

DOUBLINGS = "datum.value < 0 ? '1/' + format(pow(2, -datum.value), 'd') : format(pow(2, datum.value), 'd')"


def distances_at_a_glance(binned: pd.DataFrame, of: Unit) -> alt.LayerChart:
    """Grid of layers x distances: how often strong pairs have a distance, over chance. of: the unit of distances."""
    data = binned.sort_values(["start", "layer"], ignore_index=True)
    data = data.assign(doublings=np.log2(data["ratio"].clip(lower=2**-4)), word=printed(data["ratio"], ".1f"))
    limit = int(np.ceil(data["doublings"].abs().max())) or 1
    look = {"labelExpr": DOUBLINGS, "values": list(range(-limit, limit + 1))}
    shade = around_zero(data["doublings"], "colour: times chance", limit=limit, look=look)
    tooltip = [
        tip("layer:O"), tip("distance:N"), tip("share:Q", ".1%", "share of strong pairs"),
        tip("chance_share:Q", ".1%", "chance"), tip("ratio:Q", ".2f", "times chance"),
    ]  # fmt: skip
    names = "layer " + data["layer"].astype(str) + " at " + data["distance"] + f" {of}"
    return word_grid(
        data, "distance", "layer", shade, tooltip,
        "How many times more often than chance strong pairs have a distance, by layer: from "
        f"{between(data['ratio'], names, '{:.1f} times'.format)}; chance is 1.",
        titles=(f"distance ({of}; ranges double)", "layer"), angle=40, row=28,
    )  # fmt: skip


def share_sensitivity(curves: pd.DataFrame, statistic: Statistic, chosen: float) -> alt.LayerChart:
    """Curve of a statistic by layer, a line for each share of pairs. curves: layer, share and the statistic."""
    # All digits, since shares of one name would be one line.
    names = {share: f"{100 * share:.6g}%{' (chosen)' * (share == chosen)}" for share in sorted(set(curves["share"]))}
    data = curves.assign(strongest=curves["share"].map(names))
    colours = dict(zip(names.values(), COLOURS, strict=False))
    return curve(
        data, LAYER._replace(title="layer; lines: strongest pairs"), statistic, by="strongest", colours=colours
    )
