"""Charts of pattern scores: a map of all heads, and a grid of relations x layers."""

import altair as alt
import pandas as pd

from attn_core.charts.descriptions import between_heads, share
from attn_core.charts.groups import scatter
from attn_core.charts.head_map import head_map
from attn_core.charts.style import DARK_INK, LIGHT_INK, STRONG, tip
from attn_core.charts.word_grid import around_zero, printed, word_grid
from attn_core.measures.statistics import Statistic

SCORE = Statistic("score", "score of similarity", "share", "")
MOST = 24  # relations shown at most
ATTENTION = Statistic("attention", "score of attention, the better direction", "share", "")


def score_map(heads: pd.DataFrame, before: float | None = None) -> alt.LayerChart:
    """Map of scores minus chance. heads: from `PairScores.heads`. before: score before any attention."""
    data = heads.assign(excess=heads["score"] - heads["chance_score"], word=printed(heads["score"], ".0%"))
    limit = max(float(data["excess"].abs().max()), abs((before or 0.5) - 0.5)) or 1.0
    shade = around_zero(data["excess"], "colour: score minus chance (50%)", "+.0%", limit)
    above, of_embeddings = [], ""
    if before is not None:
        of_embeddings = f"; before any attention {share(before)}"
        row = pd.DataFrame({"layer": 0, "head": sorted(set(heads["head"])), "excess": before - 0.5})
        ink = LIGHT_INK if abs(before - 0.5) > STRONG * limit else DARK_INK
        middle = alt.Chart(row.iloc[[len(row) // 2]]).mark_text(fontSize=11, color=ink)
        words = alt.TextValue(f"{before:.0%} before any attention")
        above = [alt.Chart(row).mark_rect().encode(color=shade.colour), middle.encode(text=words)]
    return head_map(
        data, shade, [tip("score:Q", ".3f"), tip("chance_score:Q", ".1f", "chance"), tip("pairs:Q")],
        f"score of the pattern, from {between_heads(heads, 'score', share)}; chance 50%{of_embeddings}",
        over=above,
    )  # fmt: skip


def score_scatter(heads: pd.DataFrame) -> alt.LayerChart:
    """Scatter plot of heads by their scores of attention and of similarity. heads: from `PairScores.heads`."""
    attention = heads[["attends", "attended"]].max(axis=1)
    data = heads.assign(attention=attention, chance_attention=heads["chance_score"])
    return scatter(data, ATTENTION, SCORE, by=None, tooltip=("attends", "attended"))


def relation_map(heads: pd.DataFrame) -> alt.LayerChart:
    """Grid of relations x layers with the score of the best head of each layer; of the relations with most pairs.

    heads: the table `relation_heads` of one map.
    """
    order = heads.groupby("relation")["pairs"].max().sort_values(ascending=False).index[:MOST].tolist()
    within = heads[heads["relation"].isin(order)].dropna(subset=["score"])
    data = within.loc[within.groupby(["relation", "layer"])["score"].idxmax()]
    data = data.assign(excess=data["score"] - data["chance_score"], word=printed(data["score"], ".0%"))
    data = data.sort_values("relation", key=lambda names: names.map(order.index), kind="stable")
    tooltip = [
        tip("relation:N"), tip("layer:O"), tip("head:O"), tip("score:Q", ".3f"),
        tip("chance_score:Q", ".3f", "chance"), tip("pairs:Q"),
    ]  # fmt: skip
    best = data.loc[data["score"].idxmax()]
    return word_grid(
        data, "layer", "relation", around_zero(data["excess"], "colour: score minus chance", "+.0%"), tooltip,
        f"Score of the best head of each layer for {len(order)} relations; the highest is {share(best['score'])} for "
        f"{best['relation']} in layer {best['layer']}.",
        titles=("layer", None), row=26,
    )  # fmt: skip
