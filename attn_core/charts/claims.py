"""The picture of the claims: a row an effect, its interval among the zones of its thresholds, and what else has that effect.

Every row has an axis of its own, turned so that *supported* lies on its right, and scaled so that its two thresholds stand
below those of the other rows.
"""

from collections.abc import Hashable, Mapping
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from attn_core.charts.style import ACCENT, CHANCE, layered, legend_columns, tip
from attn_core.claims.claim import BY_EFFECT, Claim

# Of Okabe and Ito, each with a shape of its own: column -> (words, colour, shape).
MARKS = {
    "value": ("effect, 95% interval", ACCENT, "circle"),
    "untrained": ("untrained copies", "#cc79a7", "square"),
    "shuffled_weights": ("shuffled weights", "#e69f00", "diamond"),
    "shuffled_text": ("shuffled text", "#56b4e9", "triangle-up"),
    "chance": ("chance", CHANCE, "M-.7,-.7L.7,.7M.7,-.7L-.7,.7"),
}  # fmt: skip
VERDICTS = {"supported": "#009e73", "contradicted": "#d55e00", "unclear": "#737b87", "not applicable": CHANCE}
ZONES = ("contradicted", "unclear", "supported")
WIDE = 620  # pixels from which the effect stands above its strip, beside the claim
ROW, STRIP, ABOVE = 44, 14, 100  # pixels: of a row, of the strip in it, of the legend and the names of the zones
DOWN = 6  # pixels: the strip stands below the middle of its row, and the claim above it
LEAST, MOST = (-1.0, 2.0), (-3.0, 5.0)  # of what an axis shows, in distances between thresholds: at least, and at most
ROOM = 0.3  # in these distances: beyond the outermost mark, for its other half and an arrow
# Below a verdict the words of the differences.
DIFFERENCES = {"more_than_untrained": "more than untrained", "needs_word_order": "needs word order"}
TOOLTIP = {
    "name": "claim", "abstract": "the abstract", "verdict": "verdict", "reason": "because", **DIFFERENCES, "number": "effect",
    **{f"{name}_number": MARKS[name][0] for name in list(MARKS)[1:]}, "thresholds": "thresholds",
}  # fmt: skip


def claim_picture(claims: pd.DataFrame) -> alt.LayerChart:
    """A row an effect. claims: of one subject under one setting; pointing at a row tells its numbers.

    Shaded are where an effect is contradicted, what lies between the thresholds, and where it is supported.
    """
    claims = readable_claims(claims)
    numbers = _scaled(claims)
    low, high = _shown(numbers)
    # The claims are labels of an axis, whose colour follows the theme, above their strips.
    axis = alt.Axis(
        labelAlign="left", labelPadding=0, labelOffset=DOWN - STRIP, labelLimit=460, labelBaseline="middle", labelFontSize=12
    )  # fmt: skip
    y = alt.Y("row:N", sort=claims["row"].tolist(), title=None, axis=axis)
    scale = alt.Scale(domain=[low, high], range=[6, alt.ExprRef("width - 160")], zero=False, nice=False)
    x = alt.X("x:Q", scale=scale, axis=None)
    return layered(
        [
            *_zones(claims, x, y, low, high),
            *_thresholds(claims, x, y),
            *_marks(numbers, x, y, low, high),
            *_verdicts(claims, y),
        ],
        height=ABOVE + ROW * len(claims),
        description=_description(claims),
    ).resolve_scale(color="independent", shape="independent", fill="independent", stroke="independent")


def readable_claims(claims: pd.DataFrame) -> pd.DataFrame:
    """Rows of claims with the name of each, what the abstract says, its thresholds, and its numbers as they are printed.

    What is not applicable has no number.
    """
    numbers = [name for name in MARKS if name in claims]
    claims = claims.assign(**{name: claims[name].where(claims["verdict"] != "not applicable") for name in numbers})
    return pd.DataFrame([{**row, **_words_of(BY_EFFECT[str(row["effect"])], row)} for row in claims.to_dict("records")])


def _words_of(claim: Claim, row: Mapping[Hashable, Any]) -> dict[str, Any]:
    return {
        "name": claim.name, "abstract": claim.abstract, "row": claim.heading,
        "number": _number(claim, row, "value", "low", "high"),
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


def _zones(claims: pd.DataFrame, x: alt.X, y: alt.Y, low: float, high: float) -> list[alt.Chart]:
    """The strip of every row, shaded, and above the first what the outer shades mean."""
    parts = list(zip(ZONES, (low, 0, 1), (0, 1, high), strict=True))
    zones = pd.DataFrame([(row, *part) for row in claims["row"] for part in parts], columns=["row", "zone", "x", "end"])
    shade = alt.Color(
        "zone:N", scale=alt.Scale(domain=list(ZONES), range=[VERDICTS[zone] for zone in ZONES]), legend=None
    )
    words: dict[str, Any] = {"baseline": "bottom", "y": -2, "fontSize": 10, "color": CHANCE}
    left, right = (alt.Chart(zones.iloc[[at]].assign(x=end)) for at, end in ((0, low), (2, high)))
    return [
        alt.Chart(zones)
        .mark_bar(size=STRIP, yOffset=DOWN, opacity=0.18)
        .encode(y=y, x=x, x2=alt.X2("end:Q"), color=shade),
        left.mark_text(align="left", **words).encode(x=x, text=alt.Text("zone:N")),
        right.mark_text(align="right", **words).encode(x=x, text=alt.Text("zone:N")),
    ]


def _thresholds(claims: pd.DataFrame, x: alt.X, y: alt.Y) -> list[alt.Chart]:
    """Both thresholds in the row's own unit, below the strip."""
    look: dict[str, Any] = {"fontSize": 9, "yOffset": DOWN + STRIP - 2, "color": CHANCE}
    left, right = (alt.Chart(claims.assign(x=at)).encode(y=y, x=x) for at in (0, 1))
    return [
        left.mark_text(align="right", **look).encode(text=alt.Text("contradicted_number:N")),
        right.mark_text(align="left", **look).encode(text=alt.Text("supported_number:N")),
    ]


def _marks(numbers: pd.DataFrame, x: alt.X, y: alt.Y, low: float, high: float) -> list[alt.Chart]:
    """Effects with their intervals, and hollow, so that none hides what lies below it, what else has that effect.

    What lies beyond the axis stands near its end, with an arrow.
    """
    columns = ["low", "high", *MARKS]
    shown = numbers.assign(**numbers[columns].clip(low + ROOM, high - ROOM))
    parts = [
        shown[["row"]].assign(mark=look[0], x=shown[name], beyond=np.sign(numbers[name] - shown[name]).fillna(0))
        for name, look in reversed(MARKS.items())
    ]
    points = pd.concat(parts).dropna(subset=["x"])
    there = [look for look in MARKS.values() if look[0] in set(points["mark"])]
    names, colours, shapes = ([look[part] for look in there] for part in range(3))
    inside = [look[1] if look == MARKS["value"] else "transparent" for look in there]
    legend = alt.Legend(title=None, orient="top", columns=legend_columns(names), symbolStrokeWidth=2, offset=20)
    base = alt.Chart(points).encode(y=y, x=x)
    spans = alt.Chart(shown.dropna(subset=["low", "high"]).assign(x=shown["low"]))
    return [
        spans.mark_rule(strokeWidth=3, yOffset=DOWN, color=MARKS["value"][1], strokeCap="round").encode(
            y=y, x=x, x2=alt.X2("high:Q")
        ),
        base.mark_point(size=70, yOffset=DOWN, opacity=1, strokeWidth=2).encode(
            fill=alt.Fill("mark:N", scale=alt.Scale(domain=names, range=inside), legend=legend),
            shape=alt.Shape("mark:N", scale=alt.Scale(domain=names, range=shapes), legend=legend),
            stroke=alt.Stroke("mark:N", scale=alt.Scale(domain=names, range=colours), legend=legend),
        ),
        base.transform_filter("datum.beyond != 0")
        .mark_text(fontSize=14, fontWeight="bold", dx=alt.ExprRef("12 * datum.beyond"), yOffset=DOWN - 1, color=CHANCE)
        .transform_calculate(arrow="datum.beyond > 0 ? '»' : '«'")
        .encode(text=alt.Text("arrow:N")),
    ]


def _verdicts(claims: pd.DataFrame, y: alt.Y) -> list[alt.Chart]:
    """Verdict and difference at the right, and what is shown under the pointer, anywhere in the row."""
    colour = alt.Color("verdict:N", scale=alt.Scale(domain=list(VERDICTS), range=list(VERDICTS.values())), legend=None)
    beside = [f"{DIFFERENCES['more_than_untrained']}: {word}" if word else "" for word in claims["more_than_untrained"]]
    rows, right = alt.Chart(claims.assign(beside=beside)).encode(y=y), dict[str, Any](align="right", x="width")
    tooltip = [
        tip(f"{name}:N", title=title) for name, title in TOOLTIP.items() if name in claims and claims[name].any()
    ]
    return [
        rows.mark_text(
            fontSize=11,
            yOffset=DOWN - STRIP,
            color=CHANCE,
            align="right",
            x=alt.ExprRef("width - 160"),
            opacity=alt.ExprRef(f"width < {WIDE} ? 0 : 1"),
        ).encode(text=alt.Text("number:N")),
        rows.mark_text(fontSize=12, yOffset=-5, **right).encode(text=alt.Text("verdict:N"), color=colour),
        rows.mark_text(fontSize=11, yOffset=DOWN + 4, color=CHANCE, **right).encode(text=alt.Text("beside:N")),
        rows.mark_bar(size=ROW, opacity=0, x=0, x2="width").encode(tooltip=tooltip),
    ]


def _scaled(claims: pd.DataFrame) -> pd.DataFrame:
    """All numbers of a row in distances between its thresholds: 0 is that of *contradicted*, 1 that of *supported*."""
    base, step = claims["contradicted"], claims["supported"] - claims["contradicted"]
    numbers = claims.reindex(columns=["low", "high", *MARKS]).astype(float)
    return numbers.sub(base, axis=0).div(step, axis=0).assign(row=claims["row"])


def _shown(scaled: pd.DataFrame) -> tuple[float, float]:
    """From where to where the axes go."""
    every = scaled.drop(columns="row").to_numpy()
    ends = np.nanmin(every, initial=LEAST[0]), np.nanmax(every, initial=LEAST[1])
    return float(max(ends[0], MOST[0]) - ROOM), float(min(ends[1], MOST[1]) + ROOM)


def _description(claims: pd.DataFrame) -> str:
    parts = {
        name: TOOLTIP[name] for name in TOOLTIP if name in claims and name not in ("name", "abstract", "thresholds")
    }
    rows = [
        f"{row['name']}: {', '.join(f'{words} {row[name]}' for name, words in parts.items() if row[name])}"
        for row in claims.to_dict("records")
    ]
    return f"Effects of {len(claims)} claims among their thresholds. {'; '.join(rows)}."
