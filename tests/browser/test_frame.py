"""What every page stands in: a link past the sidebar, Home by its name, folded settings told."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Watched

pytestmark = [pytest.mark.browser, pytest.mark.model]


MENU = """() => [...document.querySelectorAll('[data-testid="stSidebarNavItems"] > li')].map(
  each => [getComputedStyle(each, "::before").content, each.innerText.trim()]
)"""


@pytest.mark.long
def test_one_tab_and_enter_skip_the_sidebar(tab: Watched, tiny: str) -> None:
    tab.open(f"?text=A+refrain&model={tiny}")
    address = tab.address()
    tab.page.keyboard.press("Tab")
    expect(tab.page.get_by_role("link", name="Skip to the page")).to_be_focused()
    tab.page.keyboard.press("Enter")
    tab.page.keyboard.press("Tab")
    assert tab.page.evaluate("() => !!document.activeElement.closest('[data-testid=\"stMain\"]')")
    assert tab.address() == address


def test_home_is_called_home_and_the_menu_stands_in_three_groups_on_every_page(tab: Watched, tiny: str) -> None:
    tab.open(f"Distances?text=A+refrain&model={tiny}")
    link = tab.page.get_by_test_id("stSidebarNavLink").first
    expect(link).to_have_text("Home")
    assert "dashboard" not in link.inner_html().replace("/dashboard", "")
    groups: dict[str, list[str]] = {}
    for heading, page in tab.page.evaluate(MENU):
        groups.setdefault(heading.strip('"') if heading != "none" else list(groups)[-1], []).append(page)
    assert groups == {
        "This text": ["Home", "Heads", "Distances", "Specialization", "Anchor tokens", "Segmentation", "Patterns"],
        "What follows": ["Interventions", "Compare"],
        "Over many texts": ["Corpus"],
    }


@pytest.mark.long
def test_the_folded_settings_are_told_and_bound_to_the_address(tab: Watched, tiny: str) -> None:
    tab.open(f"?text=A+refrain&measure=cosine&q=3&special=false&model={tiny}")
    expect(tab.page.locator(".st-key-how summary")).to_contain_text(
        "plain, cosine, strongest 3%, no special tokens, tokens"
    )
    tab.settings().page.locator(".st-key-unit").get_by_role("radio", name="words").click()
    tab.leads_to("unit=words").leads_to("measure=cosine")
    expect(tab.page.locator(".st-key-how summary")).to_contain_text("no special tokens, words")
