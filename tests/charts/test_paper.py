"""Saved figures: their width, ground, title and description."""

import io
import re
from collections.abc import Iterator
from xml.etree import ElementTree

import altair as alt
import pandas as pd
import pytest
from PIL import Image

from attn_core.charts.heads import head_map
from attn_core.charts.marks import Marked
from attn_core.charts.paper import INK, PNG_WIDTH, WIDTHS, to_png, to_svg
from attn_core.charts.specification import vega_lite
from attn_core.head import Head
from attn_core.measures.statistics import BY_NAME
from tests.charts.test_figures import FIGURES, marked
from tests.charts.test_heads import made_heads
from tests.quick import quick_only

CHART = Marked(head_map(made_heads(), BY_NAME["near_share"]), Head.of_row(1, 1), Head.of_row(2, 3))
TITLE = "Neighbours <of> every head"
SVG = "{http://www.w3.org/2000/svg}"
ROLES = ("repetition", "neighbours", "separators", "sentence", "anchor", "mixed")


def written(svg: str) -> list[str]:
    return ["".join(one.itertext()) for one in ElementTree.fromstring(svg).iter(f"{SVG}text")]


@pytest.mark.parametrize("name", quick_only(list(FIGURES), "heads"))
def test_a_figure_has_the_width_that_is_asked_for(name: str) -> None:
    for width in WIDTHS.values():
        assert float(ElementTree.fromstring(to_svg(marked(name), TITLE, width)).attrib["width"]) == pytest.approx(
            width, abs=2
        )


def legend_labels(part: ElementTree.Element, y: float = 0) -> Iterator[float]:
    """How far down the figure each of them stands."""
    if at := re.match(r"translate\([-\d.e]+,([-\d.e]+)\)", part.get("transform", "")):
        y += float(at[1])
    if part.tag == f"{SVG}text" and part.text in ROLES:
        yield y
    for child in part:
        yield from legend_labels(child, y)


def test_a_legend_is_whole_in_a_column() -> None:
    """Vega cuts the rows of a legend whose number hangs on the width."""
    svg = ElementTree.fromstring(to_svg(marked("scatter"), TITLE, WIDTHS["85 mm"]))
    places = list(legend_labels(svg))
    assert len(places) == len(ROLES) and min(places) > 0


def test_the_ground_is_white_and_the_ink_dark_whatever_the_theme() -> None:
    assert f'fill="{INK}"' in to_svg(CHART, TITLE)
    image = Image.open(io.BytesIO(to_png(CHART, TITLE)))
    assert image.width == pytest.approx(PNG_WIDTH, abs=6)
    assert image.convert("RGB").getpixel((2, 2)) == (255, 255, 255)


def test_the_first_and_the_last_number_of_an_axis_stand_at_their_gridlines() -> None:
    table = pd.DataFrame({"x": [0, 10], "y": [0, 1]})
    x = alt.X("x:Q", axis=alt.Axis(values=[0, 10]))
    chart = alt.LayerChart(
        layer=[alt.Chart(table).mark_point().encode(x=x, y="y:Q")], height=200, description="two points"
    )
    svg = to_svg(chart, TITLE)
    axis = svg[svg.index("X-axis") :]
    anchors = re.findall(r'<text text-anchor="(\w+)"[^>]*>(?:0|10)</text>', axis)
    assert anchors[:2] == ["middle", "middle"]
    assert vega_lite(chart)["config"]["axis"] == {"labelFlush": False}
