"""Every button, link and entry of the menu is pressed once, as the pages have them, and none ends in an exception.

Of those that say the same, such as what saves a figure, one is pressed.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, expect

from attn_core.__main__ import main
from tests.browser.conftest import PATIENCE, Watched, places, serving, watch

pytestmark = [pytest.mark.browser, pytest.mark.model, pytest.mark.long, pytest.mark.timeout(900)]
HOME = "Home"
PRESSED = """button:not([aria-label^="Help for"], [data-testid=stFileUploaderDropzone] *), summary, [role=menuitem],
  a[href]:not([target=_blank], [data-testid=stSidebarNavLink])"""
# Presses each button once, until none is left, a page breaks, or another one opens. What unfolds something is
# followed by what has come; the sidebar comes last, since it changes the page, and then what
# starts or deletes a run, of which the page shows no more.
PRESS = """async ([query, pressed, patience]) => {
  const here = location.pathname
  const settled = async () => {
    for (let still = 0, waited = 0; still < 6 && waited < patience; waited += 20) {
      await new Promise(done => setTimeout(done, 20))
      const app = document.querySelector("[data-testid=stApp][data-test-script-state=notRunning] h1")
      still = app && !document.querySelector("[data-testid=stSkeleton]") ? still + 1 : 0
    }
  }
  // Numbers and charts' descriptions are left out: buttons of heads lead to those of other heads without end.
  const name = one => {
    return [one.ariaLabel?.split(":")[0], one.innerText].join(" ").replace(/\\s+/g, " ").replace(/\\d+/g, "0").trim()
  }
  const rank = one =>
    one.closest("[data-testid=stPopoverBody]") ? 0
    : /start|delete|forget|collapse/i.test(name(one)) ? 3
    : one.closest("[data-testid=stSidebar]") ? 2 : 1
  for (;;) {
    await settled()
    const shown = document.querySelector("[data-testid=stException]")
    if (shown) return { pressed, exception: shown.innerText }
    if (location.pathname !== here) return { pressed, led: true }
    const waiting = [...document.querySelectorAll(query)].filter(one =>
      one.checkVisibility() && !one.disabled && !one.closest("details[open] > summary") && !pressed.includes(name(one)))
    if (!waiting.length) return { pressed }
    const next = waiting.reduce((best, one) => rank(one) < rank(best) ? one : best)
    pressed.push(name(next))
    next.click()
    // Streamlit forgets a file that is still being made when the page runs again.
    if (next.closest("[data-testid=stDownloadButton]")) await new Promise(done => setTimeout(done, 3000))
  }
}"""


@pytest.fixture
def furnished(chromium: Browser, runs: Path, tiny: str, tmp_path: Path) -> Iterator[Watched]:
    """A dashboard of its own, since its runs are deleted, with removed heads beside what the others' has."""
    folder = Path(shutil.copytree(runs, tmp_path / "runs"))
    removed = ["ablate", str(folder / "texts"), "--heads", "L1H1", "--model", tiny]
    assert main([*removed, "--out", str(folder / "ablations" / "mine")]) == 0
    with serving(tmp_path / "log", **places(folder)) as base:
        context = chromium.new_context(viewport={"width": 1440, "height": 1000}, accept_downloads=True)
        context.add_init_script("navigator.clipboard.writeText = async () => {}")  # which no script may without a hand
        yield watch(context.new_page(), base)
        context.close()
    assert "Traceback" not in (tmp_path / "log").read_text(encoding="utf-8")


def press_everything(tab: Watched, pressed: list[str]) -> None:
    address = tab.address()
    while True:
        found = tab.page.evaluate(PRESS, [PRESSED, pressed, PATIENCE])
        pressed[:] = found["pressed"]
        assert "exception" not in found, f"{pressed[-1]!r}, pressed on {address}: {found['exception']}"
        assert not tab.errors, f"{pressed[-1]!r}, pressed on {address}: {tab.errors}"
        if "led" not in found:
            break
        tab.page.goto(address)


def test_nothing_that_is_pressed_ends_in_an_exception(furnished: Watched, tiny: str) -> None:
    tab, pressed = furnished.open(f"?{urlencode({'model': tiny, 'text': 'A refrain'})}"), list[str]()
    entries = tab.page.get_by_test_id("stSidebarNavLink")
    first, *titles = entries.all_inner_texts()
    assert len(titles) == 9
    for title in [*titles, first]:
        press_everything(tab, pressed)
        entries.get_by_text(title, exact=True).dispatch_event("click")  # the sidebar may be folded
        expect(tab.page.locator("h1")).to_have_text(title if title != first else HOME)
    assert len(pressed) > 60 and tab.outside == []
