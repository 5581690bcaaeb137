"""What maps of heads share: a click that chooses a head, and frames around the heads A and B."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import altair as alt
import pandas as pd

from attn_core.charts.style import AXES, BLANK, CELL, DARK_INK, A, B, ink, tip
from attn_core.head import Head
from attn_core.texts.token_names import readable

IS_A = "datum.layer == head_a.layer && datum.head == head_a.head"
IS_B = f"datum.layer == head_b.layer && datum.head == head_b.head && !({IS_A})"  # a head that is both is marked as A
SELECTION = "cell"  # the name of the selection that a click makes; its fields are layer and head
LEGEND = 96  # pixels that a legend below a map takes
LETTER = 0.6  # of its height a letter's width, with the room that it needs
LINE = 11  # pixels of a line in a cell, and of the letters in it
UPRIGHT = 30  # pixels: in narrower cells tokens stand upright


@dataclass(frozen=True, eq=False)
class Marked:
    """A chart with marks for the rows that `IS_A` and `IS_B` hold for, and the heads that they are to be.

    These are parameters of the finished specification, so that another head is not another chart: Altair would need a tenth
    of a second to make it.
    """

    chart: alt.LayerChart
    a: Head
    b: Head

    @property
    def description(self) -> Any:
        return self.chart.description

    def to_dict(self) -> dict[str, Any]:
        """The whole specification, as of an Altair chart."""
        return self.marks(self.chart.to_dict())

    def marks(self, spec: dict[str, Any]) -> dict[str, Any]:
        """The chart's specification with the heads in it."""
        heads = {"head_a": self.a, "head_b": self.b}
        told = [{"name": name, "value": {"layer": head.row[0], "head": head.row[1]}} for name, head in heads.items()]
        return spec | {"params": [*spec.get("params", []), *told]}


Figure = alt.Chart | alt.LayerChart | Marked


def head_grid(data: pd.DataFrame, *told: alt.Tooltip) -> alt.Chart:
    """A row a layer, a column a head, for marks that fill the cells; under the pointer layer, head, and what is told."""
    return alt.Chart(data).encode(
        x=alt.X("head:O", title="head", axis=alt.Axis(labelAngle=0, orient="top")),
        y=alt.Y("layer:O", title="layer"),
        tooltip=[tip("layer:O"), tip("head:O"), *told],
    )


def click() -> alt.Parameter:
    """A click chooses the head under the pointer."""
    return alt.selection_point(name=SELECTION, fields=["layer", "head"], on="click", empty=False)


def map_height(data: pd.DataFrame) -> int:
    """Pixels for a layers x heads map: a row a layer, and the axis above."""
    return AXES + CELL * data["layer"].nunique()


def with_tokens(data: pd.DataFrame, above_chance: pd.Series) -> pd.DataFrame:
    """Adds to heads with an anchor what `tokens_in_cells` draws, a dash where it is not above chance: punctuation by name,
    the whole word where that is known (column `whole`), the parts of either in lines of their own.
    """
    tokens = (data["whole"] if "whole" in data else data["anchor"]).where(above_chance, "")
    shown = [readable(token).replace(" ", "\n") or "–" for token in tokens]
    shown = [re.sub(r"^(\(\w+\))(?=.)|(?<=.)(?=\(\w+\)$)", r"\1\n", word, count=1) for word in shown]
    return data.assign(shown=shown, above=[-LINE / 2 * word.count("\n") for word in shown])


def in_cells(base: alt.Chart, across: int, characters: int, **look: Any) -> alt.Chart:
    """Text in the cells of a map, `across` in a row; upright where so many characters are wider than a cell, and none where
    a cell is narrower than a line is high.
    """
    cell = f"width / {across}"
    return base.mark_text(
        fontSize=LINE,
        angle=alt.ExprRef(f"{cell} < {LETTER * LINE * characters:.0f} ? 270 : 0"),
        fillOpacity=alt.ExprRef(f"{cell} < {LINE} ? 0 : 1"),
        **look,
    )


def longest(values: pd.Series, form: str) -> int:
    """Characters of the longest of some numbers as they are printed; at least three, as most maps have."""
    return max([3, *(len(format(value, form)) for value in values.dropna())])


def tokens_in_cells(base: alt.Chart, data: pd.DataFrame, **look: Any) -> alt.Chart:
    """The token of every head in its cell; a dash where there is none. data: as of `with_tokens`."""
    across, down = data["head"].nunique(), data["layer"].nunique()
    upright = f"width / {across} < {UPRIGHT}"
    return base.mark_text(
        fontSize=alt.ExprRef(f"max(9, min(12, width / {4 * across}))"),
        angle=alt.ExprRef(f"{upright} ? 270 : 0"),
        lineBreak="\n",
        lineHeight=LINE,
        baseline="middle",
        dy=alt.ExprRef("datum.above"),
        limit=alt.ExprRef(f"({upright} ? height / {down} : width / {across}) - 3"),
        **look,
    ).encode(text="shown:N")


def legend_columns(names: Iterable[str], most: int = 3) -> alt.ExprRef:
    """As many columns of a legend as a figure is wide enough for."""
    return alt.ExprRef(f"max(1, min({most}, floor((width + 40) / {7 * max(map(len, names)) + 28})))")


GRADIENT = alt.ExprRef("min(220, width - 24)")  # pixels of a colour bar, whose last number stands half beyond its end


def gradient(title: str, form: str = "") -> alt.Legend:
    """A legend below a map, where it takes no width from the cells; form: of its numbers."""
    return alt.Legend(
        title=title,
        titleLimit=320,
        orient="bottom",
        direction="horizontal",
        gradientLength=GRADIENT,
        tickCount=5,
        format=form,
    )


def shading(
    column: str, limit: float, legend: alt.Legend, scale: Callable[[float], alt.Scale], blank: bool = False
) -> tuple[Any, Any]:
    """The colour of cells by a column, and of the words on them. blank: the column says nothing, and no cell has a colour."""
    if blank:
        return alt.value(BLANK), alt.value(DARK_INK)
    return alt.Color(f"{column}:Q", scale=scale(limit), legend=legend), ink(column, limit)


def letters(data: pd.DataFrame) -> list[alt.Chart]:
    """A ring around the point of A and of B, and the letter beside it; to be encoded with the points' places."""
    return [
        mark
        for which, here, stroke in (("A", IS_A, A), ("B", IS_B, B))
        for chart in [alt.Chart(data).transform_filter(here)]
        for mark in (
            chart.mark_point(size=330, shape="circle", filled=False, stroke=stroke, strokeWidth=3, opacity=1),
            chart.mark_text(align="right", dx=-12, fontSize=14, fontWeight="bold", color=stroke, text=which),
        )
    ]


def frames(data: pd.DataFrame) -> list[alt.Chart]:
    """Frames around the cells of A and B on a layers x heads map: the head's colour on a dark ground."""
    here = alt.Chart(data).transform_filter(f"({IS_A}) || ({IS_B})").encode(x="head:O", y="layer:O")
    return [
        here.mark_rect(fill=None, stroke="#111827", strokeWidth=5),
        here.mark_rect(fill=None, strokeWidth=2.5).encode(stroke=alt.condition(IS_A, alt.value(A), alt.value(B))),
    ]
