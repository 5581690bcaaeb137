"""How many words a page shows before anything is unfolded: a page is seen, not read."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.ui.pages import PAGES, opened
from tests.ui.test_pages import is_whole

WORD = re.compile(r"[^\W\d_][\w'’-]*|\d[\d.,]*")
MARKUP = re.compile(
    r"<style.*?</style>|<[^>]+>|:material/\w+:|:\w+-badge|:(?:gray|small|red|green|blue|orange|violet)|\]\([^)]*\)",
    re.S,
)
FOLDED = ("expandable", "expander", "status")
# Words of a page with its sidebar, tooltips and menus counted, on the first text: the most that it may have.
MOST = {
    "dashboard.py": 400, "pages/1_Heads.py": 360, "pages/2_Distances.py": 300, "pages/3_Specialization.py": 540,
    "pages/4_Anchor_tokens.py": 450, "pages/5_Segmentation.py": 250, "pages/6_Patterns.py": 520,
    "pages/7_Interventions.py": 530, "pages/8_Compare.py": 530, "pages/9_Corpus.py": 220, "pages/10_Findings.py": 450,
    "pages/11_Training.py": 430,
}  # fmt: skip
BEFORE = 9_445  # that all of them had together, before pages were seen rather than read
pytestmark = [pytest.mark.model, pytest.mark.long]


def words(node: Any) -> Iterator[str]:
    """All that is read of a part of a page; of what is folded its label."""
    if node.type == "html":
        return
    proto = getattr(node, "proto", None)
    for name in ("body", "label", "help", "text", "delta"):
        if isinstance(text := getattr(proto, name, ""), str):
            yield from WORD.findall(MARKUP.sub(" ", text))
    if node.type in FOLDED and not getattr(proto, "expanded", True):
        return
    for child in getattr(node, "children", {}).values():
        yield from words(child)


@pytest.mark.parametrize("page", MOST)
def test_a_page_is_whole_at_the_first_start_and_has_few_words_before_anything_is_unfolded(page: str) -> None:
    app = opened(page)
    is_whole(page, app)
    parts = [*app.main.children.values(), *app.sidebar.children.values()]
    assert 50 < sum(1 for part in parts for _ in words(part)) <= MOST[page]


def test_all_pages_are_held_and_have_two_fifths_fewer_words_than_they_had() -> None:
    assert MOST.keys() == set(PAGES)
    assert sum(MOST.values()) <= 0.6 * BEFORE
