"""How many words a page shows before anything is unfolded: a page is seen, not read."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.ui.test_pages import opened

WORD = re.compile(r"[^\W\d_][\w'’-]*|\d[\d.,]*")
MARKUP = re.compile(
    r"<style.*?</style>|<[^>]+>|:material/\w+:|:\w+-badge|:(?:gray|small|red|green|blue|orange|violet)|\]\([^)]*\)",
    re.S,
)
FOLDED = ("expandable", "expander", "status")
# Words of the main part, tooltips and menus counted, on the first text: the most that a page may have. They had 4,922.
MOST = {
    "dashboard.py": 325, "pages/1_Heads.py": 275, "pages/2_Distances.py": 295, "pages/3_Specialization.py": 670,
    "pages/4_Anchor_tokens.py": 475, "pages/5_Segmentation.py": 340, "pages/7_Compare.py": 560,
}  # fmt: skip
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
def test_a_page_has_few_words_before_anything_is_unfolded(page: str) -> None:
    app = opened(page)
    assert not app.exception
    assert 50 < sum(1 for part in app.main.children.values() for _ in words(part)) <= MOST[page]


def test_all_pages_together_have_two_fifths_fewer_than_they_had() -> None:
    assert sum(MOST.values()) <= 0.6 * 4_922
