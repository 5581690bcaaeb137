"""A reproduction: the grid of verdicts on claims in models, and the specification curve of one effect."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import altair as alt
import numpy as np
import pandas as pd

from attn_core.charts.described import counted
from attn_core.charts.marks import SELECTION, legend_columns
from attn_core.charts.style import ACCENT, CHANCE, CHANCE_DASH, CLICKED, layered, tip

# Of Okabe and Ito's green and vermilion, and of an indigo that is told from their blues, which are those of controls: pale
# ones that dark ink stands on, and full ones for marks on white and on black.
PALE = {
    "as in the paper": "#a6dcc8", "unlike the paper": "#f3bd94", "as in any network": "#c6cdf8", "no clear sign": "#d5d8dd",
    "not asked": "#eceef1", "not counted": "#eceef1", "depends on the choices": "#dccff2",
}  # fmt: skip
FULL = {
    "as in the paper": "#009e73", "unlike the paper": "#d55e00", "as in any network": "#6678e8", "no clear sign": "#757b84",
    "not asked": "#b9bdc4",
}  # fmt: skip
BESIDE = {
    "untrained": ("untrained twin", "#cc79a7"), "permuted": ("permuted twin", "#e69f00"),
    "shuffled": ("shuffled text", "#56b4e9"),
}  # fmt: skip
CHANCE_LEVEL, PAPER = "chance (dashed)", "a summary of the paper"
INK = "#1f2328"
LINE, ROOM = 14, 10  # pixels: of a line in a cell, and around its lines
HEADER = 46
FEW, MANY = 2, 6  # subjects beside which a cell is one line; and is too narrow for intervals, which a pointer tells
NARROW = {
    "as in the paper": "as in paper", "unlike the paper": "unlike", "as in any network": "any network",
    "depends on the choices": "depends",
}  # fmt: skip
SHORT_NAME = "replace(replace(datum.label, ' twin', ''), 'shuffled text', 'shuffled')"
NAME_LINE = 13  # pixels: a second line of a name is drawn downwards, towards the cells
CURVE, ROW, GAP, BELOW = 250, 15, 7, 64  # pixels: the curve, a row of choices, between two choices, the axis
LABELS = 128  # pixels left of the curve, for the choices
BEYOND = 0.35  # of the spread of effects: as far as intervals and controls may draw the axis out


@dataclass(frozen=True)
class Effects:
    """How an effect is shown. title: of its axis. form: of its numbers, as d3 has it. bars: past which it is the paper's,
    and short of which its opposite. paper: the paper's own figure, None where it names none."""

    title: str
    form: str
    bars: tuple[float, float]
    paper: float | None


def verdict_grid(cells: pd.DataFrame) -> alt.LayerChart:
    """Rows of the claims x subjects: what most choices say, how many, and the effect under our usual choice; a click selects one.

    cells: row, name (of it), model, subject (of a column, in words, in lines), verdict, how_many, number, chosen (whether it
    is the one that is shown).
    """
    number = cells["subject"].nunique()
    told = ["\n".join(_lines(row, number > MANY)) for row in cells.to_dict("records")]
    if number <= FEW:
        told = [text.replace("\n", " · ") for text in told]
    breaks = [text.count("\n") for text in told]
    data = cells.assign(told=told, above=[-LINE * number / 2 for number in breaks])
    lines = max(breaks) + 1
    names, subjects = (list(dict.fromkeys(data[column])) for column in ("name", "subject"))
    label = SHORT_NAME if number > MANY else "datum.label"
    above = alt.Axis(
        orient="top", labelAngle=0, labelLimit=alt.ExprRef(f"width / {number} - 4"), labelOverlap=False,
        labelExpr=f"split({label}, ', ')", labelPadding=4 + NAME_LINE * max(name.count(", ") for name in subjects),
    )  # fmt: skip
    base = alt.Chart(data).encode(
        x=alt.X("subject:N", sort=subjects, title=None, axis=above),
        y=alt.Y("name:N", sort=names, title=None, axis=alt.Axis(labelLimit=200)),
        tooltip=[
            tip("subject:N"), tip("name:N", title="row"), tip("verdict:N", title="most choices"),
            tip("how_many:N", title="choices"), tip("number:N", title="usual choice"),
        ],
    )  # fmt: skip
    colour = alt.Color("verdict:N", scale=alt.Scale(domain=list(PALE), range=list(PALE.values())), legend=None)
    click = alt.selection_point(name=SELECTION, fields=["row", "model"], on="click", empty=False)
    rects = base.mark_rect(**CLICKED).encode(color=colour)
    words = base.mark_text(
        fontSize=11, lineBreak="\n", lineHeight=LINE, baseline="middle", dy=alt.ExprRef("datum.above"), cursor="pointer",
        color=INK, limit=alt.ExprRef(f"width / {len(subjects)} - 8"),
    ).encode(text="told:N")  # fmt: skip
    frame = base.transform_filter("datum.chosen").mark_rect(fill=None, stroke=ACCENT, strokeWidth=3, cursor="pointer")
    summary = "; ".join(
        f"{subject}: {counted(data.loc[data['subject'] == subject, 'verdict'])}" for subject in subjects
    )
    return layered(
        [rects.add_params(click), words, frame],
        height=HEADER + len(names) * (ROOM + LINE * lines),
        description=f"Grid of {len(names)} rows of claims by {len(subjects)} subjects. {summary}.",
    )  # fmt: skip


def _lines(row: Mapping[Hashable, str], narrow: bool) -> list[str]:
    """What stands in a cell."""
    number = row["number"].replace(" points", " pts")
    if narrow:
        short = number.partition(" [")[0].partition(" (")[0]
        return [NARROW.get(row["verdict"], row["verdict"]), *row["how_many"].split(", ")[:1], *filter(None, [short])]
    most, *others = row["how_many"].split(", ")
    verdict = NARROW[row["verdict"]] if others else row["verdict"]  # of several words, the pointer tells the others
    return [" · ".join(filter(None, (verdict, f"{most}, …" if others else most))), *filter(None, [number])]


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
        values=ticks, format=effects.form, minExtent=LABELS, grid=True, labelFlush=False,
        titleAngle=0, titleAlign="left", titleAnchor="end", titleX=-LABELS, titleY=-10,
    )  # fmt: skip
    y = alt.Y("effect:Q", scale=scale, title=effects.title, axis=axis)
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
    chance = base.mark_line(strokeDash=CHANCE_DASH, strokeWidth=2).encode(y="chance:Q", color=alt.Color("label:N"))
    spans = base.mark_rule(strokeWidth=1.5, opacity=1, strokeOpacity=0.55).encode(
        y="shown_low:Q", y2="shown_high:Q", color=alt.Color("verdict:N")
    )
    points = base.mark_circle(size=38, opacity=1).encode(y=y, color=colour)
    shape = alt.Shape("shape:N", scale=None)
    beside = [
        alt.Chart(_at_edge(there.assign(label=words), name, low, high))
        .mark_point(size=34, filled=True, opacity=1)
        .encode(x=x, y="shown:Q", color=alt.Color("label:N"), shape=shape, tooltip=told)
        for name, (words, _) in BESIDE.items()
        if name in data and len(there := data[data[name].notna()])
    ]
    marked = pd.concat(
        [
            data.loc[data[column] == value, ["rank", "verdict"]].assign(effect=place, choice=f"{words}")
            for (column, value, words), place in zip(rows, places.values(), strict=True)
        ]
    )
    marks = alt.Chart(marked).mark_tick(thickness=3, size=ROW - 4, orient="vertical", opacity=1).encode(
        x=x, y="effect:Q", color=alt.Color("verdict:N"), tooltip=[tip("choice:N"), tip("verdict:N")]
    )  # fmt: skip
    labels = pd.DataFrame({"effect": list(places.values()), "words": [words for *_, words in rows]})
    names = alt.Chart(labels).mark_text(align="right", dx=-8, fontSize=11, color=CHANCE).encode(
        x=alt.value(0), y="effect:Q", text="words:N"
    )  # fmt: skip
    return layered(
        [chance, *_bars(curve, effects, low, high), spans, *beside, points, *_paper(effects), marks, names],
        height=height + BELOW,
        description=_in_words(curve, effects),
    )  # fmt: skip


def _span(curve: pd.DataFrame, effects: Effects) -> tuple[float, float]:
    """What the axis holds: every effect and chance level; intervals and controls as far as they leave the rest readable."""
    values = np.concatenate(
        [curve["effect"], curve["chance"].dropna(), [] if effects.paper is None else [effects.paper]]
    )
    low, high = float(values.min()), float(values.max())
    room = BEYOND * ((high - low) or abs(high) or 1.0)
    others = pd.concat([curve[name].dropna() for name in ("low", "high", *BESIDE) if name in curve])
    if len(others):
        low, high = max(low - room, min(low, float(others.min()))), min(high + room, max(high, float(others.max())))
    edge = 0.04 * ((high - low) or 1.0)
    return low - edge, high + edge


def _at_edge(data: pd.DataFrame, name: str, low: float, high: float) -> pd.DataFrame:
    """A control where it is shown: as a diamond, and as a triangle at the edge that it lies beyond."""
    below, above = data[name] < low, data[name] > high
    shape = np.select([below, above], ["triangle-down", "triangle-up"], "diamond")
    return data.assign(shown=data[name].clip(low, high), shape=shape)


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
    legend = alt.Legend(title=None, orient="top", symbolType="circle", columns=legend_columns(shown), labelLimit=160)
    return alt.Color("verdict:N", scale=alt.Scale(domain=list(shown), range=list(shown.values())), legend=legend)


def _told(
    curve: pd.DataFrame, choices: Mapping[str, Sequence[tuple[object, str]]], effects: Effects
) -> list[alt.Tooltip]:
    numbers = [name for name in ("effect", "low", "high", "chance", *BESIDE) if name in curve]
    words = {"low": "95% from", "high": "95% to", **{name: words for name, (words, _) in BESIDE.items()}}
    return [
        *(tip(f"{name}:Q", effects.form, words.get(name, name)) for name in numbers),
        tip("verdict:N"),
        *(tip(f"{column}:N") for column in choices),
    ]


def _bars(curve: pd.DataFrame, effects: Effects, low: float, high: float) -> list[alt.Chart]:
    """Where the rule begins to say something; bars that lie in the picture. Their words stand where the curve does not."""
    names = ("as in the paper past this", "unlike it short of this")
    drawn = []
    for bar, name in zip(effects.bars, names, strict=True):
        if low < bar < high:
            base = alt.Chart(pd.DataFrame({"effect": [bar], "name": [name]})).encode(y="effect:Q")
            below = bar < curve["effect"].median()
            place = alt.value(alt.expr("width")) if below else alt.value(0)
            text = base.mark_text(
                align="right" if below else "left", dx=-4 if below else 4, dy=-6, fontSize=10, color=CHANCE
            )
            drawn += [base.mark_rule(color=CHANCE, opacity=0.7), text.encode(x=place, text="name:N")]
    return drawn


def _paper(effects: Effects) -> list[alt.Chart]:
    if effects.paper is None:
        return []
    data = pd.DataFrame({"effect": [effects.paper], "label": [PAPER]})
    return [
        alt.Chart(data).mark_rule(strokeWidth=2, strokeDash=[8, 3]).encode(y="effect:Q", color=alt.Color("label:N"))
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
