"""What every page stands in: a link past the sidebar, Home by its name, settings that are told when folded, room for firmness."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Watched

pytestmark = [pytest.mark.browser, pytest.mark.model]


def test_one_tab_and_enter_skip_the_sidebar(tab: Watched) -> None:
    tab.open("?text=A+refrain")
    address = tab.address()
    tab.page.keyboard.press("Tab")
    expect(tab.page.get_by_role("link", name="Skip to the page")).to_be_focused()
    tab.page.keyboard.press("Enter")
    tab.page.keyboard.press("Tab")
    assert tab.page.evaluate("() => !!document.activeElement.closest('[data-testid=\"stMain\"]')")
    assert tab.address() == address


def test_home_is_called_home_on_every_page(tab: Watched) -> None:
    tab.open("Distances?text=A+refrain")
    link = tab.page.get_by_test_id("stSidebarNavLink").first
    expect(link).to_have_text("Home")
    assert "dashboard" not in link.inner_html().replace("/dashboard", "")


def test_the_folded_settings_are_told_and_bound_to_the_address(tab: Watched) -> None:
    tab.open("?text=A+refrain&measure=cosine&q=3&special=false")
    expect(tab.page.locator(".st-key-how summary")).to_contain_text(
        "plain, cosine, strongest 3 %, no special tokens, tokens"
    )
    tab.settings().page.locator(".st-key-unit").get_by_role("radio", name="words").click()
    tab.leads_to("unit=words").leads_to("measure=cosine")
    expect(tab.page.locator(".st-key-how summary")).to_contain_text("no special tokens, words")


def test_what_firmness_says_moves_no_line_of_a_finding_that_is_open(tab: Watched) -> None:
    tab.open("?text=A+refrain")
    tab.page.locator("summary").filter(has_text="C2").click()
    firm = tab.page.locator(".st-key-firm-C2")
    firm.wait_for()
    low = firm.evaluate("each => parseFloat(getComputedStyle(each).minHeight)")
    assert low >= 2 * firm.evaluate("each => parseFloat(getComputedStyle(each.querySelector('p')).lineHeight)")
