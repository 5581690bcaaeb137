"""Maps and the shaded text under pointer and keys, and every page on a narrow dark screen."""

import re
from collections.abc import Iterator
from math import exp
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
import pytest
from playwright.sync_api import Browser, expect

import attn_core
from tests.browser.conftest import Watched, watch
from tests.ui.pages import PAGES, text_of

pytestmark = [pytest.mark.browser, pytest.mark.model, pytest.mark.long]
CHOSEN = {"text": "A refrain", "window": "1", "a": "L2H3", "b": "L3H4"}
ZOOM = 0.7  # of one press
READ = re.compile(r"row (\d+) .* column (\d+) .* · (\S+)$")
# Words below 18 px that have less than 4.5 : 1 contrast with what is behind them, what no pointer can use aside.
FAINT = """() => {
  const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true })
  const laid = (colour, below) => { // of a colour that may be seen through, on another
    pen.fillStyle = `rgb(${below})`, pen.fillRect(0, 0, 1, 1)
    pen.fillStyle = colour, pen.fillRect(0, 0, 1, 1)
    return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3)
  }
  const behind = one => one ? laid(getComputedStyle(one).backgroundColor, behind(one.parentElement)) : [255, 255, 255]
  const linear = part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  const light = rgb => [0.2126, 0.7152, 0.0722].reduce((sum, weight, k) => sum + weight * linear(rgb[k] / 255), 0.05)
  const found = []
  for (const one of document.querySelectorAll("[data-testid=stMain] :is(h1, h2, h3, p, li, label, button, summary)")) {
    const own = [...one.childNodes].filter(node => node.nodeType === 3).map(node => node.data).join("").trim()
    if (!own || !one.checkVisibility({ opacityProperty: true }) || one.closest(":disabled, [aria-disabled=true]")) continue
    const look = getComputedStyle(one), ground = behind(one), ink = laid(look.color, ground)
    const [low, high] = [light(ink), light(ground)].sort((a, b) => a - b)
    if (parseFloat(look.fontSize) < 18 && high / low < 4.5) found.push(`${own.slice(0, 40)}: ${(high / low).toFixed(1)}`)
  }
  return found
}"""


@pytest.fixture(scope="module")
def similarity(tiny: str) -> np.ndarray:
    """Of head A in the window that is shown."""
    return attn_core.analyze(text_of(CHOSEN["text"]), tiny, window=1).similarity(CHOSEN["a"])


class Map:
    """The first map of Heads, and the part of it that should be shown: its first row and column, its size in cells."""

    def __init__(self, tab: Watched, cells: int) -> None:
        self.mouse, self.keys = tab.page.mouse, tab.page.keyboard
        self.canvas, self.readout = tab.page.locator("canvas[role=application]").first, tab.page.locator("output").first
        self.canvas.scroll_into_view_if_needed()
        self.cells, self.part = cells, (0.0, 0.0, float(cells))
        box = self.canvas.bounding_box()
        assert box
        self.margin = round(min(max(box["width"] * 0.17, 56), 92))
        self.side, self.corner = box["width"] - self.margin - 12, (box["y"] + self.margin, box["x"] + self.margin)

    def point(self, down: float, right: float) -> None:
        """Point at a place, in shares of the side."""
        y, x = (start + part * self.side for start, part in zip(self.corner, (down, right), strict=True))
        self.mouse.move(x, y)

    def show(self, y: float, x: float, size: float) -> None:
        """Expect another part."""
        size = min(size, self.cells)
        self.part = *(min(max(start, 0), self.cells - size) for start in (y, x)), size

    def zoomed(self, factor: float, down: float = 0.5, right: float = 0.5) -> None:
        """Expect a zoom that keeps a place."""
        y, x, size = self.part
        self.show(y + down * size * (1 - factor), x + right * size * (1 - factor), size * factor)

    def check(self) -> None:
        """Two places of the map are the cells of the part that should be shown."""
        y, x, size = self.part
        for down, right in ((0.21, 0.47), (0.83, 0.62)):
            self.point(down, right)
            self.reads(int(y + down * size), int(x + right * size))

    def reads(self, row: int, column: int) -> None:
        expect(self.readout).to_contain_text(re.compile(rf"^row {row} .* column {column} "))


@pytest.fixture
def map_of_heads(tab: Watched, tiny: str, similarity: np.ndarray) -> Map:
    tab.open(f"Heads?{urlencode(CHOSEN | {'model': tiny})}")
    return Map(tab, len(similarity))


def test_a_map_zooms_moves_and_tells_the_cell_under_the_pointer(map_of_heads: Map, similarity: np.ndarray) -> None:
    shown = map_of_heads
    shown.check()
    told = READ.search(shown.readout.inner_text())
    assert told and float(told[3]) == pytest.approx(similarity[int(told[1]), int(told[2])], rel=1e-3)
    shown.canvas.focus()
    shown.keys.press("0")
    for _ in range(2):
        shown.keys.press("+")  # towards the cell that is pointed at
    row, column = int(told[1]) + 0.5, int(told[2]) + 0.5
    for _ in range(2):
        y, x, size = shown.part
        shown.zoomed(ZOOM, (row - y) / size, (column - x) / size)
    shown.check()
    shown.point(0.3, 0.6)
    shown.mouse.wheel(0, -100)
    shown.zoomed(exp(-1 / 4), 0.3, 0.6)
    shown.check()
    y, x, size = shown.part
    shown.point(0.5, 0.5)
    shown.mouse.down()
    shown.point(0.6, 0.3)
    shown.mouse.up()
    shown.show(y - 0.1 * size, x + 0.2 * size, size)
    shown.check()


def test_a_cell_is_picked_by_a_click_and_by_keys(map_of_heads: Map, tab: Watched) -> None:
    shown, at = map_of_heads, int(0.5 * map_of_heads.cells)
    shown.point(0.5, 0.5)
    shown.mouse.down()
    shown.mouse.up()
    tab.ready()
    shown.mouse.move(0, 0)
    shown.reads(at, at)  # the pick, which the other map has too
    shown.canvas.focus()
    for key in ("ArrowDown", "Shift+ArrowLeft", "Enter", "Escape"):
        shown.keys.press(key)
    tab.ready()
    shown.reads(at + 1, at - 10)
    expect(tab.page.locator("output").nth(1)).to_contain_text(re.compile(rf"^row {at + 1} .* column {at - 10} "))


def test_the_shaded_text_follows_the_pointer_and_keeps_a_pin(tab: Watched, tiny: str, similarity: np.ndarray) -> None:
    tab.open(f"?{urlencode(CHOSEN | {'model': tiny})}")
    words = tab.page.locator(".word")
    expect(words).to_have_count(len(similarity))

    def shades(at: int) -> None:
        row = np.where(np.arange(len(similarity)) == at, -np.inf, similarity[at])
        expect(words.nth(at)).to_have_class(re.compile(r"\bhere\b"))
        near = words.evaluate_all("all => all.flatMap((one, k) => one.classList.contains('close') ? [k] : [])")
        assert near == sorted(np.argsort(-row, kind="stable")[:5])

    for at in (5, 20):
        words.nth(at).hover()
        shades(at)
    words.nth(20).click()
    tab.page.mouse.move(0, 0)
    shades(20)
    tab.page.keyboard.press("ArrowRight")
    shades(21)
    tab.page.keyboard.press("Escape")
    expect(tab.page.get_by_text("Point at a token", exact=True)).to_be_visible()


@pytest.fixture(params=[(390, "dark"), (390, "light"), (1440, "dark")], ids=str)
def screen(request: pytest.FixtureRequest, chromium: Browser, dashboard: str) -> Iterator[Watched]:
    width, scheme = request.param
    context = chromium.new_context(viewport={"width": width, "height": 844}, color_scheme=scheme)
    yield watch(context.new_page(), dashboard)
    context.close()


@pytest.mark.timeout(600)
def test_every_page_is_whole_and_readable(screen: Watched, tiny: str) -> None:
    width = screen.page.viewport_size["width"]
    for page in PAGES:
        name = Path(page).stem.partition("_")[2].replace("Home", "")
        screen.open(f"{name}?{urlencode(CHOSEN | {'model': tiny})}")
        box = screen.page.locator("h1").bounding_box()
        assert box and box["x"] >= 0 and box["x"] + box["width"] <= width and 0 <= box["y"] < 300, name
        assert screen.page.evaluate("document.scrollingElement.scrollWidth") <= width, name
        assert screen.page.evaluate(FAINT) == [], name
