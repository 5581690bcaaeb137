"""A link, reload, back and forward: an entry of the browser's history for each page that was opened, as it was left."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Watched, comes_to

pytestmark = [pytest.mark.browser, pytest.mark.model]
CHOSEN = {
    "text": "Pronouns", "layout": "separated", "control": "untrained copy", "measure": "cosine", "q": "2.5",
    "special": "false", "unit": "words", "a": "L3H1", "revision": "mine",
}  # fmt: skip
RULE = {"pattern": "A rule of my own", "first": "a", "second": "t.*", "farthest": "9", "within": "false"}
ENTRIES = "() => [navigation.currentEntry.index, navigation.entries().map(entry => entry.url)]"


@dataclass(frozen=True)
class Shown:
    """What is seen of a page: its path and the choices of its address, its title, the value of every control."""

    path: str
    asked: dict[str, list[str]]
    title: str
    controls: dict[str, str | list[str]]


def shown(tab: Watched) -> Shown:
    address = urlsplit(tab.page.url)
    asked = parse_qs(address.query)
    return Shown(address.path, asked, tab.page.locator("h1").inner_text(), tab.controls())


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


def pick_button(tab: Watched, control: str, option: str) -> None:
    tab.page.locator(f".st-key-{control}").get_by_role("radio", name=option).click()
    tab.leads_to(f"[?&]{control}={option}")


def slide(tab: Watched, control: str, steps: int) -> None:
    thumb = tab.settings().page.locator(f".st-key-{control}").get_by_role("slider")
    for _ in range(steps):
        thumb.press("ArrowRight")
        tab.page.wait_for_timeout(300)  # each step is a run of its own
    tab.leads_to(f"[?&]{control}=")


def home(tab: Watched) -> None:
    tab.page.get_by_test_id("stSidebarNavLink").first.click()
    expect(tab.page.locator("h1")).to_have_text("Home")


STEPS: list[Callable[[Watched], object]] = [
    lambda tab: pick(tab, "text", "A refrain"),
    lambda tab: pick(tab, "a", "L2H3"),
    lambda tab: tab.menu("Specialization"),
    lambda tab: pick_button(tab, "colour", "cluster"),
    lambda tab: tab.menu("Heads"),
    lambda tab: pick(tab, "b", "L2H4"),
    lambda tab: slide(tab, "q", 4),
    home,
]
TITLES = ["Home", "Specialization", "Heads", "Home"]


@pytest.mark.long
def test_steps_are_walked_back_and_forth(tab: Watched, tiny: str) -> None:
    """From a link with choices of the sidebar, which stay from page to page."""
    tab.open(f"?{urlencode(CHOSEN | {'model': tiny})}")
    first, _ = entries(tab.page)
    left = {first: shown(tab)}
    assert CHOSEN.items() <= left[first].controls.items()
    for step in STEPS:
        before = entries(tab.page)[0]
        step(tab)
        tab.ready()
        here, urls = entries(tab.page)
        assert here - before <= 1, f"{here - before} entries: {urls}"
        left[here] = shown(tab)
    assert list(left) == list(range(first, len(urls))), urls
    assert [view.title for view in left.values()] == TITLES
    places = list(left)
    for place in [*reversed(places[:-1]), *places[1:]]:
        tab.page.go_back() if place < entries(tab.page)[0] else tab.page.go_forward()
        tab.ready()
        comes_to(tab.page, lambda: shown(tab), left[place], f"entry {place} of {urls}")
        assert entries(tab.page) == (place, urls)
    tab.page.reload()
    comes_to(tab.ready().page, lambda: shown(tab), left[place])


@pytest.mark.long
def test_the_choices_of_a_page_stay_on_it(tab: Watched, tiny: str) -> None:
    """A default has no place in the address."""
    tab.open(f"Patterns?{urlencode(RULE | {'model': tiny, 'text': 'A refrain', 'measure': 'cosine'})}")
    for _ in range(2):
        comes_to(tab.page, lambda: RULE.items() <= tab.controls().items(), True, tab.address())
        tab.menu("Heads")
        assert not RULE.keys() & parse_qs(urlsplit(tab.page.url).query).keys()
        tab.menu("Patterns")
    tab.settings().page.get_by_role("radio", name="scalar product").click()
    expect(tab.page).not_to_have_url(re.compile("measure="))


@pytest.mark.long
@pytest.mark.parametrize(("address", "title"), [("Findings", "Corpus"), ("Training", "Corpus"), ("Home", "Home")])
def test_an_address_that_is_not_of_the_menu_leads_to_its_page(tab: Watched, address: str, title: str) -> None:
    tab.open(address)
    expect(tab.page.locator("h1")).to_have_text(title)
