"""Specification curve: the effect of a claim under every setting, sorted by size, with the settings below."""

from collections.abc import Mapping, Sequence

import altair as alt
import pandas as pd

from attn_core.charts.claims import MARKS, VERDICTS
from attn_core.charts.style import CHANCE, CHANCE_DASH, by_name, layered, legend, tip
from attn_core.claims.claim import Claim
from attn_core.models.baselines import CONTROLS

CHANCE_LEVEL = "chance (dashed)"
FORMS = {"times": ".2f", "share": ".0%", "change": "+.0%"}  # d3 format of a number by the unit of its claim
CURVE, ROW, GAP, BELOW = 250, 15, 7, 64  # pixels: curve, row of settings, gap between settings, axis
BEYOND = 0.35  # of the range of effects: most that intervals extend the axis
LABELS = 128  # pixels to the left of the curve, for names of settings


def specification_curve(
    rows: pd.DataFrame, settings: Mapping[str, Sequence[tuple[object, str]]], claim: Claim
) -> alt.LayerChart:
    """Chart of the effects of a claim in ascending order, with the settings of each below it.

    rows: of a claims table, one per combination of settings. settings: by column, the values with their labels.
    """
    curve = rows.dropna(subset="value").sort_values("value", ignore_index=True)
    low, high = _span(curve)
    marks, at = [], CURVE
    for column, values in settings.items():
        for value, words in values:
            at += ROW + GAP * (value == values[0][0])
            marks.append((curve[column] == value, {"at": at, "setting": words}))
    # The axis ends above the rows of settings.
    scale = alt.Scale(domain=[low, high], range=[alt.ExprRef(f"height * {CURVE / at}"), 0], nice=False, zero=False)
    axis = alt.Axis(
        tickCount=5, format=FORMS[claim.unit], minExtent=LABELS, grid=True, labelFlush=False, titleAngle=0,
        titleAlign="left", titleAnchor="end", titleX=-LABELS, titleY=-10,
    )  # fmt: skip
    below = alt.ExprRef(f"height * datum.at / {at}")
    x = alt.X(
        "rank:Q", title=f"{len(curve)} settings, by effect", axis=alt.Axis(labels=False, grid=False, tickCount=0),
        scale=alt.Scale(domain=[0, len(curve) + 1], nice=False),
    )  # fmt: skip
    data = curve.assign(
        rank=curve.index + 1, label=CHANCE_LEVEL, low=curve["low"].clip(low, high), high=curve["high"].clip(low, high)
    )
    titles = {"value": "effect", "low": "95% from", "high": "95% to", "chance": "chance"}
    titles |= {name: MARKS[name][0] for name in _beside(curve)}
    tips = [tip(f"{name}:Q", FORMS[claim.unit], title) for name, title in titles.items()]
    base = alt.Chart(data).encode(x=x, tooltip=[*tips, *(tip(f"{name}:N") for name in ("verdict", *settings))])
    of_verdict, of_label = _colours(curve), alt.Color("label:N")
    beside = [
        base.transform_calculate(label=f"'{MARKS[name][0]}'")
        .mark_point(size=34, filled=True, opacity=1, shape="diamond")
        .encode(y=alt.Y(f"{name}:Q"), color=of_label)
        for name in _beside(curve)
    ]
    ticks = alt.Chart(pd.concat([data.loc[rows, ["rank", "verdict"]].assign(**place) for rows, place in marks]))
    names = alt.Chart(pd.DataFrame([place for _, place in marks]))
    return layered(
        [
            base.mark_line(strokeDash=CHANCE_DASH, strokeWidth=2).encode(y=alt.Y("chance:Q"), color=of_label),
            *_thresholds(claim, low, high),
            base.mark_rule(strokeWidth=1.5, opacity=1, strokeOpacity=0.55).encode(
                y=alt.Y("low:Q"), y2=alt.Y2("high:Q"), color=of_verdict
            ),
            *beside,
            base.mark_circle(size=38, opacity=1).encode(
                y=alt.Y("value:Q", scale=scale, title=claim.label, axis=axis), color=of_verdict
            ),
            ticks.mark_tick(thickness=3, size=ROW - 4, orient="vertical", opacity=1, y=below).encode(
                x=x, color=of_verdict, tooltip=[tip("setting:N"), tip("verdict:N")]
            ),
            names.mark_text(align="right", dx=-8, fontSize=11, color=CHANCE, y=below).encode(
                x=alt.XValue(0), text=alt.Text("setting:N")
            ),
        ],
        at + BELOW,
    )


def _beside(curve: pd.DataFrame) -> list[str]:
    """The baselines that have values."""
    return [name for name in CONTROLS if name in curve and curve[name].notna().any()]


def _span(curve: pd.DataFrame) -> tuple[float, float]:
    """The range of the axis, which covers effects, chance levels, baselines, and intervals up to a limit."""
    values = pd.concat([curve[name].dropna() for name in ("value", "chance", *_beside(curve))])
    low, high = float(values.min()), float(values.max())
    margin = BEYOND * (high - low or abs(high) or 1.0)
    least, most = curve["low"].min(), curve["high"].max()  # NaN without intervals
    return max(low - margin, min(low - 0.1 * margin, least)), min(high + margin, max(high + 0.1 * margin, most))


def _colours(curve: pd.DataFrame) -> alt.Color:
    """Colours of verdicts, baselines and chance, with a legend."""
    shown = {name: colour for name, colour in VERDICTS.items() if (curve["verdict"] == name).any()}
    shown |= {MARKS[name][0]: MARKS[name][1] for name in _beside(curve)} | {CHANCE_LEVEL: CHANCE}
    return by_name(alt.Color, "verdict", shown, legend(shown, symbolType="circle", labelLimit=160, offset=24))


def _thresholds(claim: Claim, low: float, high: float) -> list[alt.Chart]:
    """Layers with a line at each threshold that is within the range."""
    near = abs(claim.supported - claim.contradicted) < (high - low) / 12  # names would overlap
    words = {"supported past this": claim.supported, " " if near else "contradicted past this": claim.contradicted}
    inside = pd.DataFrame([(name, at) for name, at in words.items() if low < at < high], columns=["name", "value"])
    lines = alt.Chart(inside).encode(y=alt.Y("value:Q"))
    text = lines.mark_text(align="right", x="width", dx=-4, dy=-6, fontSize=10, color=CHANCE)
    return [lines.mark_rule(color=CHANCE, opacity=0.7), text.encode(text=alt.Text("name:N"))] if len(inside) else []
