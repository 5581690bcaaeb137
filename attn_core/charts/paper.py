"""A chart on its way to paper: the proportions of the screen, white ground, dark ink, a title, and where it comes from."""

import io
import json
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape

from attn_core.charts.marked import Figure

PAGE = 980  # pixels of a page's main column on a screen 1440 pixels wide
PNG_WIDTH = 2400  # pixels: two columns of a journal at 340 dots an inch
INK, FAINT, GRID = "#1f2328", "#57606a", "#e3e5e8"
NOTE = 11  # pixels of the small print below a title
# Sizes and paddings of Streamlit's theme, so that what fits on the screen fits on paper.
CONFIG: dict[str, Any] = {
    "background": "#ffffff",
    "padding": 12,
    "autosize": {"type": "fit", "contains": "padding"},
    "font": "Arial, Helvetica, sans-serif",
    "title": {
        "anchor": "start", "offset": 16, "color": INK, "fontSize": 16, "subtitleColor": FAINT, "subtitleFontSize": NOTE,
    },
    "axis": {
        "labelColor": INK, "titleColor": INK, "labelFontSize": 12, "titleFontSize": 14, "titleFontWeight": "normal",
        "gridColor": GRID, "ticks": False, "domain": False, "labelPadding": 12, "titlePadding": 12,
        "labelLimit": 100, "labelFlush": True, "labelOverlap": True,
    },
    "axisDiscrete": {"grid": False},
    "legend": {
        "labelColor": INK, "titleColor": INK, "labelFontSize": 13, "titleFontSize": 13, "titleFontWeight": "normal",
        "padding": 8,
    },
    "view": {"stroke": None},
}  # fmt: skip


@dataclass(frozen=True)
class Caption:
    """What goes with a figure that travels alone: a title, text, model and settings in words, and its provenance."""

    title: str
    note: str
    provenance: Mapping[str, object]

    @property
    def source(self) -> str:
        """Where the figure comes from, as JSON."""
        source = {"figure": self.title, "shows": self.note, **self.provenance}
        return json.dumps(source, default=str, ensure_ascii=False)


def on_paper(chart: Figure, caption: Caption, width: int) -> dict[str, Any]:
    """The chart's Vega-Lite specification, as wide as on the screen and as high, with room for the title above."""
    spec = chart.to_dict()
    lines = textwrap.wrap(caption.note, max(20, int(width / (0.55 * NOTE))))
    above = 40 + (NOTE + 3) * len(lines)
    return spec | {
        "width": width,
        "height": spec["height"] + above,
        "title": {"text": caption.title, "subtitle": lines},
        "config": CONFIG,
    }


def to_svg(chart: Figure, caption: Caption, width: int = PAGE) -> str:
    """The figure as SVG; its description and where it comes from in <desc> and <metadata>."""
    import vl_convert  # 50 MB of Vega in a shared library: only where a figure is saved

    head, body = vl_convert.vegalite_to_svg(on_paper(chart, caption, width)).split(">", 1)
    about = _about(chart, caption)
    return f"{head}><desc>{escape(about['Description'])}</desc><metadata>{escape(about['Source'])}</metadata>{body}"


def to_png(chart: Figure, caption: Caption, width: int = PAGE) -> bytes:
    """The figure as PNG, 2,400 pixels wide; its description and where it comes from in text chunks."""
    import vl_convert
    from PIL import Image, PngImagePlugin

    drawn = vl_convert.vegalite_to_png(on_paper(chart, caption, width), scale=PNG_WIDTH / width)
    chunks, buffer = PngImagePlugin.PngInfo(), io.BytesIO()
    for name, text in _about(chart, caption).items():
        chunks.add_itxt(name, text)
    Image.open(io.BytesIO(drawn)).save(buffer, "PNG", pnginfo=chunks)
    return buffer.getvalue()


def _about(chart: Figure, caption: Caption) -> dict[str, str]:
    """Texts for a file's metadata, by the names that PNG gives them."""
    return {"Title": caption.title, "Description": str(chart.description), "Source": caption.source}
