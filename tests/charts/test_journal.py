"""Figures at the widths of a journal: no letter below eight points, nothing cut or printed over, every mark named."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree

import numpy as np
import pytest

from attn_core.charts.paper import COLUMN, COLUMNS, FORMS, Caption, to_svg
from tests.charts.test_figures import FIGURES, marked
from tests.quick import quick_only

EIGHT_POINTS = 8 / 72 * 96  # pixels, at 96 an inch


@dataclass(frozen=True)
class Text:
    """What is written, and its place in pixels: the middle, the way that it takes across and down."""

    words: str
    x: float
    y: float
    across: float
    down: float
    size: float


def drawn(name: str, form: str) -> ElementTree.Element:
    return ElementTree.fromstring(to_svg(marked(name), Caption("A figure of made-up numbers", "a text", {}), 980, form))


def texts(part: ElementTree.Element, x: float = 0, y: float = 0) -> Iterator[Text]:
    """All that is seen to be written; thin letters are as wide as a third of their height, all others as half of it."""
    moved = part.attrib.get("transform", "")
    if at := re.match(r"translate\(([-\d.e]+),([-\d.e]+)\)", moved):
        x, y = x + float(at[1]), y + float(at[2])
    if part.tag.endswith("text") and "0" not in (part.attrib.get("opacity"), part.attrib.get("fill-opacity")):
        size, lines = float(part.attrib["font-size"].removesuffix("px")), list(part) or [part]
        long = size * max(
            sum(0.3 if letter in " iltfjr.,:;()" else 0.53 for letter in "".join(line.itertext())) for line in lines
        )
        turned = re.search(r"rotate\(([-\d.]+)\)", moved)
        angle = np.radians(float(turned[1])) if turned else 0.0
        side = {"start": 0.5, "end": -0.5}.get(part.attrib.get("text-anchor", "start"), 0) * long
        if long:
            yield Text(
                "".join(part.itertext()), x + side * np.cos(angle), y + side * np.sin(angle),
                abs(long * np.cos(angle)) + abs(size * np.sin(angle)), abs(long * np.sin(angle)) + abs(size * np.cos(angle)),
                size,
            )  # fmt: skip
    for child in part:
        yield from texts(child, x, y)


@pytest.mark.parametrize("form", quick_only([form for form, width in FORMS.items() if width], "85 mm, no title"))
@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_for_a_journal_is_read_and_nothing_in_it_is_cut(name: str, form: str) -> None:
    figure = drawn(name, form)
    width, height = float(figure.attrib["width"]), float(figure.attrib["height"])
    assert width == pytest.approx(FORMS[form], abs=2)
    written = list(texts(figure))
    assert [text.words for text in written if text.size < EIGHT_POINTS] == []
    cut = [text.words for text in written if text.x - text.across / 2 < -2 or text.x + text.across / 2 > width + 2]
    assert cut + [text.words for text in written if text.y + text.down / 2 > height + 2] == []
    assert [text.words for text in written if "…" in text.words] == []


@pytest.mark.parametrize(
    "name", ["heads", "shares of heads", "token", "roles", "profiles", "distances", "match", "changes"]
)
def test_no_two_numbers_of_a_map_touch_in_a_column(name: str) -> None:
    cells = [
        text
        for text in texts(drawn(name, "85 mm, no title"))
        if re.fullmatch(r"[-+−.\d%]+|L\d+H\d+|[a-z]{3,4}", text.words)
    ]
    rows = [[text for text in cells if abs(text.y - y) < 2] for y in {round(text.y) for text in cells}]
    assert max(map(len, rows)) >= 6
    for row in rows:
        places = sorted(row, key=lambda text: text.x)
        for one, other in zip(places, places[1:], strict=False):
            assert other.x - one.x >= (one.across + other.across) / 2 - 1, (one.words, other.words)


def test_a_colour_bar_ends_inside_the_figure_and_has_a_name() -> None:
    for name, named in {
        "heads": "colour: mean distance minus chance",
        "crop": "context similarity",
        "power": "colour: power",
    }.items():
        written = [text.words for text in texts(drawn(name, "85 mm, no title"))]
        assert any(words.startswith(named) for words in written), name


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("kinds of a head", "grey: chance"), ("distances of a head", "grey: chance"), ("shares", "dashed: chance"),
        ("depth", "dashed: chance"), ("layers", "points: heads, line: their mean, dashed: chance"), ("steps", "dashed: chance"),
        ("sureness", "dashed: an even guess"), ("gaps", "dot: found, grey: true, dashed: threshold"),
        ("token", "bold: anchor"), ("orders", "dashed: random orders"), ("crop", "red: the picked pair"),
    ],
)  # fmt: skip
def test_what_no_legend_tells_is_told_beside_an_axis_or_a_colour_bar(name: str, told: str) -> None:
    for form in ("85 mm, no title", "180 mm, no title"):
        assert any(told in text.words for text in texts(drawn(name, form))), form


def test_what_stands_beside_its_place_has_a_white_ground() -> None:
    svg = ElementTree.tostring(drawn("layers", "85 mm, no title"), "unicode")
    for word in ("A", "B"):
        grounds = re.findall(rf"<[^>]*text [^>]*>{word}</", svg)
        assert (
            len(grounds) == 2 and 'stroke="#ffffff"' in grounds[0] and "stroke" not in grounds[1].replace("stroke-", "")
        )


def test_columns_are_those_of_journals() -> None:
    assert [round(width / 96 * 25.4) for width in (COLUMN, COLUMNS)] == [85, 180]
