"""Back and forward: an entry of the browser's history for each page that was opened, each as the page was left."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from attn_core.texts.own_texts import first_words
from tests.browser.conftest import Watched, comes_to, serving, watch
from tests.browser.test_journeys import paste

pytestmark = [pytest.mark.browser, pytest.mark.model]
KEPT = "The buoy is loose. The pilot sees the buoy, and the tide takes it. Nobody on the pier sees the pilot."
ENTRIES = "() => [navigation.currentEntry.index, navigation.entries().map(entry => entry.url)]"


@dataclass(frozen=True)
class Shown:
    """What is seen of a page: its path and the choices of its address, its title, the value of every control."""

    path: str
    asked: dict[str, list[str]]
    title: str
    controls: dict[str, object]


def shown(tab: Watched) -> Shown:
    address = urlsplit(tab.page.url)
    asked, controls = parse_qs(address.query), tab.controls()
    return Shown(address.path, asked, tab.page.locator("h1").inner_text(), controls)


def entries(page: Page) -> tuple[int, list[str]]:
    """The place of the present entry, and the addresses of all."""
    here, urls = page.evaluate(ENTRIES)
    return here, urls


def pick(tab: Watched, control: str, option: str) -> None:
    box = tab.page.locator(f".st-key-{control}").get_by_role("combobox")
    box.click()
    box.fill(option)
    tab.page.get_by_role("option", name=option, exact=True).click()
    tab.leads_to(f"[?&]{control}=")


def press(tab: Watched, control: str, option: str) -> None:
    tab.settings().page.locator(f".st-key-{control}").get_by_role("radio", name=option).click()
    tab.leads_to(f"[?&]{control}=")


def slide(tab: Watched, control: str, steps: int) -> None:
    thumb = tab.settings().page.locator(f".st-key-{control}").get_by_role("slider")
    for _ in range(steps):
        thumb.press("ArrowRight")
        tab.page.wait_for_timeout(300)  # each step is a run of its own
    tab.leads_to(f"[?&]{control}=")


def home(tab: Watched) -> None:
    tab.page.get_by_test_id("stSidebarNavLink").first.click()
    expect(tab.page.locator("h1")).to_have_text("What attention heads make alike")


STEPS: list[Callable[[Watched], object]] = [
    lambda tab: pick(tab, "text", "A refrain"),
    lambda tab: press(tab, "measure", "centred cosine"),
    lambda tab: pick(tab, "a", "L2H3"),
    lambda tab: tab.menu("Specialization"),
    lambda tab: pick(tab, "colour", "cluster"),
    lambda tab: tab.menu("Heads"),
    lambda tab: pick(tab, "b", "L2H4"),
    lambda tab: slide(tab, "q", 4),
    home,
    lambda tab: tab.menu("Distances"),
    lambda tab: pick(tab, "text", "Six topics of uneven length"),
]
TITLES = ["What attention heads make alike", "Specialization", "Heads", "What attention heads make alike", "Distances"]


@pytest.mark.long
def test_steps_are_walked_back_and_forth(tab: Watched) -> None:
    tab.open()
    first, _ = entries(tab.page)
    left = {first: shown(tab)}
    for step in STEPS:
        before = entries(tab.page)[0]
        step(tab)
        tab.ready()
        here, urls = entries(tab.page)
        assert here - before <= 1, f"{here - before} entries: {urls}"
        left[here] = shown(tab)
    assert list(left) == list(range(first, len(urls))), urls
    assert [view.title for view in left.values()] == TITLES
    for view in list(left.values())[:-1]:
        assert {"text", "measure", "a"} <= view.asked.keys()
    places = list(left)
    for place in [*reversed(places[:-1]), *places[1:]]:
        goes_to(tab, place)
        comes_to(tab.page, lambda: shown(tab), left[place], f"entry {place} of {urls}")
        assert entries(tab.page) == (place, urls)


def goes_to(tab: Watched, place: int) -> None:
    """Back or forward by one entry."""
    back = place < entries(tab.page)[0]
    tab.page.go_back() if back else tab.page.go_forward()
    tab.ready()


@pytest.mark.long
def test_a_pasted_text_is_found_by_reload_back_and_a_bookmark_after_a_restart(
    tab: Watched, chromium: Browser, tmp_path: Path
) -> None:
    tab.open()
    paste(tab, KEPT)
    bookmark = urlsplit(tab.address())
    tab.page.reload()
    has_the_text(tab, first_words(KEPT))
    tab.menu("Distances")
    has_the_text(tab, first_words(KEPT))
    tab.page.go_back()
    has_the_text(tab, first_words(KEPT))
    with serving(tmp_path / "log") as base:  # another process with the same home, as after a restart
        again = watch(chromium.new_page(), base).open(f"?{bookmark.query}")
        has_the_text(again, first_words(KEPT))
        again.page.close()


def has_the_text(tab: Watched, name: str) -> None:
    tab.shows(name)
    tab.ready()
    expect(tab.page.get_by_label("Paste or type a text")).to_have_value(KEPT)
    comes_to(tab.page, lambda: parse_qs(urlsplit(tab.page.url).query).get("mine", [""])[0].partition(" · ")[0], name)
