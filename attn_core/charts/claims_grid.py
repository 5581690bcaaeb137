"""The grid of the claims: claims by subjects, or by the steps of a training, with verdict and number in each cell."""

from collections.abc import Hashable, Mapping

import altair as alt
import pandas as pd

from attn_core.charts.described import counted
from attn_core.charts.marks import SELECTION
from attn_core.charts.style import ACCENT, CLICKED, DARK_INK, layered, tip

# Pale, so that dark ink stands on them.
PALE = {"supported": "#a6dcc8", "contradicted": "#f3bd94", "unclear": "#b9d3ea", "not applicable": "#eceef1"}
LINE, ROOM = 14, 10  # pixels: of a line in a cell, and around its lines
HEADER, NAME_LINE = 46, 13  # pixels: above the cells, and of a second line of a name, drawn downwards to the cells
MANY = 4  # columns beside which a cell is too narrow for intervals, which a pointer tells


def claims_grid(cells: pd.DataFrame) -> alt.LayerChart:
    """Rows of claims x columns; a click selects a cell.

    cells: effect, name (of the claim), subject, column (in words, in lines that ", " parts), verdict, number (with its
    interval), how_many (of the settings say the same; empty where one was counted), most (whether at least half of them do,
    else a cell is grey), chosen.
    """
    columns, names = (list(dict.fromkeys(cells[name])) for name in ("column", "name"))
    told = ["\n".join(_lines(row, len(columns) > MANY)) for row in cells.to_dict("records")]
    breaks = [text.count("\n") for text in told]
    data = cells.assign(told=told, above=[-LINE * number / 2 for number in breaks])
    above = alt.Axis(
        orient="top", labelAngle=0, labelLimit=alt.ExprRef(f"width / {len(columns)} - 4"), labelOverlap=False,
        labelExpr="split(datum.label, ', ')", labelPadding=4 + NAME_LINE * max(name.count(", ") for name in columns),
    )  # fmt: skip
    base = alt.Chart(data).encode(
        x=alt.X("column:N", sort=columns, title=None, axis=above),
        y=alt.Y("name:N", sort=names, title=None, axis=alt.Axis(labelLimit=200)),
        tooltip=[
            tip("column:N", title="subject"), tip("name:N", title="claim"), tip("verdict:N"), tip("number:N", title="effect"),
            tip("how_many:N", title="settings"),
        ],
    )  # fmt: skip
    of_verdict = alt.Color("verdict:N", scale=alt.Scale(domain=list(PALE), range=list(PALE.values())), legend=None)
    colour = alt.condition("datum.most", of_verdict, alt.value(PALE["unclear"]))
    click = alt.selection_point(name=SELECTION, fields=["effect", "subject"], on="click", empty=False)
    rects = base.mark_rect(**CLICKED).encode(color=colour)
    words = base.mark_text(
        fontSize=11, lineBreak="\n", lineHeight=LINE, baseline="middle", dy=alt.ExprRef("datum.above"), cursor="pointer",
        color=DARK_INK, limit=alt.ExprRef(f"width / {len(columns)} - 8"),
    ).encode(text="told:N")  # fmt: skip
    frame = base.transform_filter("datum.chosen").mark_rect(fill=None, stroke=ACCENT, strokeWidth=3, cursor="pointer")
    summary = "; ".join(f"{one}: {counted(data.loc[data['column'] == one, 'verdict'])}" for one in columns)
    return layered(
        [rects.add_params(click), words, frame],
        height=HEADER + len(names) * (ROOM + LINE * (max(breaks) + 1)),
        description=f"Grid of {len(names)} claims by {len(columns)} columns. {summary}.",
    )


def _lines(row: Mapping[Hashable, str], narrow: bool) -> list[str]:
    """What stands in a cell."""
    number = row["number"].partition(" [")[0] if narrow else row["number"]
    return list(filter(None, (row["verdict"], number, row["how_many"])))
