"""The map of all heads by a statistic, and a part of a similarity matrix around one pair."""

from collections.abc import Sequence

import altair as alt
import numpy as np
import pandas as pd

from attn_core.charts import head_map as maps
from attn_core.charts.described import between, between_heads, chance_of, number
from attn_core.charts.style import tip
from attn_core.charts.word_grid import BLANK_CELLS, above_zero, around_zero, of_scheme, printed, word_grid
from attn_core.measures.anchors import shown_anchors
from attn_core.measures.few_pairs import too_few
from attn_core.measures.repetition import shown_repetitions
from attn_core.measures.statistics import Statistic
from attn_core.texts.token_names import readable


def head_map(heads: pd.DataFrame, statistic: Statistic) -> alt.LayerChart:
    """Layers x heads, coloured by a statistic minus its chance level, the value printed in the cell."""
    excess = heads[statistic.name] - heads[statistic.chance]
    data = heads[["layer", "head", statistic.name, statistic.chance, "role"]].assign(
        excess=excess.clip(lower=0) if statistic.only_above else excess,
        word=printed(heads[statistic.name], statistic.format.replace(".1%", ".0%")),
        anchor=shown_anchors(heads),
        repeated_tokens=shown_repetitions(heads),
    )
    shade, blank = BLANK_CELLS, statistic.of_pairs and too_few(heads)
    if not blank:
        colours, grey = (
            (above_zero, "above chance; grey: not above") if statistic.only_above else (around_zero, "minus chance")
        )
        shade = colours(data["excess"], f"colour: {statistic.label.lower()} {grey}", statistic.format)
    tooltip = [
        tip(f"{statistic.name}:Q", statistic.format, statistic.label),
        tip(f"{statistic.chance}:Q", statistic.format, "chance"),
        tip("role:N"), tip("anchor:N"), tip("repeated_tokens:N", title="repeats"),
    ]  # fmt: skip
    return maps.head_map(
        data, shade, tooltip,
        f"{statistic.label.lower()}, from {between_heads(heads, statistic.name, statistic.text)}; {chance_of(heads, statistic)}"
        f"{'; no colours: too few strong pairs' if blank else ''}",
    )  # fmt: skip


def matrix_crop(
    values: np.ndarray,
    tokens: list[str],
    start_row: int,
    start_column: int,
    label: str,
    colours: Sequence[str],
    cut: tuple[float, float],
    picked: tuple[int, int],
) -> alt.LayerChart:
    """A part of a token x token matrix with its tokens written out, the picked pair (row, column) outlined.

    values: (rows, columns), tokens: all N tokens. colours: evenly spaced from the first value of cut to the second.
    """
    rows, columns = np.indices(values.shape).reshape(2, -1) + np.array([[start_row], [start_column]])
    names = np.array([f"{position} {readable(token)}" for position, token in enumerate(tokens)], dtype=object)
    data = pd.DataFrame({"row": names[rows], "column": names[columns], "value": values.ravel(), "word": ""})
    ends = between(data["value"], data["row"] + " and " + data["column"], number)
    here = data[(rows == picked[0]) & (columns == picked[1])]
    frame = alt.Chart(here).mark_rect(fill=None, stroke="#ef4444", strokeWidth=3)
    return word_grid(
        data, "column", "row", of_scheme(data["value"], colours, *cut, label),
        [tip("row:N"), tip("column:N"), tip("value:Q", ".4g", label)],
        f"{label.capitalize()} of tokens {start_row} to {start_row + values.shape[0] - 1} (rows) and {start_column} to "
        f"{start_column + values.shape[1] - 1} (columns): from {ends}.",
        titles=("token (column); red: the picked pair", "token (row)"),
        angle=-90,
        over=[frame.encode(x=alt.X("column:O"), y=alt.Y("row:O"))],
        row=16,
    )  # fmt: skip
