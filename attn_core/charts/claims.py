"""The picture of the claims: a row an effect, its interval among the zones of its thresholds, and what else has that effect.

Every row has an axis of its own, turned so that *supported* lies on its right, and scaled so that its two thresholds stand
below those of the other rows.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from attn_core.charts.style import CHANCE, layered, tip
from attn_core.claims.claim import BY_EFFECT, Claim

# Of Okabe and Ito, each with a shape of its own: column -> (words, colour, shape).
MARKS = {
    "value": ("effect, 95% interval", "#0072b2", "circle"),
    "untrained": ("untrained copies", "#cc79a7", "square"),
    "shuffled_weights": ("shuffled weights", "#e69f00", "diamond"),
    "shuffled_text": ("shuffled text", "#56b4e9", "triangle-up"),
    "chance": ("chance", CHANCE, "M-.7,-.7L.7,.7M.7,-.7L-.7,.7"),
}  # fmt: skip
VERDICTS = {"supported": "#009e73", "contradicted": "#d55e00", "unclear": "#2f86d1", "not applicable": CHANCE}
ZONES = {"contradicted": VERDICTS["contradicted"], "between": CHANCE, "supported": VERDICTS["supported"]}
ROW, LOW, STRIP = 44, 36, 14  # pixels: of a row, of one below a legend of two lines at least, of the strip in it
ABOVE, ABOVE_NARROW = 76, 100  # pixels: of the legend, one line or two, and the names of the zones
DOWN = 6  # pixels: the strip stands below the middle of its row
LEAST, MOST = (-1.0, 2.0), (-3.0, 5.0)  # of what an axis shows, in distances between thresholds: at least, and at most
WIDE = "width > 620"  # where the claim stands to the left of its strip, not above it
LEFT, RIGHT = f"({WIDE} ? 230 : 6)", "(width - 160)"
# Below a verdict the words of the differences.
DIFFERENCES = {"more_than_untrained": "more than untrained", "needs_word_order": "needs word order"}
TOLD = {
    "name": "claim", "abstract": "the abstract", "verdict": "verdict", "reason": "because", **DIFFERENCES, "number": "effect",
    **{f"{name}_number": MARKS[name][0] for name in list(MARKS)[1:]}, "thresholds": "thresholds",
}  # fmt: skip


def claim_picture(claims: pd.DataFrame, across: float = 1.0) -> alt.LayerChart:
    """A row an effect. claims: of one subject under one setting; pointing at a row tells its numbers. across: the share of
    a page's width that it has.

    Shaded are where an effect is contradicted, what lies between the thresholds, and where it is supported.
    """
    claims = in_words(claims)
    scaled, rows = _scaled(claims), len(claims)
    axes = _Axes(claims["name"].tolist(), *_shown(scaled))
    layers = [
        *_zones(axes),
        *_thresholds(claims, axes),
        _intervals(scaled, axes),
        *_marks(scaled, axes),
        *_words(claims, axes),
    ]
    return layered(
        layers,
        height=max((ABOVE if across == 1 else ABOVE_NARROW) + ROW * rows, ABOVE_NARROW + LOW * rows),
        description=_description(claims),
    ).resolve_scale(color="independent", shape="independent", fill="independent", stroke="independent")


def in_words(claims: pd.DataFrame) -> pd.DataFrame:
    """Rows of claims with the name of each, what the abstract says, its thresholds, and its numbers as they are printed.

    What is not applicable has no number.
    """
    claims = claims.assign(value=claims["value"].where(claims["verdict"] != "not applicable"))
    return pd.DataFrame([{**row, **_words_of(BY_EFFECT[str(row["effect"])], row)} for row in claims.to_dict("records")])


def _words_of(claim: Claim, row: Mapping[Hashable, Any]) -> dict[str, Any]:
    return {
        "name": claim.name, "abstract": claim.abstract, "number": _number(claim, row, "value", "low", "high"),
        **{f"{name}_number": _number(claim, row, name, f"{name}_low", f"{name}_high") for name in list(MARKS)[1:]},
        "supported": claim.supported, "contradicted": claim.contradicted,
        "supported_number": claim.number(claim.supported), "contradicted_number": claim.number(claim.contradicted),
        "thresholds": f"{claim.rule} (ours)",
    }  # fmt: skip


def _number(claim: Claim, row: Mapping[Hashable, Any], name: str, low: str, high: str) -> str:
    """A number of a claim, with its interval where it has one; empty where there is none."""
    value, ends = row.get(name, np.nan), [row.get(end, np.nan) for end in (low, high)]
    if np.isnan(value):
        return ""
    if np.isnan(ends).any():
        return claim.number(value)
    return f"{claim.number(value)} [{', '.join(claim.number(end).removesuffix('%') for end in ends)}]"


@dataclass(frozen=True)
class _Axes:
    """Rows by what they claim, and from where to where all go across."""

    names: list[str]
    low: float
    high: float

    @property
    def y(self) -> alt.Y:
        """The claims are labels of an axis, whose colour follows the theme: above their strips where it is narrow."""
        axis = alt.Axis(
            labelAlign="left", labelPadding=0, labelOffset=alt.ExprRef(f"{WIDE} ? {DOWN} : {DOWN - STRIP}"),
            labelLimit=alt.ExprRef(f"{WIDE} ? 220 : width - 102"), labelBaseline="middle",
            labelFontSize=alt.ExprRef(f"{WIDE} ? 13 : 12"),
        )  # fmt: skip
        return alt.Y("name:N", sort=self.names, title=None, axis=axis)

    def x(self, column: str = "x") -> alt.X:
        ends = [alt.ExprRef(LEFT), alt.ExprRef(RIGHT)]
        scale = alt.Scale(domain=[self.low, self.high], range=ends, zero=False, nice=False)
        return alt.X(f"{column}:Q", scale=scale, axis=None)


def _zones(axes: _Axes) -> list[alt.Chart]:
    """The strip of every row, shaded, and above the first what the shades mean."""
    parts = list(zip(ZONES, (axes.low, 0, 1), (0, 1, axes.high), strict=True))
    zones = pd.DataFrame([(name, *part) for name in axes.names for part in parts], columns=["name", "zone", "x", "end"])
    shade = alt.Color("zone:N", scale=alt.Scale(domain=list(ZONES), range=list(ZONES.values())), legend=None)
    strips = alt.Chart(zones).mark_bar(size=STRIP, yOffset=DOWN, opacity=0.18)
    # Each at its left but the last, so that none touches the next where there is little room.
    first = zones[: len(parts)].assign(x=lambda zone: np.append(zone["x"][:-1], zone["end"].iloc[-1]))
    look: dict[str, Any] = {"fontSize": 10, "baseline": "bottom", "y": -2, "color": CHANCE}
    above = (
        alt.Chart(first[:-1]).mark_text(align="left", **look),
        alt.Chart(first[-1:]).mark_text(align="right", **look),
    )
    return [
        strips.encode(y=axes.y, x=axes.x(), x2="end:Q", color=shade),
        *(words.encode(x=axes.x(), text="zone:N") for words in above),
    ]


def _thresholds(claims: pd.DataFrame, axes: _Axes) -> list[alt.Chart]:
    """Both thresholds in the row's own unit, below the strip."""
    look: dict[str, Any] = {"fontSize": 9, "yOffset": DOWN + STRIP - 2, "color": CHANCE}
    left, right = (alt.Chart(claims.assign(x=at)) for at in (0, 1))
    return [
        left.mark_text(align="right", **look).encode(y=axes.y, x=axes.x(), text="contradicted_number:N"),
        right.mark_text(align="left", **look).encode(y=axes.y, x=axes.x(), text="supported_number:N"),
    ]


def _intervals(scaled: pd.DataFrame, axes: _Axes) -> alt.Chart:
    """As far as the axis shows them."""
    known = scaled[["name", "low", "high"]].dropna()
    known[["low", "high"]] = known[["low", "high"]].clip(axes.low, axes.high)
    drawn = alt.Chart(known).mark_rule(strokeWidth=3, yOffset=DOWN, color=MARKS["value"][1], strokeCap="round")
    return drawn.encode(y=axes.y, x=axes.x("low"), x2="high:Q")


def _marks(scaled: pd.DataFrame, axes: _Axes) -> list[alt.Chart]:
    points = _points(scaled, axes.low, axes.high)
    there = [look for look in MARKS.values() if look[0] in set(points["mark"])]
    names, colours, shapes = ([look[part] for look in there] for part in range(3))
    legend = alt.Legend(
        title=None,
        orient="top",
        columns=alt.ExprRef(f"{WIDE} ? 6 : width > 440 ? 3 : 2"),
        symbolStrokeWidth=2,
        offset=20,
    )
    colour = alt.Scale(domain=names, range=colours)
    # The others are hollow, so that none hides what lies below it.
    inside = alt.Scale(domain=names, range=[look[1] if look == MARKS["value"] else "transparent" for look in there])
    marks = alt.Chart(points).mark_point(size=70, yOffset=DOWN, opacity=1, strokeWidth=2)
    beyond = alt.Chart(points[points["beyond"] != ""])
    arrows = beyond.mark_text(fontSize=14, fontWeight="bold", yOffset=DOWN - 1, color=CHANCE)
    return [
        marks.encode(
            y=axes.y, x=axes.x(), fill=alt.Fill("mark:N", scale=inside, legend=legend),
            shape=alt.Shape("mark:N", scale=alt.Scale(domain=names, range=shapes), legend=legend),
            stroke=alt.Stroke("mark:N", scale=colour, legend=legend),
        ),
        arrows.encode(y=axes.y, x=axes.x(), text="beyond:N"),
    ]  # fmt: skip


def _words(claims: pd.DataFrame, axes: _Axes) -> list[alt.Chart]:
    """Verdict and differences at the right, and what is told under the pointer, anywhere in the row."""
    colour = alt.Color("verdict:N", scale=alt.Scale(domain=list(VERDICTS), range=list(VERDICTS.values())), legend=None)
    beside = [f"{DIFFERENCES['more_than_untrained']}: {word}" if word else "" for word in claims["more_than_untrained"]]
    rows, right = alt.Chart(claims.assign(beside=beside)), dict[str, Any](align="right", x="width")
    verdict = rows.mark_text(fontSize=12, yOffset=-5, **right)
    learned = rows.mark_text(fontSize=11, yOffset=DOWN + 4, color=CHANCE, **right)
    told = [tip(f"{name}:N", title=title) for name, title in TOLD.items() if name in claims and claims[name].any()]
    return [
        verdict.encode(y=axes.y, text="verdict:N", color=colour),
        learned.encode(y=axes.y, text="beside:N"),
        rows.mark_bar(size=ROW, opacity=0, x=0, x2="width").encode(y=axes.y, tooltip=told),
    ]


def _scaled(claims: pd.DataFrame) -> pd.DataFrame:
    """All numbers of a row in distances between its thresholds: 0 is that of *contradicted*, 1 that of *supported*."""
    base, step = claims["contradicted"], claims["supported"] - claims["contradicted"]
    numbers = claims.reindex(columns=["low", "high", *MARKS]).astype(float)
    return numbers.sub(base, axis=0).div(step, axis=0).assign(name=claims["name"])


def _shown(scaled: pd.DataFrame) -> tuple[float, float]:
    """From where to where the axes go."""
    every = scaled.drop(columns="name").to_numpy()
    ends = np.nanmin(every, initial=LEAST[0]), np.nanmax(every, initial=LEAST[1])
    return float(np.clip(ends[0] - 0.1, MOST[0], None)), float(np.clip(ends[1] + 0.1, None, MOST[1]))


def _points(scaled: pd.DataFrame, low: float, high: float) -> pd.DataFrame:
    """One row a mark; what lies beyond the axis stands at its end, with an arrow. The effect comes last, on top."""
    parts = [
        pd.DataFrame({"name": scaled["name"], "mark": MARKS[column][0], "at": scaled[column]})
        for column in reversed(MARKS)
    ]
    points = pd.concat(parts).dropna(subset=["at"])
    arrow = np.select([points["at"] > high, points["at"] < low], ["  »", "«  "], "")
    return points.assign(x=points["at"].clip(low, high), beyond=arrow)


def _description(claims: pd.DataFrame) -> str:
    parts = {name: TOLD[name] for name in TOLD if name in claims and name not in ("name", "abstract", "thresholds")}
    rows = [
        f"{row['name']}: {', '.join(f'{words} {row[name]}' for name, words in parts.items() if row[name])}"
        for row in claims.to_dict("records")
    ]
    return f"Effects of {len(claims)} claims among their thresholds. {'; '.join(rows)}."
