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
# Words below 18 px with less than 4.5 : 1 contrast to what is behind them, those of disabled controls aside.
FAINT = """() => {
  const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true })
  const laid = (colour, below) => { // of a colour that may be seen through, on another
    for (const paint of [`rgb(${below})`, colour]) pen.fillStyle = paint, pen.fillRect(0, 0, 1, 1)
    return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3)
  }
  const behind = one => one ? laid(getComputedStyle(one).backgroundColor, behind(one.parentElement)) : [255, 255, 255]
  const linear = part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  const light = rgb => [0.2126, 0.7152, 0.0722].reduce((sum, weight, k) => sum + weight * linear(rgb[k] / 255), 0.05)
  const contrast = one => {
    const ground = behind(one), [low, high] = [laid(getComputedStyle(one).color, ground), ground].map(light).sort()
    return high / low
  }
  const words = one => [...one.childNodes].filter(node => node.nodeType === 3).map(node => node.data).join("").trim()
  return [...document.querySelectorAll("[data-testid=stMain] :is(h2, h3, p, li, label, button, summary)")]
    .filter(one => words(one) && one.checkVisibility({ opacityProperty: true }) && !one.closest(":disabled"))
    .filter(one => parseFloat(getComputedStyle(one).fontSize) < 18 && contrast(one) < 4.5)
    .map(one => `${words(one).slice(0, 40)}: ${contrast(one).toFixed(1)}`)
}"""


@pytest.fixture(scope="module")
def similarity(tiny: str) -> np.ndarray:
    """Of head A in the window that is shown."""
    return attn_core.analyze(text_of(CHOSEN["text"]), tiny, window=1).similarity(CHOSEN["a"])


class Map:
    """The first map of Heads, and the part of it that should be shown: its first row and column, its size in cells."""

    def __init__(self, tab: Watched, cells: int) -> None:
        self.mouse, self.readout = tab.page.mouse, tab.page.locator("output").first
        self.canvas = tab.page.locator("canvas[role=application]").first
        self.canvas.scroll_into_view_if_needed()
        self.cells, self.part = cells, (0.0, 0.0, float(cells))

    def point(self, down: float, right: float) -> None:
        """Point at a place, in shares of the side, wherever the map stands now."""
        box = self.canvas.bounding_box()
        assert box
        margin = round(min(max(box["width"] * 0.17, 56), 92))
        side = box["width"] - margin - 12
        self.mouse.move(box["x"] + margin + right * side, box["y"] + margin + down * side)

    def reads(self, row: int, column: int) -> None:
        expect(self.readout).to_contain_text(re.compile(rf"^row {row} .* column {column} "))

    def check(self, y: float, x: float, size: float) -> None:
        """That the part begins at row y and column x, or where the map ends: by two places of it."""
        self.part = *(min(max(start, 0), self.cells - size) for start in (y, x)), size
        for down, right in ((0.21, 0.47), (0.83, 0.62)):
            self.point(down, right)
            self.reads(*(int(start + part * size) for start, part in zip(self.part, (down, right), strict=False)))

    def check_zoom(self, factor: float, down: float = 0.5, right: float = 0.5) -> None:
        """That a place stayed where it was as the part became smaller."""
        y, x, size = self.part
        self.check(y + down * size * (1 - factor), x + right * size * (1 - factor), size * factor)


@pytest.fixture
def matrix(tab: Watched, tiny: str, similarity: np.ndarray) -> Map:
    return Map(tab.open(f"Heads?{urlencode(CHOSEN | {'model': tiny})}"), len(similarity))


def test_a_map_zooms_moves_and_tells_the_cell_under_the_pointer(
    matrix: Map, tab: Watched, similarity: np.ndarray
) -> None:
    matrix.check(*matrix.part)
    row, column, value = re.findall(r"(?:row|column|·) (-?[\d.e-]+)(?= |$)", matrix.readout.inner_text())
    assert float(value) == pytest.approx(similarity[int(row), int(column)], rel=1e-3)
    tab.page.get_by_role("button", name="Zoom in").click()
    matrix.check_zoom(0.7)
    matrix.canvas.focus()
    matrix.point(0.3, 0.6)
    matrix.mouse.wheel(0, -100)
    matrix.check_zoom(exp(-1 / 4), 0.3, 0.6)
    y, x, size = matrix.part
    matrix.point(0.5, 0.5)
    matrix.mouse.down()
    matrix.point(0.6, 0.3)
    matrix.mouse.up()
    matrix.check(y - 0.1 * size, x + 0.2 * size, size)
    tab.page.keyboard.press("0")
    matrix.check(0, 0, len(similarity))


def test_a_cell_is_picked_by_a_click_and_by_keys(matrix: Map, tab: Watched) -> None:
    matrix.point(0.5, 0.5)
    matrix.mouse.down()
    matrix.mouse.up()
    tab.ready().page.mouse.move(0, 0)
    matrix.reads(at := matrix.cells // 2, at)
    matrix.canvas.focus()
    for key in ("ArrowDown", "Shift+ArrowLeft", "Enter", "Escape"):
        tab.page.keyboard.press(key)
    tab.ready()
    matrix.reads(at + 1, at - 10)
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
    assert screen.errors == []
