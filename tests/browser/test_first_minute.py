"""The first minute: a server that was just started, Home in one tab, and at once another page in a second tab."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import serving, watch

pytestmark = [pytest.mark.browser, pytest.mark.model]
# Two threads that import transformers at once may meet in a half-made module in a few starts.
PAGES = ("Interventions", "Patterns")  # which use it in ways of their own


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_a_second_page_at_once(chromium: Browser, tmp_path: Path) -> None:
    for page in PAGES:
        with serving(tmp_path / "log", HOME=str(tmp_path)) as base:
            context = chromium.new_context(viewport={"width": 1440, "height": 1000})
            tabs = [watch(context.new_page(), base) for _ in range(2)]
            tabs[0].page.goto(base, wait_until="commit")
            tabs[1].page.goto(f"{base}/{page}", wait_until="commit")
            for tab in tabs:
                expect(tab.page.locator("h1")).to_be_visible()
                tab.ready()
                expect(tab.page.get_by_test_id("stException")).to_have_count(0)
                assert tab.errors == []
            context.close()
        assert "Traceback" not in (said := (tmp_path / "log").read_text()), said
