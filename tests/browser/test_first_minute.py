"""The first minute: a server just started with a filled cache, Home in one tab, and at once another page."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from attn_core.io import disk_cache
from tests.browser.conftest import ROOT, serving, watch

pytestmark = [pytest.mark.browser, pytest.mark.model]
PAGES = ("Findings", "Interventions", "Patterns", "Compare")  # which bring torch along
LOOP = "while True: pass"


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache as the installation leaves it: the first text is read from it, without torch."""
    cache = tmp_path_factory.mktemp("cache")
    command = [sys.executable, "-m", "attn_core", "cache", "--first"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(disk_cache.VARIABLE, str(cache))
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return cache


@pytest.mark.long
@pytest.mark.timeout(600)
def test_a_page_in_a_second_tab(chromium: Browser, filled: Path, tmp_path: Path) -> None:
    _two_at_once(chromium, filled, tmp_path, "Findings", click=False)


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("way", ["tab", "click", "busy"])
def test_a_page_at_once(chromium: Browser, filled: Path, tmp_path: Path, page: str, way: str) -> None:
    """Three starts each in a second tab, three more beside two busy loops, one by a click in the menu."""
    with _busy(2 if way == "busy" else 0):
        for _ in range(1 if way == "click" else 3):
            _two_at_once(chromium, filled, tmp_path, page, click=way == "click")


@contextmanager
def _busy(loops: int) -> Iterator[None]:
    running = [subprocess.Popen([sys.executable, "-c", LOOP]) for _ in range(loops)]
    try:
        yield
    finally:
        for loop in running:
            loop.kill()
            loop.wait()


def _two_at_once(chromium: Browser, filled: Path, tmp_path: Path, page: str, click: bool) -> None:
    log = tmp_path / "log"
    with serving(log, **{disk_cache.VARIABLE: str(filled), "HOME": str(tmp_path)}) as base:
        context = chromium.new_context(viewport={"width": 1440, "height": 1000})
        first = watch(context.new_page(), base)
        first.page.goto(base)
        expect(first.page.locator("h1")).to_be_visible()
        if click:
            first.page.get_by_test_id("stSidebarNavLink").filter(has_text=page).click()
            tabs = [first]
        else:
            tabs = [first, watch(context.new_page(), base)]
            tabs[1].page.goto(f"{base}/{page}")
        expect(tabs[-1].page.locator("h1")).to_have_text(page)
        for tab in tabs:
            tab.ready()
            expect(tab.page.get_by_test_id("stException")).to_have_count(0)
            assert tab.errors == []
        context.close()
    assert "Traceback" not in (said := log.read_text()), said
