"""The specification curve: a claim's effect in a subject under every setting, by size, and below it the settings."""

from collections.abc import Mapping, Sequence

import altair as alt
import numpy as np
import pandas as pd

from attn_core.charts.claims import MARKS, VERDICTS
from attn_core.charts.described import counted
from attn_core.charts.style import CHANCE, CHANCE_DASH, layered, legend_columns, tip
from attn_core.claims.claim import Claim

BESIDE = ("untrained", "shuffled_weights", "shuffled_text")
CHANCE_LEVEL = "chance (dashed)"
FORMS = {"times": ".2f", "share": ".0%", "change": "+.0%"}  # of a claim's numbers, as d3 has them
CURVE, ROW, GAP, BELOW = 250, 15, 7, 64  # pixels: the curve, a row of settings, between two of them, the axis
LABELS = 128  # pixels left of the curve, for the settings
BEYOND = 0.35  # of the spread of effects: as far as intervals and baselines may draw the axis out


def specification_curve(
    rows: pd.DataFrame, settings: Mapping[str, Sequence[tuple[object, str]]], claim: Claim
) -> alt.LayerChart:
    """The effect under every setting, and below which settings they are.

    rows: of a claims table, one a setting, those without an effect left out. settings: by column, what can be chosen, each with
    its words.
    """
    curve = rows.dropna(subset="value").sort_values("value", ignore_index=True)
    curve = curve.assign(rank=curve.index + 1)
    low, high = _span(curve)
    marks = [(column, value, words) for column, values in settings.items() for value, words in values]
    height = CURVE + len(marks) * ROW + len(settings) * GAP
    pixel = (high - low) / CURVE
    places, at = {}, 0.0
    for number, (column, value, _) in enumerate(marks):
        at += ROW + (GAP if number == 0 or marks[number - 1][0] != column else 0)
        places[column, value] = low - pixel * at
    scale = alt.Scale(domain=[low - pixel * (height - CURVE), high], nice=False, zero=False)
    axis = alt.Axis(
        values=[float(tick) for tick in _ticks(low, high)], format=FORMS[claim.unit], minExtent=LABELS, grid=True,
        labelFlush=False, titleAngle=0, titleAlign="left", titleAnchor="end", titleX=-LABELS, titleY=-10,
    )  # fmt: skip
    y = alt.Y("value:Q", scale=scale, title=claim.label, axis=axis)
    x = alt.X(
        "rank:Q", title=f"{len(curve)} settings, by effect", axis=alt.Axis(labels=False, grid=False, tickCount=0),
        scale=alt.Scale(domain=[0, len(curve) + 1], nice=False),
    )  # fmt: skip
    data = curve.assign(
        shown_low=curve["low"].clip(low, high), shown_high=curve["high"].clip(low, high), label=CHANCE_LEVEL
    )
    told = _told(curve, settings, FORMS[claim.unit])
    base = alt.Chart(data).encode(x=x, tooltip=told)
    chance = base.mark_line(strokeDash=CHANCE_DASH, strokeWidth=2).encode(y="chance:Q", color=alt.Color("label:N"))
    spans = base.mark_rule(strokeWidth=1.5, opacity=1, strokeOpacity=0.55).encode(
        y="shown_low:Q", y2="shown_high:Q", color=alt.Color("verdict:N")
    )
    points = base.mark_circle(size=38, opacity=1).encode(y=y, color=_colours(curve))
    shape = alt.Shape("shape:N", scale=None)
    beside = [
        alt.Chart(_at_edge(there.assign(label=MARKS[name][0]), name, low, high))
        .mark_point(size=34, filled=True, opacity=1)
        .encode(x=x, y="shown:Q", color=alt.Color("label:N"), shape=shape, tooltip=told)
        for name in _beside(data)
        if len(there := data[data[name].notna()])
    ]
    marked = pd.concat(
        [
            data.loc[data[column] == value, ["rank", "verdict"]].assign(value=place, setting=f"{words}")
            for (column, value, words), place in zip(marks, places.values(), strict=True)
        ]
    )
    ticks = alt.Chart(marked).mark_tick(thickness=3, size=ROW - 4, orient="vertical", opacity=1).encode(
        x=x, y="value:Q", color=alt.Color("verdict:N"), tooltip=[tip("setting:N"), tip("verdict:N")]
    )  # fmt: skip
    labels = pd.DataFrame({"value": list(places.values()), "words": [words for *_, words in marks]})
    names = alt.Chart(labels).mark_text(align="right", dx=-8, fontSize=11, color=CHANCE).encode(
        x=alt.value(0), y="value:Q", text="words:N"
    )  # fmt: skip
    return layered(
        [chance, *_thresholds(curve, claim, low, high), spans, *beside, points, ticks, names],
        height=height + BELOW,
        description=_in_words(curve, claim),
    )


def _beside(curve: pd.DataFrame) -> list[str]:
    """The baselines that there are numbers of."""
    return [name for name in BESIDE if name in curve and curve[name].notna().any()]


def _span(curve: pd.DataFrame) -> tuple[float, float]:
    """What the axis holds: every effect and chance level; intervals and baselines as far as they leave the rest readable."""
    values = np.concatenate([curve["value"], curve["chance"].dropna()])
    low, high = float(values.min()), float(values.max())
    room = BEYOND * ((high - low) or abs(high) or 1.0)
    others = pd.concat([curve[name].dropna() for name in ("low", "high", *_beside(curve))])
    if len(others):
        low, high = max(low - room, min(low, float(others.min()))), min(high + room, max(high, float(others.max())))
    edge = 0.04 * ((high - low) or 1.0)
    return low - edge, high + edge


def _at_edge(data: pd.DataFrame, name: str, low: float, high: float) -> pd.DataFrame:
    """A baseline where it is shown: as a diamond, and as a triangle at the edge that it lies beyond."""
    below, above = data[name] < low, data[name] > high
    shape = np.select([below, above], ["triangle-down", "triangle-up"], "diamond")
    return data.assign(shown=data[name].clip(low, high), shape=shape)


def _ticks(low: float, high: float) -> np.ndarray:
    """Four to eight round numbers between."""
    raw = (high - low) / 5
    size = 10.0 ** np.floor(np.log10(raw))
    step = size * min((1, 2, 5, 10), key=lambda times: abs(times * size - raw))
    return np.round(np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step, 10)


def _colours(curve: pd.DataFrame) -> alt.Color:
    """One legend for verdicts and for what stands beside the curve: what there is of it."""
    shown = {name: colour for name, colour in VERDICTS.items() if (curve["verdict"] == name).any()}
    shown |= {MARKS[name][0]: MARKS[name][1] for name in _beside(curve)} | {CHANCE_LEVEL: CHANCE}
    columns = legend_columns(shown)
    # Above the title of the axis, which stands at its end.
    legend = alt.Legend(title=None, orient="top", symbolType="circle", columns=columns, labelLimit=160, offset=24)
    return alt.Color("verdict:N", scale=alt.Scale(domain=list(shown), range=list(shown.values())), legend=legend)


def _told(curve: pd.DataFrame, settings: Mapping[str, object], form: str) -> list[alt.Tooltip]:
    words = {"value": "effect", "low": "95% from", "high": "95% to", "chance": "chance"}
    words |= {name: MARKS[name][0] for name in _beside(curve)}
    return [
        *(tip(f"{name}:Q", form, title) for name, title in words.items()),
        tip("verdict:N"),
        *(tip(f"{column}:N") for column in settings),
    ]


def _thresholds(curve: pd.DataFrame, claim: Claim, low: float, high: float) -> list[alt.Chart]:
    """Past which an effect is supported, and past which contradicted, where they lie in the picture.

    Their words stand where the curve does not.
    """
    drawn = []
    near = abs(claim.supported - claim.contradicted) < (high - low) / 12  # one name would lie upon the other
    for threshold, name in (
        (claim.supported, "supported past this"),
        (claim.contradicted, "" if near else "contradicted past this"),
    ):
        if low < threshold < high:
            base = alt.Chart(pd.DataFrame({"value": [threshold], "name": [name]})).encode(y="value:Q")
            below = threshold < curve["value"].median()
            place = alt.value(alt.expr("width")) if below else alt.value(0)
            text = base.mark_text(
                align="right" if below else "left", dx=-4 if below else 4, dy=-6, fontSize=10, color=CHANCE
            )
            drawn += [base.mark_rule(color=CHANCE, opacity=0.7), text.encode(x=place, text="name:N")]
    return drawn


def _in_words(curve: pd.DataFrame, claim: Claim) -> str:
    ends = " to ".join(claim.number(curve["value"].iloc[at]) for at in (0, -1))
    names = {"chance": "chance", **{name: MARKS[name][0] for name in _beside(curve)}}
    others = [
        f"{words} {claim.number(curve[name].min())} to {claim.number(curve[name].max())}"
        for name, words in names.items()
        if curve[name].notna().any()
    ]
    return f"{claim.name}, {len(curve)} settings: {'; '.join([ends, *others, counted(curve['verdict'])])}."
