"""The choices of a link survive menu and reload, in the address and on the screen, and so do later changes."""

import re
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Watched, comes_to
from tests.browser.test_history import pick

pytestmark = [pytest.mark.browser, pytest.mark.model, pytest.mark.long]
Choices = dict[str, str | list[str]]  # name in the address -> value

SIDEBAR: Choices = {
    "text": "Six topics of uneven length", "window": "3", "layout": "separated", "control": "untrained copy",
    "measure": "cosine", "q": "2.5", "special": "false", "unit": "words", "a": "L2H3", "revision": "mine",
}  # fmt: skip
OWN: dict[str, Choices] = {
    "Patterns": {"pattern": "A rule of my own", "first": "a", "second": "t.*", "farthest": "9", "within": "false"},
    "Distances": {"open-sensitivity": "true"},
}


def in_address(tab: Watched) -> dict[str, list[str]]:
    return parse_qs(urlsplit(tab.page.url).query)


def check(tab: Watched, chosen: Choices, wanted: dict[str, list[str]]) -> None:
    """The address asks for all that is wanted, and the controls of the page show what is chosen."""
    tab.ready()
    assert tab.page.get_by_test_id("stException").count() == 0, tab.address()
    comes_to(tab.page, lambda: in_address(tab), wanted, tab.address())
    comes_to(tab.page, lambda: shown(tab, chosen), chosen, tab.address())
    assert "is not available; showing" not in tab.text()


def shown(tab: Watched, chosen: Choices) -> Choices:
    """What the controls of the same names show; of several things chosen at once, those among the ones asked for."""
    choices = tab.controls()
    return {
        name: [one for one in value if one in choices.get(name, [])]
        if isinstance(value, list)
        else choices.get(name, "")
        for name, value in chosen.items()
    }


def test_the_choices_of_a_link_go_through_menu_reload_and_change(tab: Watched, tiny: str) -> None:
    """Those of the sidebar stay in the address from page to page, a page's own on their page."""
    shared = urlencode({"model": tiny} | SIDEBAR, doseq=True)
    for page, own in OWN.items():
        tab.open(f"{page}?{shared}&{urlencode(own, doseq=True)}")
        check(tab, SIDEBAR | own, parse_qs(shared) | in_address(tab))
    tab.menu("Heads").leads_to("b=L")  # which the other pages do not have
    check(tab, SIDEBAR, parse_qs(shared) | {"b": in_address(tab)["b"]})
    tab.menu(page)
    comes_to(tab.page, lambda: shown(tab, own), own, tab.address())
    tab.menu("Heads")
    pick(tab, "a", "L1H2")
    tab.leads_to("a=L1H2")
    tab.settings().page.get_by_role("radio", name="scalar product").click()
    expect(tab.page).not_to_have_url(re.compile("measure="))  # a default has no place in an address
    changed = {name: value for name, value in parse_qs(shared).items() if name != "measure"} | {"a": ["L1H2"]}
    tab.ready().page.reload()
    check(tab, SIDEBAR | {"measure": "scalar product", "a": "L1H2"}, changed | {"b": in_address(tab)["b"]})


@pytest.mark.parametrize(("address", "title"), [("Findings", "Corpus"), ("Training", "Corpus"), ("Home", "Home")])
def test_an_address_that_is_not_of_the_menu_leads_to_its_page(tab: Watched, address: str, title: str) -> None:
    tab.open(address)
    expect(tab.page.locator("h1")).to_have_text(title)
