"""Charts of pattern scores: a map of all heads, and a grid of relations x layers."""

import altair as alt
import pandas as pd

from attn_core.charts.descriptions import printed
from attn_core.charts.groups import scatter
from attn_core.charts.head_map import head_map
from attn_core.charts.style import CHANCE, tip
from attn_core.charts.word_grid import around_zero, word_grid
from attn_core.measures.statistics import Statistic

SCORE = Statistic("score", "similarity score", "share", "")
ATTENTION = Statistic("attention", "attention score (better of both directions)", "share", "")
WAYS = {"attends": "first → second", "attended": "second → first"}  # of attention
MOST = 24  # relations shown at most


def score_map(heads: pd.DataFrame, before: float | None = None) -> alt.LayerChart:
    """Map of scores minus chance. heads: from `PairScores.heads`. before: score of the input embeddings, in words."""
    data = heads.assign(excess=heads["score"] - heads["chance_score"], word=printed(heads["score"], ".0%"))
    shade = around_zero(data["excess"], "score minus chance (50%)", "+.0%")
    above, said = [], ""
    if before is not None:
        said = f"input embeddings: {before:.1%}"
        middle = alt.Chart(pd.DataFrame({"layer": [0], "head": [(1 + heads["head"].max()) // 2]}))
        words = middle.mark_text(fontSize=12, color=CHANCE)
        above = [words.encode(text=alt.TextValue(said))]
    tooltip = [tip("score:Q", ".3f"), tip("chance_score:Q", ".1f", "chance"), tip("pairs:Q")]
    return head_map(data, shade, tooltip, above, said=said)


def score_scatter(heads: pd.DataFrame) -> alt.LayerChart:
    """Scatter plot of heads by their scores of attention and of similarity. heads: from `PairScores.heads`."""
    attention = heads[["attends", "attended"]].max(axis=1)
    data = heads.assign(attention=attention, chance_attention=heads["chance_score"]).rename(columns=WAYS)
    return scatter(data, ATTENTION, SCORE, by=None, tooltip=tuple(WAYS.values()))


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
    shade = around_zero(data["excess"], "colour: score minus chance", "+.0%")
    return word_grid(data, "layer", "relation", shade, tooltip, titles=("layer", None), row=26)
