"""The first minute: a server just started with a filled cache, Home in one tab, and at once another page."""

import os
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
STARTS = int(os.environ.get("STARTS", "1"))  # a race is found by many: `make trial` has three of each, but of a click
ONCE = {("tab", "Findings"), ("tab", "Interventions"), ("click", "Patterns"), ("busy", "Compare")}


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
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("way", "page"),
    [(way, page) for way in ("tab", "click", "busy") for page in PAGES if STARTS > 1 or (way, page) in ONCE],
)
def test_a_page_at_once(chromium: Browser, filled: Path, tmp_path: Path, page: str, way: str) -> None:
    """In a second tab, by a click in the menu, and in a second tab beside two busy loops."""
    with _busy(2 if way == "busy" else 0):
        for _ in range(1 if way == "click" else STARTS):
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
