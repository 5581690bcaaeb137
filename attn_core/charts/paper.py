"""A chart on its way to paper: the proportions of the screen, white ground, dark ink, a title, and where it comes from."""

import io
import json
import re
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape

from attn_core.charts.marks import Figure, Marked

PAGE = 980  # pixels of a page's main column on a screen 1440 pixels wide
# Pixels of a column of a journal, 85 mm at 96 an inch, where 8 points are 10.7 pixels, and of two columns, 180 mm.
COLUMN, COLUMNS = 321, 680
LEGENDS = 72  # pixels that a legend takes more where it has fewer columns
PNG_WIDTH = 2400  # pixels: two columns of a journal at 340 dots an inch
INK, FAINT, GRID = "#1f2328", "#57606a", "#e3e5e8"
# What `marks.legend_columns` writes.
LEGEND_COLUMNS = re.compile(r'\{"expr": "max\(1, min\((\d+), floor\(\(width \+ 40\) / (\d+)\)\)\)"\}')
BESIDE = 100  # pixels of a figure that are left of its legends
IDS = re.compile(r'\bid="([\w-]+)"')
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
        "labelLimit": 100, "labelFlush": False, "labelOverlap": True,
    },
    "axisDiscrete": {"grid": False},
    "legend": {
        "labelColor": INK, "titleColor": INK, "labelFontSize": 13, "titleFontSize": 13, "titleFontWeight": "normal",
        "padding": 8,
    },
    "view": {"stroke": None},
}  # fmt: skip
# How a figure is saved: as on the page, under its title; or as a journal sets it, whose caption stands below it.
FORMS = {"As on the page": None, "85 mm, no title": COLUMN, "180 mm, no title": COLUMNS}


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


def on_paper(chart: Figure, caption: Caption, width: int, form: str = "As on the page") -> dict[str, Any]:
    """The chart's Vega-Lite specification, as wide as on the screen and as high, with room for the title above.

    form: of `FORMS`, whose width takes the place of the other where it has one, and no title stands there.
    """
    wide = FORMS[form]
    spec = _on_white(chart.to_dict(), NOTE if wide else 0)
    if wide:
        spec.pop("title", None)
        # A specification whose legends have as many columns as stand beside an axis: of a number that hangs on the
        # width Vega leaves out no room, and cuts the rows.
        told = LEGEND_COLUMNS.sub(
            lambda found: str(max(1, min(int(found[1]), (wide - BESIDE) // int(found[2])))), json.dumps(spec)
        )
        spec = json.loads(told)
        height = spec["height"] + (LEGENDS if wide == COLUMN else 0)
        return spec | {"width": wide, "height": height, "config": CONFIG if wide > COLUMN else _in_a_column()}
    size = 11 if width <= COLUMN else CONFIG["title"]["fontSize"]
    title, lines = _lines(caption.title, size, width), _lines(_note(chart, caption), NOTE, width)
    above = 16 + (size + 4) * len(title) + (NOTE + 3) * len(lines) + 4
    return spec | {
        "width": width,
        "height": spec["height"] + above,
        "title": {"text": title, "subtitle": lines},
        "config": CONFIG if width > COLUMN else _in_a_column(),
    }


def _lines(text: str, size: float, width: float) -> list[str]:
    """A text in lines that a figure of some width holds; a letter is half as wide as high, or a little more."""
    return textwrap.wrap(text, max(20, int(width / (0.55 * size))))


def in_words(chart: Figure, caption: Caption) -> str:
    """A caption to be set below the figure: title, text, model and settings, and which heads are marked."""
    return f"{caption.title}. {_note(chart, caption).removesuffix('.')}."


def _note(chart: Figure, caption: Caption) -> str:
    """The small print; where heads are ringed or framed it says which."""
    if not isinstance(chart, Marked):
        return caption.note
    marked = f"{chart.a} (A, blue)" if chart.a == chart.b else f"{chart.a} (A, blue) and {chart.b} (B, orange)"
    return f"{caption.note}. Marked: {marked}."


def _in_a_column() -> dict[str, Any]:
    """The same look for a figure as wide as a column: 8 points everywhere, so that it is read at that size."""
    axis, legend, title = (dict(CONFIG[part]) for part in ("axis", "legend", "title"))
    axis |= {"labelFontSize": NOTE, "titleFontSize": NOTE, "labelPadding": 4, "titlePadding": 4, "labelLimit": 70}
    legend |= {"labelFontSize": NOTE, "titleFontSize": NOTE, "padding": 2}
    title |= {"fontSize": NOTE, "offset": 8}
    return CONFIG | {"padding": 4, "axis": axis, "legend": legend, "title": title}


def _on_white(spec: dict[str, Any], least: float) -> dict[str, Any]:
    """A specification whose marks are read on white paper: no letters lower than `least`, in pixels, and white around those
    that stand beside their places, where lines and points may lie.
    """
    layers = [_readable(layer, least) for layer in spec.get("layer", [])]
    with_grounds = [one for layer in layers for one in (*_ground(layer), layer)]
    return spec | ({"layer": with_grounds} if layers else {})


def _readable(layer: dict[str, Any], least: float) -> dict[str, Any]:
    """A layer with letters of that height or higher."""
    if (size := layer["mark"].get("fontSize")) is None:
        return layer
    high = {"expr": f"max({least}, {size['expr']})"} if isinstance(size, dict) else max(least, size)
    return layer | {"mark": layer["mark"] | {"fontSize": high}}


def _ground(layer: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The same words in thick white, if they stand beside a place."""
    if layer["mark"]["type"] == "text" and "dx" in layer["mark"]:
        look = layer["mark"] | {"color": CONFIG["background"], "stroke": CONFIG["background"], "strokeWidth": 3}
        places = {channel: of for channel, of in layer["encoding"].items() if channel not in ("color", "tooltip")}
        yield {part: of for part, of in layer.items() if part != "params"} | {"mark": look, "encoding": places}


def to_svg(chart: Figure, caption: Caption, width: int = PAGE, form: str = "As on the page") -> str:
    """The figure as SVG, see `on_paper`; its description and where it comes from in <desc> and <metadata>."""
    import vl_convert  # 50 MB of Vega in a shared library: only where a figure is saved

    head, body = vl_convert.vegalite_to_svg(on_paper(chart, caption, width, form)).split(">", 1)
    about = _about(chart, caption)
    return f"{head}><desc>{escape(about['Description'])}</desc><metadata>{escape(about['Source'])}</metadata>{body}"


def drawing(chart: Figure, width: int = PAGE) -> str:
    """The figure as SVG without title and small print, for a page that says these beside it: the same for the same figure."""
    import vl_convert

    spec = _on_white(chart.to_dict(), 0)
    spec.pop("title", None)
    svg = vl_convert.vegalite_to_svg(spec | {"width": width, "config": CONFIG})
    for number, name in enumerate(dict.fromkeys(IDS.findall(svg))):  # Vega counts on from one figure to the next
        svg = re.sub(rf'(id="|#){name}(?=["\')])', rf"\g<1>part-{number}", svg)
    return svg


def to_png(chart: Figure, caption: Caption, width: int = PAGE, form: str = "As on the page") -> bytes:
    """The figure as PNG, 2,400 pixels wide; its description and where it comes from in text chunks."""
    import vl_convert
    from PIL import Image, PngImagePlugin

    spec = on_paper(chart, caption, width, form)
    drawn = vl_convert.vegalite_to_png(spec, scale=PNG_WIDTH / spec["width"])
    chunks, buffer = PngImagePlugin.PngInfo(), io.BytesIO()
    for name, text in _about(chart, caption).items():
        chunks.add_itxt(name, text)
    Image.open(io.BytesIO(drawn)).save(buffer, "PNG", pnginfo=chunks)
    return buffer.getvalue()


def _about(chart: Figure, caption: Caption) -> dict[str, str]:
    """Texts for a file's metadata, by the names that PNG gives them."""
    return {"Title": caption.title, "Description": str(chart.description), "Source": caption.source}
