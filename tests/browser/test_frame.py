"""What every page stands in: a link past the sidebar, Home by its name, folded settings told, room for firmness, height."""

import re

import pytest
from playwright.sync_api import expect

from attn_core.findings.bars import Verdict
from attn_core.findings.robustness import Tried, others
from attn_core.similarity.strong_pairs import Settings
from attn_core.ui.findings.firmness import firm_in_words
from tests.browser.conftest import ROOT, Watched
from tests.quick import quick_only

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
        "Over many texts": ["Corpus", "Findings", "Training"],
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


@pytest.mark.long
def test_the_longest_that_firmness_says_moves_no_line_of_a_finding_that_is_open(tab: Watched, tiny: str) -> None:
    chosen = Settings()
    verdict: Verdict = "unlike the paper"
    ways = [Tried(way, (), tuple((one, verdict) for one in settings)) for way, settings in others(chosen).items()]
    tab.open(f"?text=A+refrain&open-rows=true&model={tiny}")
    tab.page.locator("summary").filter(has_text="Shorter later").click()
    firm = tab.page.locator(".st-key-firm-later_reach")
    firm.wait_for()
    for width in (1440, 1280, 900):
        tab.page.set_viewport_size({"width": width, "height": 1000})
        before, after = firm.evaluate(LENGTHENED, firm_in_words(ways).replace("*", ""))
        assert after == before, width


# The height of what firmness says, as it is and as long as it may become.
LENGTHENED = """async (place, longest) => {
  await new Promise(requestAnimationFrame)
  const height = () => place.getBoundingClientRect().height, before = height()
  let words = place.querySelector("p")
  while (words.firstElementChild) words = words.firstElementChild
  const told = words.textContent
  words.textContent = longest
  const after = height()
  words.textContent = told
  return [before, after]
}"""
PAGES = [re.sub(r"^\d+_", "", file.stem) for file in sorted((ROOT / "pages").glob("*.py"))]
TALLEST = 2_200  # pixels at 1440; in a picture of the page, 120 lie below it
TALLER = {"Heads": 2_600, "Compare": 2_600, "Corpus": 2_300}  # which have matrices, or all rows of the claims


ANSWERS = {
    "": "too short to say",
    "Heads": "Numbers and rules",
    "Distances": "Numbers and rules",
    "Specialization": "Numbers and rules",
    "Anchor_tokens": "Numbers and rules",
    "Segmentation": "Numbers and rules",
    "Corpus": "Late layers pair within a sentence",
    "Compare": "Unrelated tokens are as alike",
    "Patterns": "before any attention",
    "Interventions": "Change of the sentence embedding",
    "Findings": "What most choices",
    "Training": "Half of the heads have their role since",
}
FIRST_FIGURE = """() => {
  const main = document.querySelector('[data-testid="stMain"]')
  const inside = [...main.querySelectorAll("*")].flatMap(each => [...(each.shadowRoot?.querySelectorAll("canvas") ?? [])])
  const boxes = [...main.querySelectorAll('[data-testid="stVegaLiteChart"]'), ...inside].map(each => each.getBoundingClientRect())
  return Math.min(...boxes.filter(box => box.height > 100).map(box => box.bottom))
}"""  # where a chart ends, or a matrix, which is drawn in a component of its own


@pytest.mark.parametrize("path", quick_only(["", *PAGES], ""))
def test_the_answer_and_the_main_figure_stand_on_the_first_of_three_screens(tab: Watched, path: str) -> None:
    tab.open(path)
    tab.page.wait_for_function(f"({FIRST_FIGURE})() < Infinity")  # a chart is drawn a moment after its page stands
    assert tab.page.evaluate(FIRST_FIGURE) <= 1000
    answer = tab.page.get_by_test_id("stMain").get_by_text(ANSWERS[path]).first.bounding_box()
    assert answer and answer["y"] + answer["height"] <= 1000
    height = tab.page.get_by_test_id("stMainBlockContainer").evaluate("each => each.scrollHeight")
    assert height <= TALLER.get(path, TALLEST)


@pytest.mark.long
@pytest.mark.parametrize("row", ["C1 Own matrices", "C4 Repetition"])
def test_findings_of_four_models_are_no_taller(tab: Watched, row: str) -> None:
    tab.open(f"Findings?reproduction=four&row={row.replace(' ', '+')}")
    assert tab.page.get_by_test_id("stMainBlockContainer").evaluate("each => each.scrollHeight") <= TALLEST
