"""A running dashboard and a real browser. Without Chromium these tests are skipped, unless REQUIRE_BROWSER is set."""

import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

from attn_core.models.files import ModelSpec
from tests.served import served
from tests.ui.made_study import make_two_studies

ROOT = Path(__file__).parents[2]
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
PATIENCE = 60_000  # milliseconds for what will come, on however busy a machine
# For 0.7 s no script has run, and every part of the page has had its code.
STILL = """() => {
  const app = document.querySelector('[data-testid="stApp"][data-test-script-state="notRunning"]')
  const still = app?.querySelector("h1") && !app.querySelector('[data-testid="stSkeleton"]')
  window.stillSince = still ? (window.stillSince ?? performance.now()) : null
  return still && performance.now() - window.stillSince > 700
}"""
# What unfolds moves what stands in it: a button that is pressed there too soon is let go beside it.
UNFOLDED = """async group => {
  const frame = () => new Promise(requestAnimationFrame)
  const height = () => group.getBoundingClientRect().height
  for (let before = -1, still = 0; still < 10; before = height()) {
    await frame()
    still = height() === before ? still + 1 : 0
  }
}"""
CONTROLS = """() => {
  const values = {}
  const texts = (element, query) => [...element.querySelectorAll(query)].map(one => one.innerText.trim())
  const read = {
    stSelectbox: element => element.querySelector("input").value,
    stTextInput: element => element.querySelector("input").value,
    stNumberInput: element => element.querySelector("input").value,
    stCheckbox: element => String(element.querySelector("input").checked),
    stButtonGroup: element => texts(element, "[aria-checked=true], [aria-pressed=true]").join(),
    stSlider: element => String(Number(texts(element, "[data-testid=stSliderThumbValue]")[0])),
    stMultiSelect: element => element.innerText.split("\\n").map(one => one.trim()).filter(one => one),
  }
  for (const [kind, value] of Object.entries(read))
    for (const element of document.querySelectorAll(`[data-testid=${kind}]`)) {
      const key = [...element.closest("[class*=st-key-]").classList].find(name => name.startsWith("st-key-"))
      values[key.slice("st-key-".length)] = value(element)
    }
  for (const element of document.querySelectorAll("[class*=st-key-open-]")) {
    const key = [...element.classList].find(name => name.startsWith("st-key-open-"))
    values[key.slice("st-key-".length)] = String(element.querySelector("details").open)
  }
  return values
}"""
expect.set_options(timeout=PATIENCE)
# On a deep link Streamlit's own client asks for these below the page's path first, and then at the right place.
PROBES = re.compile(r"/_stcore/(health|host-config)$")


@dataclass
class Watched:
    """A page, with what must not happen on it: requests that leave the machine, console errors."""

    page: Page
    base: str
    outside: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def open(self, path: str = "") -> "Watched":
        self.page.goto(f"{self.base}/{path}")
        return self.ready()

    def ready(self) -> "Watched":
        """Wait until the page stands still."""
        self.page.evaluate("() => { window.stillSince = null }")
        self.page.wait_for_function(STILL, timeout=2 * PATIENCE)
        return self

    def shows(self, text: str) -> None:
        """Wait for a text on the page."""
        expect(self.page.get_by_test_id("stMain")).to_contain_text(text, use_inner_text=True)

    def leads_to(self, part: str) -> "Watched":
        """Wait until the address holds a pattern, and then for the page."""
        expect(self.page).to_have_url(re.compile(part))
        return self.ready()

    def menu(self, title: str) -> "Watched":
        """Click in the menu."""
        self.page.get_by_test_id("stSidebarNavLink").filter(has_text=title).click()
        expect(self.page.locator("h1")).to_have_text(title)
        return self.ready()

    def unfold(self, group: Locator) -> Locator:
        """Open what stands below a heading of its own."""
        if group.locator("details[open]").count() == 0:
            group.locator("summary").click()
            group.locator("details[open]").wait_for()
            group.evaluate(UNFOLDED)
        return group

    def settings(self) -> "Watched":
        """Unfold how the text is read."""
        self.unfold(self.page.locator(".st-key-how"))
        return self

    def controls(self) -> dict[str, str | list[str]]:
        """The value of every control by its name, those that are folded too."""
        self.settings()
        return self.page.evaluate(CONTROLS)

    def text(self) -> str:
        return self.page.inner_text('[data-testid="stMain"]')

    def address(self) -> str:
        return self.page.evaluate("location.href")


def comes_to(page: Page, read: Callable[[], object], wanted: object, what: str = "") -> None:
    """Wait until what is read is what is wanted; fails with what was read last."""
    end = time.monotonic() + PATIENCE / 1000
    while (now := read()) != wanted and time.monotonic() < end:
        page.wait_for_timeout(200)
    assert now == wanted, what


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        if os.environ.get("REQUIRE_BROWSER"):
            pytest.fail("REQUIRE_BROWSER is set and there is no Chromium on the PATH")
        pytest.skip("no Chromium on the PATH (Debian: apt-get install chromium)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def tiny(tiny_folder: Callable[[str], Path]) -> str:
    return str(tiny_folder("bert"))


@pytest.fixture(scope="session")
def runs(tiny: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two finished studies. Read them only."""
    return make_two_studies(ModelSpec(tiny), tmp_path_factory.mktemp("runs"))


def places(folder: Path) -> dict[str, str]:
    """What tells a dashboard where runs of every kind lie."""
    kinds = {"STUDIES": "studies", "ABLATIONS": "ablations"}
    return {f"ATTN_CORE_{kind}": str(folder / name) for kind, name in kinds.items()}


@pytest.fixture(scope="session")
def dashboard(runs: Path) -> Iterator[str]:
    """The address of a dashboard that runs for the whole test session, with those runs."""
    with serving(runs / "log", **places(runs)) as base:
        yield base


@contextmanager
def serving(log: Path, **environment: str) -> Iterator[str]:
    """Run a dashboard; yields its address."""
    with served(log, os.environ | environment) as one:
        yield one.base


@pytest.fixture
def tab(chromium: Browser, dashboard: str) -> Iterator[Watched]:
    """A fresh session in the browser; afterwards nothing has left the machine and the console is clean."""
    context = chromium.new_context(viewport={"width": 1440, "height": 1000}, accept_downloads=True)
    watched = watch(context.new_page(), dashboard)
    yield watched
    context.close()
    assert watched.outside == []
    assert watched.errors == []


def watch(page: Page, base: str) -> Watched:
    """Note what leaves the machine and what the console complains of."""
    watched = Watched(page, base)
    page.set_default_timeout(PATIENCE)

    def on_request(request: object) -> None:
        if not re.match(r"(https?|wss?)://127\.0\.0\.1[:/]|data:|blob:", request.url):  # type: ignore[attr-defined]
            watched.outside.append(request.url)  # type: ignore[attr-defined]

    def on_console(message: object) -> None:
        if message.type == "error" and not PROBES.search(message.location.get("url", "")):  # type: ignore[attr-defined]
            watched.errors.append(message.text)  # type: ignore[attr-defined]

    page.on("request", on_request)
    page.on("console", on_console)
    page.on("pageerror", lambda error: watched.errors.append(str(error)))
    return watched
