"""The grid of the claims: claims by subjects, or by the steps of a training, with verdict and number in each cell."""

import altair as alt
import pandas as pd

from attn_core.charts.described import counted
from attn_core.charts.style import ACCENT, tip
from attn_core.charts.word_grid import of_names, word_grid

# Pale, so that dark ink stands on them.
DISAGREE = "most settings say otherwise"
PALE = {
    "supported": "#a6dcc8", "contradicted": "#f3bd94", "unclear": "#cdd1d7", DISAGREE: "#f4e49a", "not applicable": "#f1f2f4",
}  # fmt: skip
MANY = 4  # columns beside which a cell is too narrow for intervals, which a pointer tells


def claims_grid(cells: pd.DataFrame) -> alt.LayerChart:
    """Rows of claims x columns; a click selects a cell.

    cells: effect, name (of the claim), subject, column (in words, in lines that ", " parts), verdict, number (with its
    interval), how_many (of the settings say the same; empty where one was counted), most (whether at least half of them do),
    chosen.
    """
    columns = list(dict.fromkeys(cells["column"]))
    numbers = cells["number"].str.partition(" [")[0] if len(columns) > MANY else cells["number"]
    data = cells.assign(
        column=cells["column"].str.replace(", ", "\n"),
        shade=cells["verdict"].where(cells["most"], DISAGREE),
        word=[
            "\n".join(filter(None, lines)) for lines in zip(cells["verdict"], numbers, cells["how_many"], strict=True)
        ],
    )
    tooltip = [
        tip("column:N", title="subject"), tip("name:N", title="claim"), tip("verdict:N"), tip("number:N", title="effect"),
        tip("how_many:N", title="settings"),
    ]  # fmt: skip
    chosen = alt.Chart().transform_filter("datum.chosen").mark_rect(fill=None, stroke=ACCENT, strokeWidth=3)
    colours = {name: colour for name, colour in PALE.items() if name in set(data["shade"])}
    summary = "; ".join(f"{one}: {counted(cells.loc[cells['column'] == one, 'verdict'])}" for one in columns)
    return word_grid(
        data, "column", "name", of_names("shade", colours), tooltip,
        f"Grid of {data['name'].nunique()} claims by {len(columns)} columns. {summary}.",
        select=("effect", "subject"),
        over=[chosen.encode(x=alt.X("column:O"), y=alt.Y("name:O"))],
        row=8 + 11 * int(data["word"].str.count("\n").max() + 1),
    )  # fmt: skip
