"""Saved figures: proportions, colours, title and metadata."""

import io
import json
import re
from xml.etree import ElementTree

import altair as alt
import pandas as pd
import pytest
from PIL import Image

from attn_core.charts.heads import head_map
from attn_core.charts.marks import Marked
from attn_core.charts.once import vega_lite
from attn_core.charts.paper import FORMS, INK, PNG_WIDTH, Caption, in_words, to_png, to_svg
from attn_core.charts.scatter import scatter
from attn_core.head import Head
from attn_core.measures.statistics import BY_NAME
from tests.charts.test_clusters import heads_table
from tests.charts.test_heads import made_heads
from tests.charts.test_scatter import X, Y

CHART = Marked(head_map(made_heads(), BY_NAME["near_share"]), Head.of_row(1, 1), Head.of_row(2, 3))
CAPTION = Caption("Head map", "A <text> & more, tiny-bert, plain layout", {"model": "tiny-bert", "share": 0.01})
SVG = "{http://www.w3.org/2000/svg}"


def size_of(svg: str) -> tuple[float, float]:
    root = ElementTree.fromstring(svg)
    return float(root.attrib["width"]), float(root.attrib["height"])


@pytest.mark.parametrize("width", [490, 980])
def test_a_figure_is_as_wide_and_as_high_as_on_the_screen_but_for_the_title(width: int) -> None:
    size = size_of(to_svg(CHART, CAPTION, width))
    assert size[0] == pytest.approx(width, abs=2)
    assert 0 < size[1] - CHART.chart.height < 100


@pytest.mark.parametrize(("form", "width"), [(form, width) for form, width in FORMS.items() if width])
def test_a_figure_for_a_journal_has_its_width_and_no_title(form: str, width: int) -> None:
    svg = to_svg(CHART, CAPTION, 980, form)
    text = "".join(ElementTree.fromstring(svg).itertext())
    assert size_of(svg)[0] == pytest.approx(width, abs=2)
    assert (
        f">{CAPTION.title}<" not in svg
        and ">colour: neighbours above chance; grey: not above<" in svg
        and CAPTION.note in text
    )
    sizes = [float(size) for size in re.findall(r'font-size="([\d.]+)px"', svg)]
    assert min(sizes) >= 9, "seven points"


def test_cells_grow_with_the_width() -> None:
    def cell(width: int) -> float:
        return float(
            re.search(r'aria-roledescription="rect mark" d="M[\d.]+,[\d.]+h([\d.]+)', to_svg(CHART, CAPTION, width))[1]
        )

    assert cell(980) > 2 * cell(490) > 100


def test_the_ground_is_white_and_the_ink_dark_whatever_the_theme() -> None:
    svg = to_svg(CHART, CAPTION)
    assert f'fill="{INK}"' in svg
    assert Image.open(io.BytesIO(to_png(CHART, CAPTION))).convert("RGB").getpixel((2, 2)) == (255, 255, 255)


def test_title_note_and_legend_stand_in_the_figure() -> None:
    text = "".join(ElementTree.fromstring(to_svg(CHART, CAPTION)).itertext())
    assert "Head map" in text and "tiny-bert, plain layout" in text
    assert "colour: neighbours above chance" in text


def test_the_svg_tells_what_it_shows_and_where_it_comes_from() -> None:
    root = ElementTree.fromstring(to_svg(CHART, CAPTION))
    assert root.find(f"{SVG}desc").text == CHART.description
    assert json.loads(root.find(f"{SVG}metadata").text) == {
        "figure": "Head map", "shows": CAPTION.note, "model": "tiny-bert", "share": 0.01,
    }  # fmt: skip


def test_the_png_is_wide_enough_for_a_paper_and_tells_the_same() -> None:
    image = Image.open(io.BytesIO(to_png(CHART, CAPTION, 490)))
    assert image.width == pytest.approx(PNG_WIDTH, abs=6)
    assert image.text["Description"] == CHART.description  # type: ignore[attr-defined]
    assert json.loads(image.text["Source"])["model"] == "tiny-bert"  # type: ignore[attr-defined]


def test_a_chart_that_can_be_zoomed_is_drawn_whole() -> None:
    heads = heads_table()
    chart = scatter(heads.assign(cluster="cluster 1"), X, Y, "role", None)
    svg = to_svg(Marked(chart, Head.of_row(1, 1), Head.of_row(3, 4)), CAPTION)
    assert all(f">L{layer}H{head}<" in svg for layer in (1, 2, 3) for head in (1, 2, 3, 4))
    assert all(word in svg for word in ("cluster 1", "repetition", "mixed"))


def test_a_figure_says_which_heads_are_marked_and_its_caption_too() -> None:
    text = " ".join(ElementTree.fromstring(to_svg(CHART, CAPTION)).itertext())
    assert "Marked: L1H1 (A, blue) and L2H3 (B, orange)." in text
    assert in_words(CHART, CAPTION) == (
        "Head map. A <text> & more, tiny-bert, plain layout. Marked: L1H1 (A, blue) and L2H3 (B, orange)."
    )
    alone = Marked(CHART.chart, CHART.a, CHART.a)
    assert in_words(alone, CAPTION).endswith("Marked: L1H1 (A, blue).")
    assert in_words(CHART.chart, CAPTION) == "Head map. A <text> & more, tiny-bert, plain layout."


def test_the_first_and_the_last_number_of_an_axis_stand_at_their_gridlines() -> None:
    table = pd.DataFrame({"x": [0, 10], "y": [0, 1]})
    x = alt.X("x:Q", axis=alt.Axis(values=[0, 10]))
    chart = alt.LayerChart(
        layer=[alt.Chart(table).mark_point().encode(x=x, y="y:Q")], height=200, description="two points"
    )
    svg = to_svg(chart, CAPTION)
    axis = svg[svg.index("X-axis") :]
    anchors = re.findall(r'<text text-anchor="(\w+)"[^>]*>(?:0|10)</text>', axis)
    assert anchors[:2] == ["middle", "middle"]
    assert vega_lite(chart)["config"]["axis"] == {"labelFlush": False}
