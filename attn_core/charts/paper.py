"""Charts as SVG or PNG files, dark on white, as wide as the page or as one or two columns of a journal."""

import json
import re
from collections.abc import Mapping
from typing import Any
from xml.sax.saxutils import escape

from attn_core.charts.style import AXES, SQUARE

PAGE = 980  # pixels, main column of a page on a screen of 1440 pixels
WIDTHS = {"Page width": PAGE, "85 mm": 321, "180 mm": 680}  # pixels, 96 per inch
PNG_WIDTH = 2400  # pixels: 180 mm at 340 dots per inch
INK, GRID = "#1f2328", "#e3e5e8"
Spec = Mapping[str, Any]  # a Vega-Lite specification with its data
IDS = re.compile(r'\bid="([\w-]+)"')
BESIDE = 100  # pixels to the left of the legends


def theme(letters: int = 13) -> dict[str, Any]:
    """The Vega-Lite configuration of a chart outside of a page. letters: font size in pixels; 11 are 8 points."""
    words = {"labelColor": INK, "titleColor": INK, "labelFontSize": letters, "titleFontSize": letters}
    plain = {"titleFontWeight": "normal", "labelPadding": 6, "titlePadding": 8}
    bare = {"gridColor": GRID, "ticks": False, "domain": False}
    axis = words | plain | bare | {"labelLimit": 100, "labelFlush": False, "labelOverlap": True}
    return {
        "background": "#ffffff",
        "padding": 8,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "font": "Arial, Helvetica, sans-serif",
        "title": {"anchor": "start", "offset": 16, "color": INK, "fontSize": letters + 3},
        "axis": axis,
        "axisDiscrete": {"grid": False},
        "legend": words | {"titleFontWeight": "normal"},
        "text": {"color": INK},
        "view": {"stroke": None},
    }


def on_paper(figure: Spec, width: int, title: str = "") -> dict[str, Any]:
    """The Vega-Lite specification of a figure of a given width; its height excludes axes and legends."""
    # Vega cuts off a legend whose number of columns depends on the width, see `style.legend_columns`.
    spec = json.loads(json.dumps(figure).replace("(width + 40)", str(width - BESIDE)))
    looks = theme() if width > WIDTHS["85 mm"] else theme(11)
    above = {"title": title} if title and width == PAGE else {}  # a journal typesets the title
    height = width - BESIDE if spec.get("usermeta") == SQUARE else spec["height"] - AXES
    return spec | {"width": width, "height": height, "config": looks} | above


def to_svg(figure: Spec, title: str, width: int = PAGE) -> str:
    """The figure as SVG with its title and description."""
    import vl_convert  # 50 MB: only loaded to save a figure

    head, body = vl_convert.vegalite_to_svg(on_paper(figure, width, title)).split(">", 1)
    return f"{head}><title>{escape(title)}</title><desc>{escape(str(figure['description']))}</desc>{body}"


def to_png(figure: Spec, title: str, width: int = PAGE) -> bytes:
    """The figure as PNG, 2,400 pixels wide, with the resolution that makes it as wide on paper as it is meant."""
    import vl_convert

    # The pixels of an inch count 72 here, those of a width 96.
    return vl_convert.vegalite_to_png(on_paper(figure, width, title), scale=72 / 96, ppi=96 * PNG_WIDTH / width)


def drawing(figure: Spec, width: int) -> str:
    """The figure as SVG without a title, identical for identical figures."""
    import vl_convert

    svg = vl_convert.vegalite_to_svg(on_paper(figure, width))
    for number, name in enumerate(dict.fromkeys(IDS.findall(svg))):  # Vega numbers ids across figures
        svg = re.sub(rf'(id="|#){name}(?=["\')])', rf"\g<1>part-{number}", svg)
    return svg
