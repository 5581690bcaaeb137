"""Whole numbers: what is one, and what is not however long it is."""

import pytest

from attn_core.given import whole_number


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("007", 7), (str(2**63 - 1), 2**63 - 1)])
def test_digits_are_a_number(text: str, number: int) -> None:
    assert whole_number(text) == number


@pytest.mark.parametrize("text", ["", "-1", "+1", "1.0", " 1", "1e3", "²", "١", str(2**63), "9" * 5000, "x"])
def test_all_else_is_none(text: str) -> None:
    assert whole_number(text) is None
