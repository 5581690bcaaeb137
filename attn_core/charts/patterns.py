"""How well every head sees a pattern: the map of scores, similarity against attention, relations against layers."""

import altair as alt
import pandas as pd

from attn_core.charts.described import between_heads, share
from attn_core.charts.head_map import head_map
from attn_core.charts.scatter import Axis, scatter
from attn_core.charts.style import DARK_INK, LIGHT_INK, STRONG, tip
from attn_core.charts.word_grid import around_zero, printed, word_grid


def score_map(heads: pd.DataFrame, before: float | None = None) -> alt.LayerChart:
    """Layers x heads, coloured by the score minus chance. heads: of `Seen.heads`. before: the score before any attention, a row
    of its own above the heads.
    """
    data = heads.assign(excess=heads["score"] - heads["chance_score"], word=printed(heads["score"], ".0%"))
    limit = max(float(data["excess"].abs().max()), abs((before or 0.5) - 0.5)) or 1.0
    shade = around_zero(data["excess"], "colour: score minus chance (50%)", "+.0%", limit)
    above, said = [], ""
    if before is not None:
        said = f"; before any attention {share(before)}"
        row = pd.DataFrame({"layer": 0, "head": sorted(set(heads["head"])), "excess": before - 0.5})
        ink = LIGHT_INK if abs(before - 0.5) > STRONG * limit else DARK_INK
        cells, middle = (
            alt.Chart(row).mark_rect(),
            alt.Chart(row.iloc[[len(row) // 2]]).mark_text(fontSize=11, color=ink),
        )
        words = alt.TextValue(f"{before:.0%} before any attention")
        places = {"x": alt.X("head:O"), "y": alt.Y("layer:O")}
        above = [cells.encode(**places, color=shade.colour), middle.encode(**places, text=words)]
    return head_map(
        data, shade, [tip("score:Q", ".3f"), tip("chance_score:Q", ".1f", "chance"), tip("pairs:Q")],
        f"score of the pattern, from {between_heads(heads, 'score', share)}; chance 50%{said}",
        over=above,
    )  # fmt: skip


def similarity_against_attention(heads: pd.DataFrame) -> alt.LayerChart:
    """A point a head: the score by similarity (up) against that by attention, the direction that sees the pattern better."""
    attention, chance = heads[["attends", "attended"]].max(axis=1), float(heads["chance_score"].iloc[0])
    return scatter(
        heads,
        Axis("score of attention, the better direction", attention.to_numpy(), chance, ".0%"),
        Axis("score of similarity", heads["score"].to_numpy(), chance, ".0%"),
        tooltip=[tip(f"{kind}:Q", ".3f") for kind in ("attends", "attended")],
    )


def relation_map(heads: pd.DataFrame, column: str, label: str, sensible: int) -> alt.LayerChart:
    """Relations x layers: the best head of each layer by a column. heads: of the table `relation_heads` of one map.

    sensible: relations that are shown, those of most pairs.
    """
    order = heads.groupby("relation")["pairs"].max().sort_values(ascending=False).index[:sensible].tolist()
    within = heads[heads["relation"].isin(order)].dropna(subset=[column])
    data = within.loc[within.groupby(["relation", "layer"])[column].idxmax()]
    data = data.assign(excess=data[column] - data[f"chance_{column}"], word=printed(data[column], ".0%"))
    data = data.sort_values("relation", key=lambda names: names.map(order.index), kind="stable")
    tooltip = [
        tip("relation:N"), tip("layer:O"), tip("head:O"), tip(f"{column}:Q", ".3f", label),
        tip(f"chance_{column}:Q", ".3f", "chance"), tip("pairs:Q"),
    ]  # fmt: skip
    best = data.loc[data[column].idxmax()]
    return word_grid(
        data, "layer", "relation", around_zero(data["excess"], f"colour: {label} minus chance", "+.0%"), tooltip,
        f"{label} of the best head of each layer for {len(order)} relations; the highest is {share(best[column])} for "
        f"{best['relation']} in layer {best['layer']}.",
        titles=("layer", None), row=26,
    )  # fmt: skip
