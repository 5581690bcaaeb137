"""Every choice survives link, menu, reload and menu again, on every page, in the address and on the screen."""

import re
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Watched, comes_to, watch
from tests.browser.test_history import pick

pytestmark = [pytest.mark.browser, pytest.mark.model]
Choices = dict[str, str | list[str]]  # name in the address -> value

TEXTS = str(Path(__file__).parents[2] / "sample_texts")
SIDEBAR: Choices = {
    "text": "Six topics of uneven length", "window": "3", "layout": "separated", "control": "untrained twin",
    "measure": "cosine", "q": "2.5", "special": "false", "unit": "words", "a": "L2H3", "b": "L3H1", "revision": "mine",
}  # fmt: skip
OWN: dict[str, Choices] = {
    "": {"by": "Same sentence"},
    "Heads": {"scale": "common"},
    "Distances": {"sensitivity": "Same sentence", "open-sensitivity": "true"},
    "Specialization": {
        "x": "Same sentence", "y": "layer", "colour": "cluster", "open-clusters": "true",
    },
    "Anchor_tokens": {"token": "a"},
    "Segmentation": {
        "method_a": "Optimal partition of head outputs", "method_b": "Even cuts", "number_a": "set by hand",
        "segments_a": "7", "open-topics": "true",
    },
    "Corpus": {
        "study": "mine", "corpus_source": "A folder or file on this machine", "corpus_path": TEXTS,
        "corpus_documents": "a line", "corpus_language": "de", "study_name": "yours", "find-corpus": "tide",
        "everywhere-corpus": "true",
    },
    "Compare": {
        "b_text": "A refrain", "b_control": "shuffled text", "b_layout": "plain", "b_measure": "centred cosine",
        "compared": "Repetition",
    },
    "Training": {"series_statistic": "Repetition"},
    "Findings": {"row": "C4 Common-token heads", "of_controls": ["untrained twin"]},
    "Patterns": {
        "pattern": "A rule of my own", "first": "a", "second": "t.*", "where": "before the first", "farthest": "9",
        "within": "false", "open-scores": "true", "scores": "mine",
        "seen_by": "scalar product", "value": "pointing accuracy", "of_head": "L2H2",
    },
}  # fmt: skip


def ready(tab: Watched) -> None:
    tab.ready()
    assert tab.page.get_by_test_id("stException").count() == 0, tab.address()


def go_to(tab: Watched, page: str) -> None:
    """Click in the menu."""
    links = tab.page.get_by_test_id("stSidebarNavLink")
    (links.nth(0) if page == "" else links.filter(has_text=page.replace("_", " "))).click()
    tab.page.wait_for_url(f"{tab.base}/{page}?*")
    ready(tab)


def reload(tab: Watched) -> None:
    tab.page.reload()
    ready(tab)


def in_address(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


def check(tab: Watched, page: str, wanted: dict[str, list[str]]) -> None:
    """The address asks for what the first link did, and the controls of the page show it."""
    beside = {} if page in ("Findings", "Training") else SIDEBAR  # which read no text
    chosen = {name: value for name, value in (beside | OWN[page]).items() if name in wanted}
    comes_to(
        tab.page, lambda: chosen.keys() - tab.controls(), set()
    )  # a page under load may stand still between its parts
    ready(tab)
    asks_for(tab, wanted)
    assert "which does not exist here" not in tab.text(), page
    comes_to(tab.page, lambda: shown(tab, chosen), chosen, page)


def shown(tab: Watched, chosen: Choices) -> Choices:
    """What the controls of the same names show; of several things chosen at once, those among the ones asked for."""
    choices = tab.controls()
    return {
        name: [one for one in value if one in choices.get(name, [])]
        if isinstance(value, list)
        else choices.get(name, "")
        for name, value in chosen.items()
    }


def asks_for(tab: Watched, wanted: dict[str, list[str]]) -> None:
    comes_to(tab.page, lambda: in_address(tab.page), wanted, tab.address())


@pytest.mark.long
def test_the_choices_of_all_pages_go_through_the_whole_menu_and_reloads(tab: Watched, tiny: str) -> None:
    every = {name: value for page in OWN.values() for name, value in page.items()}
    tab.open(f"Compare?{urlencode({'model': tiny} | SIDEBAR | every, doseq=True)}")
    wanted = in_address(tab.page)
    assert len(wanted) == 1 + len(SIDEBAR) + len(every)
    check(tab, "Compare", wanted)
    for number, page in enumerate([page for page in OWN if page != "Compare"]):
        go_to(tab, page)
        check(tab, page, wanted)
        if number % 3 == 0:
            reload(tab)
            check(tab, page, wanted)
    go_to(tab, "Compare")
    check(tab, "Compare", wanted)


@pytest.mark.long
def test_the_pairs_of_a_study_open_in_their_text(tab: Watched, tiny: str) -> None:
    tab.open(f"Corpus?{urlencode({'model': tiny})}")
    with tab.page.context.expect_page() as opened:
        tab.page.get_by_role("link", name="Open the text there").first.click()
    there = watch(opened.value, tab.base)
    ready(there)
    wanted = in_address(there.page)
    assert wanted["text"] == ["A text of a study"] and "pair" in wanted
    go_to(there, "Distances")
    reload(there)
    asks_for(there, wanted)


@pytest.mark.long
def test_what_is_changed_after_a_link_is_what_stays(tab: Watched, tiny: str) -> None:
    """Another head, then a reset to the default, then a click in the menu."""
    tab.open(f"Heads?{urlencode({'model': tiny, 'a': 'L2H3', 'b': 'L3H1', 'measure': 'cosine'})}")
    pick(tab, "a", "L1H2")
    tab.settings().page.get_by_role("radio", name="scalar product").click()
    expect(tab.page).not_to_have_url(re.compile("measure="))
    ready(tab)
    wanted, unchanged = {"model": [tiny], "a": ["L1H2"], "b": ["L3H1"]}, {"measure": "scalar product"}
    go_to(tab, "Distances")
    asks_for(tab, wanted)
    go_to(tab, "Heads")
    reload(tab)
    asks_for(tab, wanted)
    comes_to(tab.page, lambda: shown(tab, unchanged), unchanged)
