"""A reproduction: the grid of verdicts on claims in models, and the specification curve of one effect."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import altair as alt
import numpy as np
import pandas as pd

from attn_core.charts.described import counted
from attn_core.charts.marks import SELECTION
from attn_core.charts.once import once
from attn_core.charts.style import ACCENT, CHANCE, CHANCE_DASH, layered

# Of Okabe and Ito's green and vermilion: pale ones that dark ink stands on, and full ones for marks on white and on black.
PALE = {
    "as in the paper": "#a6dcc8", "unlike the paper": "#f3bd94", "no clear sign": "#d5d8dd", "not asked": "#eceef1",
    "not counted": "#eceef1", "depends on the choices": "#dccff2",
}  # fmt: skip
FULL = {"as in the paper": "#009e73", "unlike the paper": "#d55e00", "no clear sign": "#757b84", "not asked": "#b9bdc4"}
BESIDE = {"twin": ("untrained twin", "#cc79a7"), "shuffle": ("shuffled text", "#56b4e9")}
CHANCE_LEVEL, PAPER = "chance (dashed)", "the paper"
INK = "#1f2328"
LINE, ROOM = 15, 18  # pixels: of a line in a cell, and around its lines
HEADER = 46
CURVE, ROW, GAP, BELOW = 250, 15, 7, 64  # pixels: the curve, a row of choices, between two choices, the axis
LABELS = 128  # pixels left of the curve, for the choices
APART = 1.5  # of the same: as far as the controls may
BEYOND = 0.35  # of the spread of effects: as far as intervals may draw the axis out


@dataclass(frozen=True)
class Effects:
    """How an effect is shown. title: of its axis. form: of its numbers, as d3 has it. bars: beyond which it is the paper's,
    and its opposite. paper: the paper's own figure, None where it names none."""

    title: str
    form: str
    bars: tuple[float, float]
    paper: float | None


@once
def verdict_grid(cells: pd.DataFrame) -> alt.LayerChart:
    """Claims x subjects: what most choices say, how many, and the effects under our usual choice; a click selects a cell.

    cells: claim, name (of the claim, in short), model, control, subject (of a column, in words), verdict, how_many, numbers,
    chosen (whether its claim is the one that is shown).
    """
    told = [
        "\n".join(
            [row["verdict"], *([row["how_many"]] if row["how_many"] else []), *filter(None, row["numbers"].split("; "))]
        )
        for row in cells.to_dict("records")
    ]
    data = cells.assign(told=told)
    lines = max(text.count("\n") + 1 for text in told)
    names, subjects = (list(dict.fromkeys(data[column])) for column in ("name", "subject"))
    base = alt.Chart(data).encode(
        x=alt.X("subject:N", sort=subjects, title=None, axis=alt.Axis(orient="top", labelAngle=0, labelLimit=190)),
        y=alt.Y("name:N", sort=names, title=None, axis=alt.Axis(labelLimit=150)),
        tooltip=[
            alt.Tooltip("subject:N"), alt.Tooltip("name:N", title="claim"), alt.Tooltip("verdict:N", title="most choices"),
            alt.Tooltip("how_many:N", title="choices"), alt.Tooltip("numbers:N", title="usual choice"),
        ],
    )  # fmt: skip
    colour = alt.Color("verdict:N", scale=alt.Scale(domain=list(PALE), range=list(PALE.values())), legend=None)
    click = alt.selection_point(name=SELECTION, fields=["claim", "model"], on="click", empty=False)
    rects = base.mark_rect(cursor="pointer", stroke="#ffffff", strokeWidth=2).encode(color=colour)
    words = base.mark_text(
        fontSize=11, lineBreak="\n", lineHeight=LINE, dy=-LINE * (lines - 1) / 2, cursor="pointer", color=INK,
        limit=alt.ExprRef(f"width / {len(subjects)} - 8"),
    ).encode(text="told:N")  # fmt: skip
    frame = base.transform_filter("datum.chosen").mark_rect(fill=None, stroke=ACCENT, strokeWidth=3, cursor="pointer")
    summary = "; ".join(
        f"{subject}: {counted(data.loc[data['subject'] == subject, 'verdict'])}" for subject in subjects
    )
    return layered(
        rects.add_params(click), words, frame,
        height=HEADER + len(names) * (ROOM + LINE * lines),
        description=f"Grid of {len(names)} claims by {len(subjects)} subjects. {summary}.",
    )  # fmt: skip


@once
def specification_curve(
    curve: pd.DataFrame, choices: Mapping[str, Sequence[tuple[object, str]]], effects: Effects
) -> alt.LayerChart:
    """All combinations of choices by their effect, and below which ones they are.

    curve: as of `reproduction.conclusions.curve_table`. choices: by column, what can be chosen, each with its words.
    """
    low, high = _span(curve, effects)
    rows = [(column, value, words) for column, values in choices.items() for value, words in values]
    height = CURVE + len(rows) * ROW + len(choices) * GAP
    pixel = (high - low) / CURVE
    places, at = {}, 0.0
    for number, (column, value, _) in enumerate(rows):
        at += ROW + (GAP if number == 0 or rows[number - 1][0] != column else 0)
        places[column, value] = low - pixel * at
    scale = alt.Scale(domain=[low - pixel * (height - CURVE), high], nice=False, zero=False)
    ticks = [float(tick) for tick in _ticks(low, high)]
    axis = alt.Axis(
        values=ticks, format=effects.form, minExtent=LABELS, titleAnchor="start", grid=True, labelFlush=False
    )
    y = alt.Y("effect:Q", scale=scale, title=None, axis=axis)
    combinations = len(curve)
    x = alt.X(
        "rank:Q", title=f"{combinations} combinations of choices, by effect",
        axis=alt.Axis(labels=False, grid=False, tickCount=0),
        scale=alt.Scale(domain=[0, combinations + 1], nice=False),
    )  # fmt: skip
    colour = _colours(curve, effects)
    data = curve.assign(
        shown_low=curve["low"].clip(low, high), shown_high=curve["high"].clip(low, high), label=CHANCE_LEVEL
    )
    told = _told(curve, choices, effects)
    base = alt.Chart(data).encode(x=x, tooltip=told)
    chance = base.mark_line(strokeDash=CHANCE_DASH, strokeWidth=2).encode(
        y=alt.Y("chance:Q"), color=alt.Color("label:N")
    )
    spans = base.mark_rule(strokeWidth=1.5, opacity=0.55).encode(
        y=alt.Y("shown_low:Q"), y2="shown_high:Q", color=alt.Color("verdict:N")
    )
    points = base.mark_circle(size=38, opacity=1).encode(y=y, color=colour)
    beside = [
        alt.Chart(there.assign(label=words, **{name: there[name].clip(low, high)}))
        .mark_point(shape="diamond", size=26, filled=True, opacity=0.9)
        .encode(x=x, y=alt.Y(f"{name}:Q"), color=alt.Color("label:N"), tooltip=told)
        for name, (words, _) in BESIDE.items()
        if name in data and len(there := data[data[name].notna()])
    ]
    marked = pd.concat(
        [
            data.loc[data[column] == value, ["rank", "verdict"]].assign(effect=place, choice=f"{words}")
            for (column, value, words), place in zip(rows, places.values(), strict=True)
        ]
    )
    marks = alt.Chart(marked).mark_tick(thickness=3, size=ROW - 4, orient="vertical").encode(
        x=x, y=alt.Y("effect:Q"), color=alt.Color("verdict:N"), tooltip=[alt.Tooltip("choice:N"), alt.Tooltip("verdict:N")]
    )  # fmt: skip
    labels = pd.DataFrame({"effect": list(places.values()), "words": [words for *_, words in rows]})
    names = alt.Chart(labels).mark_text(align="right", dx=-8, fontSize=11, color=CHANCE).encode(
        x=alt.value(0), y=alt.Y("effect:Q"), text="words:N"
    )  # fmt: skip
    return layered(
        chance, *_bars(effects, low, high), spans, *beside, points, *_paper(effects), marks, names,
        height=height + BELOW,
        description=_in_words(curve, effects),
    )  # fmt: skip


def _span(curve: pd.DataFrame, effects: Effects) -> tuple[float, float]:
    """What the axis holds: every effect and chance level; controls and intervals as far as they leave the rest readable."""
    own = np.concatenate([curve["effect"], curve["chance"].dropna(), [] if effects.paper is None else [effects.paper]])
    low, high = float(own.min()), float(own.max())
    most = APART * ((high - low) or abs(high) or 1.0)
    beside = pd.concat([curve[name].dropna() for name in BESIDE if name in curve] or [curve["effect"]])
    low, high = max(low - most, min(low, float(beside.min()))), min(high + most, max(high, float(beside.max())))
    room = BEYOND * ((high - low) or abs(high) or 1.0)
    low, high = (
        max(low - room, min(low, float(curve["low"].min()))),
        min(high + room, max(high, float(curve["high"].max()))),
    )
    edge = 0.04 * ((high - low) or 1.0)
    return low - edge, high + edge


def _ticks(low: float, high: float) -> np.ndarray:
    """Four to eight round numbers between."""
    raw = (high - low) / 5
    size = 10.0 ** np.floor(np.log10(raw))
    step = size * min((1, 2, 5, 10), key=lambda times: abs(times * size - raw))
    return np.round(np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step, 10)


def _colours(curve: pd.DataFrame, effects: Effects) -> alt.Color:
    """One legend for verdicts and for what stands beside the curve: what there is of it."""
    shown = {name: colour for name, colour in FULL.items() if (curve["verdict"] == name).any()}
    shown |= {words: colour for name, (words, colour) in BESIDE.items() if name in curve and curve[name].notna().any()}
    shown |= {CHANCE_LEVEL: CHANCE} | ({} if effects.paper is None else {PAPER: ACCENT})
    legend = alt.Legend(title=None, orient="top", symbolType="circle", symbolOpacity=1, columns=6, labelLimit=160)
    return alt.Color("verdict:N", scale=alt.Scale(domain=list(shown), range=list(shown.values())), legend=legend)


def _told(
    curve: pd.DataFrame, choices: Mapping[str, Sequence[tuple[object, str]]], effects: Effects
) -> list[alt.Tooltip]:
    numbers = [name for name in ("effect", "low", "high", "chance", *BESIDE) if name in curve]
    words = {"low": "95 % from", "high": "95 % to", **{name: words for name, (words, _) in BESIDE.items()}}
    return [
        *(alt.Tooltip(f"{name}:Q", title=words.get(name, name), format=effects.form) for name in numbers),
        alt.Tooltip("verdict:N"),
        *(alt.Tooltip(f"{column}:N") for column in choices),
    ]


def _bars(effects: Effects, low: float, high: float) -> list[alt.Chart]:
    """Where the rule begins to say something; bars that lie in the picture."""
    names = ("as in the paper beyond", "unlike it beyond")
    shown = [(bar, name) for bar, name in zip(effects.bars, names, strict=True) if low < bar < high]
    if not shown:
        return []
    data = pd.DataFrame(shown, columns=["effect", "name"])
    base = alt.Chart(data).encode(y=alt.Y("effect:Q"))
    text = base.mark_text(align="left", dx=4, dy=-6, fontSize=10, color=CHANCE).encode(x=alt.value(0), text="name:N")
    return [base.mark_rule(color=CHANCE, strokeWidth=1, opacity=0.7), text]


def _paper(effects: Effects) -> list[alt.Chart]:
    if effects.paper is None:
        return []
    data = pd.DataFrame({"effect": [effects.paper], "label": [PAPER]})
    return [
        alt.Chart(data)
        .mark_rule(strokeWidth=2, strokeDash=[8, 3])
        .encode(y=alt.Y("effect:Q"), color=alt.Color("label:N"))
    ]


def _in_words(curve: pd.DataFrame, effects: Effects) -> str:
    ends = " to ".join(f"{curve['effect'].iloc[at]:{effects.form}}" for at in (0, -1))
    beside = [
        f"{words} {curve[name].min():{effects.form}} to {curve[name].max():{effects.form}}"
        for name, (words, _) in BESIDE.items()
        if name in curve and curve[name].notna().any()
    ]
    chance = f"chance {curve['chance'].min():{effects.form}} to {curve['chance'].max():{effects.form}}"
    return (
        f"{effects.title}, {len(curve)} combinations: {'; '.join([ends, chance, *beside, counted(curve['verdict'])])}."
    )
