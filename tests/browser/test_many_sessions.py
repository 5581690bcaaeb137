"""Sessions at once: every one saves the table that it sees."""

import csv
from functools import partial
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Download

from tests.browser.conftest import PATIENCE, watch

pytestmark = [pytest.mark.browser, pytest.mark.model]
SESSIONS = 4  # with 20 it came through too, and took minutes
# The page begins to run again as another table is unfolded, and the button that stands on it is pressed meanwhile.
PRESS = """() => {
  document.querySelector(".st-key-open-distances summary").click()
  document.querySelector(".st-key-open-layers [data-testid=stDownloadButton] button").click()
}"""


AGAIN = """() => document.querySelector(".st-key-open-layers [data-testid=stDownloadButton] button").click()"""


@pytest.mark.long
@pytest.mark.timeout(900)
def test_a_table_that_is_shown_is_saved_by_every_session(
    chromium: Browser, dashboard: str, tiny: str, tmp_path: Path
) -> None:
    contexts = [chromium.new_context(accept_downloads=True) for _ in range(SESSIONS)]
    tabs = [watch(context.new_page(), dashboard) for context in contexts]
    saved: list[list[Download]] = [[] for _ in tabs]
    for at, tab in enumerate(tabs):
        tab.page.on("download", partial(saved[at].append))
        asked = {"model": tiny, "text": "A refrain", "q": f"{1 + at / 10:g}", "open-layers": "true"}
        tab.page.goto(f"{dashboard}/Distances?{urlencode(asked)}", wait_until="commit")
    for tab in tabs:
        tab.ready()
    for tab in tabs:
        tab.page.evaluate(PRESS)
    for tab, files in zip(tabs, saved, strict=True):
        for second in range(4 * PATIENCE // 1000):  # all pages run at once, on however few cores
            if files:
                break
            tab.page.wait_for_timeout(1000)
            if second % 30 == 29:  # a press that fell between two runs of the page is made again, as anybody would
                tab.page.evaluate(AGAIN)
    for at, files in enumerate(saved):
        assert files, f"session {at + 1} of {SESSIONS} got no file; {tabs[at].errors}"
        files[0].save_as(tmp_path / f"{at}.csv")
        with (tmp_path / f"{at}.csv").open(newline="", encoding="utf-8") as stream:
            shares = {round(float(row["share"]), 6) for row in csv.DictReader(stream)}
        assert shares == {round((10 + at) / 1000, 6)}, f"session {at + 1} saved another one's table"
    for tab in tabs:
        assert tab.errors == []
    for context in contexts:
        context.close()
