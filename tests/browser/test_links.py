"""The choices of a link survive menu and reload, in the address and on the screen, and so does what is changed after it."""

import re
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from playwright.sync_api import expect

<<<<<<< HEAD
from tests.browser.conftest import Watched, comes_to
=======
from tests.browser.conftest import Watched, comes_to, watch
from tests.browser.test_history import pick
>>>>>>> main

pytestmark = [pytest.mark.browser, pytest.mark.model, pytest.mark.long]
Choices = dict[str, str | list[str]]  # name in the address -> value

SIDEBAR: Choices = {
    "text": "Six topics of uneven length", "window": "3", "layout": "separated", "control": "untrained twin",
    "measure": "cosine", "q": "2.5", "special": "false", "unit": "words", "a": "L2H3", "b": "L3H1", "revision": "mine",
}  # fmt: skip
OWN: dict[str, Choices] = {
<<<<<<< HEAD
    "Heads": {"scale": "rank", "difference": "true"},
    "Segmentation": {
        "method_a": "Optimal partition of head outputs", "method_b": "Even cuts", "number_a": "set by hand",
        "segments_a": "7", "segment_heads": ["L1H2", "L3H4"], "paragraphs": "false",
    },
=======
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
>>>>>>> main
    "Patterns": {
        "pattern": "A rule of my own", "first": "a", "second": "t.*", "farthest": "9", "within": "false",
        "seen_by": "scalar product", "of_head": "L2H2",
    },
    "Distances": {"layer": "2", "sensitivity": "Same sentence", "open-sensitivity": "true"},
}  # fmt: skip


def in_address(tab: Watched) -> dict[str, list[str]]:
    return parse_qs(urlsplit(tab.page.url).query)


def check(tab: Watched, chosen: Choices, wanted: dict[str, list[str]]) -> None:
    """The address asks for all that is wanted, and the controls of the page show what is chosen."""
    tab.ready()
    assert tab.page.get_by_test_id("stException").count() == 0, tab.address()
<<<<<<< HEAD
    comes_to(tab.page, lambda: in_address(tab), wanted, tab.address())
    comes_to(tab.page, lambda: shown(tab, chosen), chosen, tab.address())
    assert "which does not exist here" not in tab.text()
=======


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
>>>>>>> main


def shown(tab: Watched, chosen: Choices) -> Choices:
    """What the controls of the same names show; of several things chosen at once, those among the ones asked for."""
    choices = tab.controls()
    return {
        name: [one for one in value if one in choices.get(name, [])]
        if isinstance(value, list)
        else choices.get(name, "")
        for name, value in chosen.items()
    }


def test_the_choices_of_all_pages_go_through_menu_reload_and_change(tab: Watched, tiny: str) -> None:
    every = {name: value for page in OWN.values() for name, value in page.items()}
    tab.open(f"Heads?{urlencode({'model': tiny} | SIDEBAR | every, doseq=True)}")
    wanted = in_address(tab)
    assert len(wanted) == 1 + len(SIDEBAR) + len(every)
<<<<<<< HEAD
    for page in OWN:
        if page != "Heads":
            tab.menu(page)
        check(tab, SIDEBAR | OWN[page], wanted)
    tab.page.reload()
    check(tab, SIDEBAR | OWN["Distances"], wanted)
    tab.menu("Heads")
    tab.page.get_by_role("button", name="Swap A and B").click()
    tab.page.wait_for_url(re.compile("a=L3H1"))
    tab.settings().page.get_by_role("radio", name="scalar product").click()
    expect(tab.page).not_to_have_url(re.compile("measure="))  # a default has no place in an address
    changed = {name: value for name, value in wanted.items() if name != "measure"} | {"a": ["L3H1"], "b": ["L2H3"]}
    tab.ready().page.reload()
    check(tab, SIDEBAR | OWN["Heads"] | {"measure": "scalar product", "a": "L3H1", "b": "L2H3"}, changed)
=======
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
>>>>>>> main
