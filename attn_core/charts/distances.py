"""How far heads reach: curves over layers, distributions of distances, sensitivity to the share of pairs."""

from dataclasses import replace

import altair as alt
import numpy as np
import pandas as pd

from attn_core.charts.bars import bars_beside_chance
from attn_core.charts.curve import LAYER, NO_COPIES, Copies, curve
from attn_core.charts.described import between
from attn_core.charts.style import COLOURS, tip
from attn_core.charts.word_grid import around_zero, printed, word_grid
from attn_core.head import Head
from attn_core.measures.anchors import shown_anchors
from attn_core.measures.statistics import Statistic
from attn_core.similarity.words import Unit

DOUBLINGS = "datum.value < 0 ? '1/' + format(pow(2, -datum.value), 'd') : format(pow(2, datum.value), 'd')"


def layer_curve(
    heads: pd.DataFrame, layers: pd.DataFrame, statistic: Statistic, copies: Copies = NO_COPIES
) -> alt.LayerChart:
    """A statistic by layer: every head a point, the layer's mean a line, chance dashed, copies of the model grey.

    The mean lies in its 95 % band where the layers have one (columns `<statistic>_low` and `_high`). Clicking a point
    selects its head. copies: the layers table of each by its name.
    """
    named = {"anchor": shown_anchors(heads), "role": heads["role"]} if "role" in heads else {}
    shown = heads[["layer", "head", statistic.name]].assign(**named)
    tooltip = [tip(f"{name}:N") for name in named]
    return curve(layers, LAYER, statistic, heads=shown, tooltip=tooltip, copies=copies, height=320)


def distances_at_a_glance(binned: pd.DataFrame, of: Unit) -> alt.LayerChart:
    """Layers x distance: how many times more often than chance strong pairs have that distance (doublings as colour).

    of: what distances count.
    """
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


def distance_distribution(binned: pd.DataFrame, of: Unit) -> alt.LayerChart:
    """One head: share of its strong pairs by distance as bars beside chance. binned: its rows; of: as above."""
    head = Head.of_row(*binned[["layer", "head"]].iloc[0])
    title = f"Strong pairs of {head} by distance ({of})"
    return bars_beside_chance(binned.sort_values("start"), "distance", f"distance ({of}; ranges double)", title)


def share_sensitivity(curves: pd.DataFrame, statistic: Statistic, chosen: float) -> alt.LayerChart:
    """A statistic by layer for several shares q; columns share, layer and the statistic."""
    # All digits: shares that read alike would be one line.
    names = {share: f"{100 * share:.6g}%{' (chosen)' * (share == chosen)}" for share in sorted(set(curves["share"]))}
    data = curves.assign(strongest=curves["share"].map(names))
    colours = dict(zip(names.values(), COLOURS, strict=False))
    return curve(
        data, replace(LAYER, title="layer; lines: strongest pairs"), statistic, by="strongest", colours=colours
    )
