"""Charts of the claims: effects with intervals and thresholds, and verdicts by subject or step.

In the chart of effects every row has its own axis, oriented so that *supported* is on the right, and scaled so that the
thresholds of all rows are aligned.
"""

from textwrap import fill
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from attn_core.charts.descriptions import counted
from attn_core.charts.style import ACCENT, CHANCE, by_name, layered, legend, tip
from attn_core.charts.word_grid import of_names, word_grid
from attn_core.claims.table import HEADINGS, readable_claims

# Column: (label, colour, shape). All colours but the first are from Okabe and Ito.
MARKS = {
    "value": ("effect, 95% interval", ACCENT, "circle"),
    "untrained": ("untrained copies", "#cc79a7", "square"),
    "shuffled_weights": ("shuffled weights", "#e69f00", "diamond"),
    "shuffled_text": ("shuffled text", "#56b4e9", "triangle-up"),
    "chance": ("chance", CHANCE, "M-.7,-.7L.7,.7M.7,-.7L-.7,.7"),
}  # fmt: skip
NONE = "not applicable"
VERDICTS = {"supported": "#009e73", "contradicted": "#d55e00", "unclear": "#737b87", NONE: CHANCE}
ZONES = ("contradicted", "unclear", "supported")
DISAGREE = "most settings differ"
# Pale, for cells with dark words.
PALE = {
    "supported": "#a6dcc8", "contradicted": "#f3bd94", "unclear": "#cdd1d7", DISAGREE: "#f4e49a",
    NONE: "#f1f2f4",
}  # fmt: skip
WIDE, NARROW = 620, 460  # pixels: widths from which on there is room for numbers, and for what an effect is
ROW, STRIP, ABOVE = 48, 20, 100  # pixels: a row, its strip, the legend with the zone names
UP, DOWN = 14, 7  # pixels from the middle of a row up to the name, and down to the strip
# Pixels from the middle of a strip down to each mark, so that none covers another: effect, baselines, chance.
LANES = dict(zip(MARKS, (7, -7, -3.5, 0, 3), strict=True))
LEAST, MOST = (-1.0, 2.0), (-3.0, 5.0)  # smallest and largest range of an axis; thresholds are at 0 and 1
ROOM = 0.4  # scaled units beyond the outermost mark, for half of it and an arrow
LINE = 58  # characters of a line of a reason, which fits the width of a telephone
MANY = 4  # columns, the most with room for intervals in the cells


def claim_picture(claims: pd.DataFrame) -> alt.LayerChart:
    """Chart of effects, one row each, with shaded zones for contradicted, unclear and supported.

    claims: of one subject under one setting. The tooltip shows all numbers of a row.
    """
    claims = readable_claims(claims)
    numbers = _scaled(claims)
    low, high = _shown(numbers)
    # Claim names are axis labels, so that their colour follows the theme.
    axis = alt.Axis(
        labelAlign="left", labelPadding=0, labelOffset=-UP, labelLimit=460, labelBaseline="middle", labelFontSize=12
    )
    y = alt.Y("row:N", sort=claims["row"].tolist(), title=None, axis=axis)
    scale = alt.Scale(domain=[low, high], range=[6, alt.ExprRef("width - 160")], zero=False, nice=False)
    x = alt.X("x:Q", scale=scale, axis=None)
    layers = [
        *_zones(claims[claims["verdict"] != NONE], x, y, low, high), *_marks(numbers, x, y, low, high),
        *_verdicts(claims, y),
    ]  # fmt: skip
    layers = [one for one in layers if len(one.data)]  # one without rows would draw a row "null" on a page
    return layered(layers, ABOVE + ROW * len(claims), _said(claims)).resolve_scale(
        color="independent", shape="independent", fill="independent", stroke="independent"
    )


def claims_grid(cells: pd.DataFrame) -> alt.LayerChart:
    """Grid of claims x columns with verdicts and effects. A click selects a cell.

    cells: effect, row (the claim in words), subject, column (heading; ", " becomes a line break), verdict, number (with
    interval), how_many (settings with this verdict, or empty), most (whether at least half of the settings have it),
    chosen.
    """
    columns = list(dict.fromkeys(cells["column"]))
    numbers = cells["number"].str.partition(" [")[0] if len(columns) > MANY else cells["number"]
    lines = zip(cells["verdict"], numbers, cells["how_many"], strict=True)
    data = cells.assign(
        column=cells["column"].str.replace(", ", "\n"),
        shade=cells["verdict"].where(cells["most"], DISAGREE),
        word=["\n".join(filter(None, words)) for words in lines],
    )
    colours = {name: colour for name, colour in PALE.items() if name in set(data["shade"])}
    tooltip = [
        tip("column:N", title="subject"), tip("row:N", title="claim"), tip("verdict:N"),
        tip("reason:N", title="because"), tip("number:N", title="effect"), tip("how_many:N", title="settings"),
    ]  # fmt: skip
    chosen = alt.Chart().transform_filter("datum.chosen").mark_rect(fill=None, stroke=ACCENT, strokeWidth=3)
    summary = "; ".join(f"{one}: {counted(cells.loc[cells['column'] == one, 'verdict'])}" for one in columns)
    return word_grid(
        data, "column", "row", of_names(data["shade"], colours), tooltip,
        select=("effect", "subject"),
        over=[chosen.encode(x=alt.X("column:O"), y=alt.Y("row:O"))],
        row=8 + 11 * int(data["word"].str.count("\n").max() + 1),
        said=f"{len(columns)} columns; {summary}",
    )  # fmt: skip


def _words(data: pd.DataFrame, column: str, **look: Any) -> alt.Chart:
    """A layer with the words of a column; positions are to be encoded."""
    text = alt.Chart(data).mark_text(**{"align": "right", "fontSize": 11, "color": CHANCE, **look})
    return text.encode(text=alt.Text(f"{column}:N"))


def _zones(claims: pd.DataFrame, x: alt.X, y: alt.Y, low: float, high: float) -> list[alt.Chart]:
    """Layers with the shaded strip of each row, the names of the zones above the first row, and both thresholds below
    each strip, in the unit of the row.
    """
    zones = pd.DataFrame({"zone": ZONES, "x": [low, 0, 1], "end": [0, 1, high]})
    strips = alt.Chart(claims[["row"]].merge(zones, how="cross")).mark_bar(size=STRIP, yOffset=DOWN, opacity=0.18)
    colour = by_name(alt.Color, "zone", {zone: VERDICTS[zone] for zone in ZONES})
    names = zones.assign(x=[low, 0.5, high], align=["left", "center", "right"])
    there = alt.ExprRef(f"width < {NARROW} && datum.zone == '{ZONES[1]}' ? 0 : 1")
    ends = [
        claims[["row"]].assign(x=at, end=claims[f"{zone}_number"], align=align)
        for at, zone, align in ((0, "contradicted", "right"), (1, "supported", "left"))
    ]
    align = alt.ExprRef("datum.align")
    return [
        strips.encode(y=y, x=x, x2=alt.X2("end:Q"), color=colour),
        _words(names, "zone", align=align, baseline="bottom", y=-2, fontSize=10, opacity=there).encode(x=x),
        _words(pd.concat(ends), "end", align=align, fontSize=9, yOffset=DOWN + STRIP - 4).encode(y=y, x=x),
    ]


def _marks(numbers: pd.DataFrame, x: alt.X, y: alt.Y, low: float, high: float) -> list[alt.Chart]:
    """Layers with effects, their intervals, and hollow marks for baselines; an arrow marks a value beyond the axis."""
    shown = numbers.assign(**numbers[["low", "high", *MARKS]].clip(low + ROOM, high - ROOM))
    parts = [
        shown[["row"]].assign(
            mark=look[0], lane=LANES[name], x=shown[name], beyond=np.sign(numbers[name] - shown[name])
        )
        for name, look in reversed(MARKS.items())
    ]
    points = pd.concat(parts).dropna(subset=["x"])
    there = {name: (colour, shape) for name, colour, shape in MARKS.values() if name in set(points["mark"])}
    colours, shapes = ({name: look[part] for name, look in there.items()} for part in range(2))
    inside = {name: colour if name == MARKS["value"][0] else "transparent" for name, colour in colours.items()}
    above = legend(there, symbolStrokeWidth=2, offset=20)
    base = alt.Chart(points).encode(y=y, x=x)
    lane = alt.ExprRef(f"{DOWN} + datum.lane")
    spans = alt.Chart(shown.dropna(subset=["low", "high"]).assign(x=shown["low"]))
    return [
        spans.mark_rule(strokeWidth=3, yOffset=DOWN + LANES["value"], color=ACCENT).encode(
            y=y, x=x, x2=alt.X2("high:Q")
        ),
        base.mark_point(size=45, yOffset=lane, opacity=1, strokeWidth=2).encode(
            fill=by_name(alt.Fill, "mark", inside, above),
            shape=by_name(alt.Shape, "mark", shapes, above),
            stroke=by_name(alt.Stroke, "mark", colours, above),
        ),
        base.transform_calculate(arrow="datum.beyond > 0 ? '»' : datum.beyond < 0 ? '«' : ''")
        .mark_text(fontSize=14, dx=alt.ExprRef("12 * datum.beyond"), yOffset=lane, color=CHANCE)
        .encode(text=alt.Text("arrow:N")),
    ]


def _verdicts(claims: pd.DataFrame, y: alt.Y) -> list[alt.Chart]:
    """Layers with verdict, comparison with the copies and number of each row, or its reason, and its tooltip."""
    more = [f"{HEADINGS['more_than_untrained']}: {word}" if word else "" for word in claims["more_than_untrained"]]
    said = (claims["label"] + ": " + claims["number"]).where(claims["number"] != "", "")
    rows, none = claims.assign(more=more, said=said), claims[claims["verdict"] == NONE]
    reasons = none.assign(reason=[fill(reason, LINE) for reason in none["reason"]])
    of_strip: dict[str, Any] = {
        "x": alt.ExprRef("width - 160"),
        "opacity": alt.ExprRef(f"width < {WIDE} ? 0 : 1"),
        "limit": alt.ExprRef("max(1, width - 180)"),  # what is longer would press the whole picture to the side
    }
    of_reason: dict[str, Any] = {"align": "left", "x": 0, "lineBreak": "\n", "lineHeight": 13}
    verdicts = _words(rows[rows["verdict"] != NONE], "verdict", fontSize=12, yOffset=1, x="width")
    tips = [tip(f"{name}:N", title=title) for name, title in HEADINGS.items() if claims[name].any()]
    return [
        _words(rows, "said", yOffset=-UP, **of_strip).encode(y=y),
        _words(reasons, "reason", yOffset=3, **of_reason).encode(y=y),
        _words(none, "verdict", fontSize=12, yOffset=-UP, x="width").encode(y=y),
        verdicts.encode(y=y, color=by_name(alt.Color, "verdict", VERDICTS)),
        _words(rows, "more", yOffset=15, x="width").encode(y=y),
        alt.Chart(rows).mark_bar(size=ROW, opacity=0, x=0, x2="width").encode(y=y, tooltip=tips),
    ]


def _scaled(claims: pd.DataFrame) -> pd.DataFrame:
    """All numbers scaled by row, so that the threshold *contradicted* is 0 and *supported* is 1."""
    base, step = claims["contradicted"], claims["supported"] - claims["contradicted"]
    numbers = claims.reindex(columns=["low", "high", *MARKS]).astype(float)
    return numbers.sub(base, axis=0).div(step, axis=0).assign(row=claims["row"])


def _shown(scaled: pd.DataFrame) -> tuple[float, float]:
    """The range of the axes."""
    every = scaled.drop(columns="row").to_numpy()
    ends = np.nanmin(every, initial=LEAST[0]), np.nanmax(every, initial=LEAST[1])
    return float(max(ends[0], MOST[0]) - ROOM), float(min(ends[1], MOST[1]) + ROOM)


def _said(claims: pd.DataFrame) -> str:
    parts = [name for name in HEADINGS if name not in ("name", "abstract", "thresholds")]
    rows = [
        f"{row['name']}: {', '.join(f'{HEADINGS[name]} {row[name]}' for name in parts if row[name])}"
        for row in claims.to_dict("records")
    ]
    return "; ".join(rows)
