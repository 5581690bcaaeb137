"""How well every head sees a pattern: the map of scores, similarity against attention, relations against heads."""

import altair as alt
import pandas as pd

from attn_core.charts.described import between_heads, grid, share
from attn_core.charts.marks import click, frames, gradient, head_grid, in_cells, letters, longest, map_height
from attn_core.charts.style import (
    ACCENT,
    CELL,
    CHANCE,
    CHANCE_DASH,
    CLICKED,
    DASHED,
    POINT,
    diverging,
    ink,
    layered,
    tip,
)

RELATIONS = alt.Axis(labelLimit=220, labelFlush=False)  # a row each, the first and the last beside theirs too
BY_ATTENTION, BY_SIMILARITY = ["score of attention, the better direction", "dashed: chance"], "score of similarity"


def score_map(heads: pd.DataFrame, before: float | None = None) -> alt.LayerChart:
    """Layers x heads, coloured by the score minus chance. heads: of `Seen.heads`. before: the score before any attention, a row
    of its own above the heads.

    Clicking a cell selects it.
    """
    data = heads.assign(excess=heads["score"] - heads["chance_score"])
    limit = float(data["excess"].abs().max()) or 1.0
    told = [tip("score:Q", ".3f"), tip("chance_score:Q", ".1f", "chance"), tip("pairs:Q")]
    base = head_grid(data, *told)
    limit = max(limit, abs(before - 0.5)) if before is not None else limit
    colour = alt.Color("excess:Q", scale=diverging(limit), legend=gradient("colour: score minus chance (50%)", "+.0%"))
    cells = base.mark_rect(**CLICKED).encode(color=colour)
    numbers = in_cells(base, data["head"].nunique(), longest(data["score"], ".0%"), cursor="pointer").encode(
        text=alt.Text("score:Q", format=".0%"), color=ink("excess", limit)
    )
    above = [] if before is None else _row_before(data["head"], before, colour, limit)
    said = "" if before is None else f" Before any attention {share(before)}."
    return layered(
        [*above, cells.add_params(click()), numbers, *frames(data)],
        height=map_height(data) + 60 + (CELL if above else 0),
        description=f"Map of {grid(data)}: score of the pattern, from {between_heads(heads, 'score', share)}; chance 50%.{said}",
    )


def _row_before(heads: pd.Series, score: float, colour: alt.Color, limit: float) -> list[alt.Chart]:
    """Layer 0: one number, since no head has read the text yet."""
    row = pd.DataFrame({"layer": 0, "head": sorted(set(heads)), "score": score, "excess": score - 0.5})
    middle = row.iloc[[len(row) // 2]].assign(said=f"{score:.0%} before any attention")
    return [
        head_grid(row, tip("score:Q", ".3f", "before any attention")).mark_rect().encode(color=colour),
        head_grid(middle).mark_text(fontSize=11).encode(text="said:N", color=ink("excess", limit)),
    ]


def similarity_against_attention(heads: pd.DataFrame) -> alt.LayerChart:
    """A point a head: the score by similarity (up) against that by attention, the direction that sees the pattern better."""
    data = heads.assign(attention=heads[["attends", "attended"]].max(axis=1))
    of_x, of_y = (alt.Scale(domain=[min(0.4, float(data[name].min())), 1.0]) for name in ("attention", "score"))
    x = alt.X("attention:Q", title=BY_ATTENTION, scale=of_x, axis=alt.Axis(format=".0%"))
    y = alt.Y("score:Q", title=BY_SIMILARITY, scale=of_y, axis=alt.Axis(format=".0%"))
    told = [tip("layer:O"), tip("head:O"), tip("score:Q", ".3f")]
    told += [tip(f"{kind}:Q", ".3f") for kind in ("attends", "attended")]
    points = (
        alt.Chart(data)
        .mark_point(size=70, filled=True, color=POINT, opacity=0.85, cursor="pointer")
        .encode(x=x, y=y, tooltip=told)
        .add_params(click())
    )
    level = alt.Chart(data[["chance_score"]].head(1)).mark_rule(color=CHANCE, strokeDash=CHANCE_DASH)
    chance = [
        level.encode(x=alt.X("chance_score:Q", scale=of_x, title=BY_ATTENTION)),
        level.encode(y=alt.Y("chance_score:Q", scale=of_y, title=BY_SIMILARITY)),
    ]
    rings = [mark.encode(x=x, y=y) for mark in letters(data)]
    return layered(
        [*chance, points, *rings],
        height=360,
        description=f"{len(data)} heads: score by similarity, from {between_heads(data, 'score', share)}, against score by "
        f"attention, from {between_heads(data, 'attention', share)}; chance 50% for both.",
    )


def relation_map(heads: pd.DataFrame, column: str, label: str, sensible: int) -> alt.LayerChart:
    """Relations x layers: the best head of each layer by a column. heads: of the table `relation_heads` of one map.

    sensible: relations that are shown, those of most pairs.
    """
    order = heads.groupby("relation")["pairs"].max().sort_values(ascending=False).index[:sensible].tolist()
    within = heads[heads["relation"].isin(order)].dropna(subset=[column])
    data = within.loc[within.groupby(["relation", "layer"])[column].idxmax()]
    data = data.assign(excess=data[column] - data[f"chance_{column}"])
    limit = float(data["excess"].abs().max()) or 1.0
    base = alt.Chart(data).encode(
        x=alt.X("layer:O", title="layer", axis=alt.Axis(labelAngle=0, orient="top")),
        y=alt.Y("relation:N", sort=order, title=None, axis=RELATIONS),
        tooltip=[
            "relation:N", tip("layer:O"), tip("head:O"), tip(f"{column}:Q", ".3f", label),
            tip(f"chance_{column}:Q", ".3f", "chance"), tip("pairs:Q"),
        ],
    )  # fmt: skip
    cells = base.mark_rect(stroke="#ffffff", strokeOpacity=0.35).encode(
        color=alt.Color("excess:Q", scale=diverging(limit), legend=gradient(f"colour: {label} minus chance", "+.0%"))
    )
    numbers = in_cells(base, data["layer"].nunique(), longest(data[column], ".0%")).encode(
        text=alt.Text(f"{column}:Q", format=".0%"), color=ink("excess", limit)
    )
    top = ""
    if len(data):
        best = data.loc[data[column].idxmax()]
        top = f"; the highest is {share(best[column])} for {best['relation']} in layer {best['layer']}"
    return layered(
        [cells, numbers],
        height=150 + 26 * len(order),  # axis and legend take the 150
        description=f"{label} of the best head of each layer for {len(order)} relations{top}.",
    )


def best_relations(head: pd.DataFrame, label: str) -> alt.LayerChart:
    """What one head is best at: its relations by score, with the chance level. head: its rows of the table `relation_heads`."""
    data = head.sort_values("score", ascending=False).head(12)
    y = alt.Y("relation:N", sort=data["relation"].tolist(), title=None, axis=RELATIONS)
    told = ["relation:N", tip("score:Q", ".3f"), tip("p_adjusted:Q", ".2g", "p, all heads")]
    x = alt.X("score:Q", title=f"{label}; dashed: chance", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format=".0%"))
    bars = alt.Chart(data).mark_bar(color=ACCENT).encode(x=x, y=y, tooltip=told)
    rule = alt.Chart(data[["chance_score"]].head(1)).encode(x="chance_score:Q")
    ground = rule.mark_rule(color="#ffffff", strokeWidth=3)  # on a bar the dashes alone would not be seen
    chance = rule.mark_rule(**DASHED)
    best = data.iloc[0]
    return layered(
        [bars, ground, chance],
        height=70 + 24 * len(data),
        description=f"The {len(data)} relations that the head sees best, from {best['relation']} "
        f"({share(best['score'])}); chance 50%.",
    )
