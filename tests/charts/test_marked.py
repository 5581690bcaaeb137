"""The heads A and B stand where they are in the drawn picture, and another head is not another chart."""

import re

import pytest
import vl_convert

from attn_core.charts.curve import layer_curve
from attn_core.charts.head_map import statistic_map
from attn_core.charts.pairs import kinds_at_a_glance
from attn_core.charts.patterns import score_map
from attn_core.charts.style import A, B, Figure, marked
from attn_core.head import Head
from attn_core.measures.kinds import kind_table
from attn_core.measures.statistics import BY_NAME
from tests.charts.figures import HEADS, MEANS, SCORED, SHARES

FIRST, LAST = Head.of_row(1, 1), Head.of_row(2, 3)


def drawn(chart: Figure, *heads: Head) -> str:
    return vl_convert.vegalite_to_svg(marked(chart.to_dict(), *heads) | {"width": 400})


KINDS = kind_table(SHARES, SHARES)


@pytest.mark.parametrize(
    "chart",
    [layer_curve(HEADS, MEANS, BY_NAME["mean_distance"]), kinds_at_a_glance(KINDS), score_map(SCORED)],
    ids=["points", "bars", "cells"],
)
def test_each_head_has_its_letter_and_one_that_is_both_is_a(chart: Figure) -> None:
    a, b = FIRST, Head.of_row(1, 2)
    letters = {pair: set(re.findall(r">([AB])</text>", drawn(chart, *pair))) for pair in ((a, b), (b, a), (a, a), (a,))}
    assert letters == {(a, b): {"A", "B"}, (b, a): {"A", "B"}, (a, a): {"A"}, (a,): {"A"}}
    assert drawn(chart, a, b) != drawn(chart, b, a)


def test_cells_are_framed_in_the_colours_of_a_and_b() -> None:
    chart = score_map(SCORED)
    framed = {}
    for a, b in ((FIRST, LAST), (LAST, FIRST), (FIRST, FIRST)):
        cells = re.findall(rf'd="(M[^"]+)"[^>]*stroke="({A}|{B})"', drawn(chart, a, b))
        framed[a, b] = {colour: place for place, colour in cells}
    assert framed[FIRST, LAST] == {A: framed[LAST, FIRST][B], B: framed[LAST, FIRST][A]}
    assert framed[FIRST, FIRST] == {A: framed[FIRST, LAST][A]}


def test_another_head_changes_parameters_alone() -> None:
    """A page then redraws nothing of the chart."""
    spec = statistic_map(HEADS, BY_NAME["near_share"]).to_dict()
    first, other = (marked(spec, *pair) for pair in ((FIRST, LAST), (LAST, LAST)))
    assert {name for name in first if first[name] != other[name]} == {"params"}
    assert next(one["value"] for one in other["params"] if one["name"] == "head_a") == {"layer": 2, "head": 3}
