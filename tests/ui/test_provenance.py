"""Two tables with different numbers never say that they come from the same choices."""

from typing import Any

import pandas as pd
import pytest

from attn_core.models.files import ModelSpec
from tests.ui.pages import opened

OF_THE_PAGE = [
    ("pages/4_Anchor_tokens.py", {"token": "full stop"}),
    ("pages/1_Heads.py", {"a": "L2H3"}),
    ("pages/8_Compare.py", {"compare_with": "shuffled text"}),
]
FOLDED = ("heads", "features", "curves", "best-matches", "layers", "statistics-of-two-heads", "around")
pytestmark = pytest.mark.model
Tables = dict[str, tuple[pd.DataFrame, dict[str, Any]]]


def run(page: str, saved: Tables, **address: str) -> Tables:
    saved.clear()
    opened(page, **{f"open-{table}": "true" for table in FOLDED} | address)
    return dict(saved)


@pytest.mark.parametrize(("page", "address"), OF_THE_PAGE)
def test_a_choice_that_changes_a_table_stands_in_it(
    page: str, address: dict[str, str], saved: Tables, tiny: ModelSpec
) -> None:
    usual = {"model": tiny.name, "text": "A refrain"}
    before, after = run(page, saved, **usual), run(page, saved, **usual | address)
    changed = [name for name in before if not before[name][0].equals(after[name][0])]
    assert changed
    for name in changed:
        told_before, told_after = ({**told, **_head(table)} for table, told in (before[name], after[name]))
        assert told_before != told_after, name


def _head(table: pd.DataFrame) -> dict[str, Any]:
    """The head that a table of one head, or of two, names in its columns."""
    named = {"layer", "head", "first_head", "second_head"} & set(table)
    return {column: tuple(table[column].unique()) for column in named if table[column].nunique() == 1}
