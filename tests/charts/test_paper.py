"""Saved figures: their width, ground, title and description."""

import io
from xml.etree import ElementTree

import pytest
from PIL import Image

from attn_core.charts.head_map import statistic_map
from attn_core.charts.paper import INK, PNG_WIDTH, WIDTHS, to_png, to_svg
from attn_core.charts.style import marked
from attn_core.head import Head
from attn_core.measures.statistics import BY_NAME
from tests.charts.figures import HEADS

CHART = marked(statistic_map(HEADS, BY_NAME["mean_distance"]).to_dict(), Head.of_row(1, 1), Head.of_row(2, 3))
TITLE = "Neighbours <of> every head"


@pytest.mark.parametrize("width", WIDTHS.values())
def test_a_figure_has_the_width_that_is_asked_for(width: int) -> None:
    assert float(ElementTree.fromstring(to_svg(CHART, TITLE, width)).attrib["width"]) == pytest.approx(width, abs=2)


def test_the_ground_is_white_and_the_ink_dark_whatever_the_theme() -> None:
    assert f'fill="{INK}"' in to_svg(CHART, TITLE)
    image = Image.open(io.BytesIO(to_png(CHART, TITLE, WIDTHS["85 mm"])))
    assert image.width == pytest.approx(PNG_WIDTH, abs=6)
    assert 25.4 * image.width / image.info["dpi"][0] == pytest.approx(85, abs=0.2), "millimetres in a word processor"
    assert image.convert("RGB").getpixel((2, 2)) == (255, 255, 255)
