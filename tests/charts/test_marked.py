"""The heads A and B stand where they are in the drawn picture, and another head is not another chart."""

import re

import pandas as pd
import pytest
import vl_convert

from attn_core.charts.distances import layer_curve
from attn_core.charts.heads import head_map
from attn_core.charts.kinds import kinds_at_a_glance
from attn_core.charts.marks import Marked
from attn_core.charts.patterns import score_map
from attn_core.charts.specification import vega_lite
from attn_core.charts.style import A, B
from attn_core.head import Head
from attn_core.measures.statistics import BY_NAME
from tests.charts.test_heads import made_heads
from tests.charts.test_kinds import TABLE

HEADS = made_heads()
SCORES = HEADS.assign(score=0.6, chance_score=0.5, pairs=9)
FIRST, LAST = Head.of_row(1, 1), Head.of_row(2, 3)


def drawn(chart: Marked) -> str:
    return vl_convert.vegalite_to_svg(chart.to_dict() | {"width": 400})


@pytest.mark.parametrize(
    "chart",
    [layer_curve(HEADS, HEADS.groupby("layer").mean(numeric_only=True).reset_index(), BY_NAME["near_share"], ringed=True),
     kinds_at_a_glance(TABLE)],
    ids=["points", "bars"],
)  # fmt: skip
def test_each_head_has_its_letter_and_one_that_is_both_is_a(chart: object) -> None:
    a, b = FIRST, Head.of_row(1, 2)
    letters = {pair: re.findall(r">([AB])</text>", drawn(Marked(chart, *pair))) for pair in ((a, b), (b, a), (a, a))}
    assert letters == {(a, b): ["A", "B"], (b, a): ["A", "B"], (a, a): ["A"]}
    assert drawn(Marked(chart, a, b)) != drawn(Marked(chart, b, a))


def test_cells_are_framed_in_the_colours_of_a_and_b() -> None:
    chart = score_map(SCORES)
    framed = {}
    for a, b in ((FIRST, LAST), (LAST, FIRST), (FIRST, FIRST)):
        cells = re.findall(rf'd="(M[^"]+)"[^>]*stroke="({A}|{B})"', drawn(Marked(chart, a, b)))
        framed[a, b] = {colour: place for place, colour in cells}
    assert framed[FIRST, LAST] == {A: framed[LAST, FIRST][B], B: framed[LAST, FIRST][A]}
    assert framed[FIRST, FIRST] == {A: framed[FIRST, LAST][A]}


def test_another_head_leaves_specification_and_tables_as_they_are() -> None:
    chart = head_map(HEADS, BY_NAME["near_share"])
    first, other = vega_lite(Marked(chart, FIRST, LAST)), vega_lite(Marked(chart, LAST, LAST))
    assert first["datasets"].keys() == other["datasets"].keys()
    assert {name for name in first if name != "datasets" and first[name] != other[name]} == {"params"}
    assert pd.DataFrame(other["params"]).set_index("name")["value"]["head_a"] == {"layer": 2, "head": 3}
