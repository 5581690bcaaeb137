"""Every choice survives link, menu, reload and menu again, in the address and on the screen."""

from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from playwright.sync_api import Browser

from attn_core.model_files import ModelSpec
from attn_core.study.corpus import Corpus
from attn_core.study.runner import run_study
from attn_core.ui import studies
from tests.browser.conftest import Watched, serving, watch
from tests.study.conftest import SMALL
from tests.study.made_up import write_corpus

pytestmark = [pytest.mark.browser, pytest.mark.model]
Choices = dict[str, tuple[str, str | list[str]]]  # label -> (name in the address, value)

SIDEBAR: Choices = {
    "Text": ("text", "Six topics of uneven length"),
    "Window": ("window", "3"),
    "Layout": ("layout", "separated"),
    "Similarity of head outputs": ("measure", "cosine"),
    "Strong pairs: strongest % of all pairs": ("q", "2.5"),
    "Special tokens may pair": ("special", "false"),
    "Head A": ("a", "L2H3"),
    "Head B": ("b", "L3H1"),
    "Revision": ("revision", "mine"),
}
OWN: dict[str, Choices] = {
    "Heads": {},
    "Distances": {"Layer": ("layer", "2"), "Statistic": ("sensitivity", "Same sentence")},
    "Corpus": {
        "Study": ("study", "mine"),
        "Texts": ("corpus_source", "A folder or file on this machine"),
        "In a text file, one text is": ("corpus_documents", "a line"),
    },
}
STATE = """() => {
  const found = {}
  const texts = (element, query) => [...element.querySelectorAll(query)].map(one => one.innerText.trim())
  const read = {
    stSelectbox: element => element.querySelector("input").value,
    stTextInput: element => element.querySelector("input").value,
    stCheckbox: element => String(element.querySelector("input").checked),
    stButtonGroup: element => texts(element, "[aria-checked=true]").join(),
    stSlider: element => String(Number(texts(element, "[data-testid=stSliderThumbValue]")[0])),
    stMultiSelect: element => element.innerText,
  }
  for (const [kind, value] of Object.entries(read))
    for (const element of document.querySelectorAll(`[data-testid=${kind}]`))
      found[element.querySelector("[data-testid=stWidgetLabel]").innerText.trim()] = value(element)
  return found
}"""


@pytest.fixture(scope="module")
def tiny(tiny_folder: Callable[[str], Path]) -> Path:
    return tiny_folder("bert")


@pytest.fixture(scope="module")
def with_a_study(tiny: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A dashboard that has a finished study, "mine"."""
    folder = tmp_path_factory.mktemp("links")
    corpus = write_corpus(folder / "texts", texts=6)
    run_study(Corpus(str(corpus)), ModelSpec(str(tiny)), folder / "studies" / "mine", SMALL)
    with serving(folder / "log", **{studies.ROOT: str(folder / "studies")}) as base:
        yield base


@pytest.fixture
def tab(chromium: Browser, with_a_study: str) -> Iterator[Watched]:
    context = chromium.new_context(viewport={"width": 1440, "height": 1000})
    watched = watch(context.new_page(), with_a_study)
    yield watched
    context.close()
    assert watched.errors == []


def link(page: str, model: Path) -> str:
    chosen = {"model": str(model), **dict([*SIDEBAR.values(), *OWN[page].values()])}
    return f"{page}?{urlencode(chosen, doseq=True)}"


def go_to(tab: Watched, page: str) -> None:
    """Click in the menu."""
    links = tab.page.get_by_test_id("stSidebarNavLink")
    (links.nth(0) if page == "" else links.filter(has_text=page.replace("_", " "))).click()
    tab.page.wait_for_url(f"{tab.base}/{page}?*")
    tab.page.wait_for_timeout(700)
    tab.ready()


def reload_on(tab: Watched, page: str) -> None:
    assert f"/{page}?" in tab.address()
    tab.page.reload()
    tab.ready()


def in_address(tab: Watched) -> dict[str, list[str]]:
    return parse_qs(urlsplit(tab.address()).query)


def check(tab: Watched, page: str, wanted: dict[str, list[str]]) -> None:
    """The address asks for what the first link did, and the widgets of the page show it."""
    where = tab.address()
    assert in_address(tab) == wanted, where
    tab.page.get_by_role("combobox", name="Head B").wait_for()  # the last in the sidebar
    state = tab.page.evaluate(STATE)
    assert tab.page.get_by_test_id("stException").count() == 0, where
    assert "which does not exist here" not in tab.text(), where
    for label, (name, value) in (SIDEBAR | OWN[page]).items():
        if name not in wanted:
            continue
        (shown,) = [shown for found, shown in state.items() if found == label or found.startswith(f"{label} (")]
        values = value if isinstance(value, list) else [value]
        assert all(one in shown for one in values) if isinstance(value, list) else shown == value, (where, label, shown)


@pytest.mark.parametrize("page", ["Heads", "Distances"])
def test_a_link_survives_the_menu_and_a_reload(tab: Watched, tiny: Path, page: str) -> None:
    """link -> menu -> reload -> menu back, with every control of the sidebar and of the page moved."""
    tab.open(link(page, tiny))
    wanted = in_address(tab)
    assert len(wanted) >= 1 + len(SIDEBAR) + len(OWN[page])
    check(tab, page, wanted)
    other = "Corpus" if page != "Corpus" else "Distances"
    for step in (go_to, reload_on):
        step(tab, other)
        check(tab, other, wanted)
    go_to(tab, page)
    check(tab, page, wanted)
