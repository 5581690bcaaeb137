"""Every choice survives link, menu, reload and menu again, on every page, in the address and on the screen."""

import re
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Watched, comes_to

pytestmark = [pytest.mark.browser, pytest.mark.model]
Choices = dict[str, str | list[str]]  # name in the address -> value

TEXTS = str(Path(__file__).parents[2] / "sample_texts")
SIDEBAR: Choices = {
    "text": "Six topics of uneven length", "window": "3", "layout": "separated", "control": "untrained twin",
    "measure": "cosine", "q": "2.5", "special": "false", "unit": "words", "a": "L2H3", "b": "L3H1", "revision": "mine",
}  # fmt: skip
OF_CORPUS = ("layout", "measure", "q", "special", "unit", "a", "revision")  # which reads no text
OWN: dict[str, Choices] = {
    "": {"by": "Same sentence"},
    "Heads": {"scale": "rank", "difference": "true"},
    "Distances": {"layer": "2", "sensitivity": "Same sentence", "open-sensitivity": "true"},
    "Specialization": {
        "method": "k-means", "clusters": "3", "role": "25", "x": "Same sentence", "y": "layer",
        "colour": "cluster", "size": "Same sentence", "open-clusters": "true",
    },
    "Anchor_tokens": {"anchor": "lift", "token": "a"},
    "Segmentation": {
        "method_a": "Optimal partition of head outputs", "method_b": "Even cuts", "number_a": "set by hand",
        "segments_a": "7", "segment_heads": ["L1H2", "L3H4"],
        "open-topics": "true", "paragraphs": "false",
    },
    "Corpus": {
        "study": "mine", "corpus_source": "A folder or file on this machine", "corpus_path": TEXTS,
        "corpus_documents": "a line", "corpus_language": "de", "study_name": "yours", "find-corpus": "tide",
        "everywhere-corpus": "true", "every_setting": "true", "study_windows": "4",
    },
    "Compare": {
        "b_numbers": "A refrain", "b_control": "shuffled text", "b_layout": "plain", "b_measure": "centred cosine",
        "compared": "Repetition", "controls": ["permuted twin"],
        "more": ["bert, words"],
    },
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
    beside = SIDEBAR if page != "Corpus" else {name: SIDEBAR[name] for name in OF_CORPUS}
    chosen = {name: value for name, value in (beside | OWN[page]).items() if name in wanted}
    if "control" in wanted:  # where A is a control, Compare offers no more: the choice waits in the address
        chosen.pop("controls", None)
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
def test_that_there_are_no_more_controls_beside_a_model_is_in_the_address_and_survives_a_reload(
    tab: Watched, tiny: str
) -> None:
    tab.open(f"Compare?{urlencode({'model': tiny, 'controls': ''})}")
    wanted = in_address(tab.page)
    for _ in range(2):
        check(tab, "Compare", wanted)
        reload(tab)


@pytest.mark.long
def test_what_is_changed_after_a_link_is_what_stays(tab: Watched, tiny: str) -> None:
    """Swap, then a reset to the default, then a click in the menu."""
    tab.open(f"Heads?{urlencode({'model': tiny, 'a': 'L2H3', 'b': 'L3H1', 'measure': 'cosine'})}")
    tab.page.get_by_role("button", name="Swap A and B").click()
    tab.page.wait_for_url(re.compile("a=L3H1"))
    tab.settings().page.get_by_role("radio", name="scalar product").click()
    expect(tab.page).not_to_have_url(re.compile("measure="))
    ready(tab)
    wanted, unchanged = {"model": [tiny], "a": ["L3H1"], "b": ["L2H3"]}, {"measure": "scalar product"}
    go_to(tab, "Distances")
    asks_for(tab, wanted)
    go_to(tab, "Heads")
    reload(tab)
    asks_for(tab, wanted)
    comes_to(tab.page, lambda: shown(tab, unchanged), unchanged)
