"""How tables appear: every column in words, statistics with their unit."""

import numpy as np
import pandas as pd
import pytest

from attn_core.ui.widgets.show import _without_constants, aligned, share_column


def test_a_chance_level_that_is_the_same_in_every_row_is_a_sentence() -> None:
    table = pd.DataFrame({"share": [1.0, 2.0, 3.0], "chance_share": 18.14, "chance_other": [1.0, 2.0, 3.0]})
    settings = {"chance_share": share_column("chance")}
    shown, said = _without_constants(table, settings, None)
    assert list(shown) == ["share", "chance_other"] and said.replace("\\", "") == "The same in every row: chance 18.1%."
    for unlike in (_without_constants(table[:2], settings, None), _without_constants(table, settings, ["share"])):
        assert "chance_share" in unlike[0] and not unlike[1]


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ([2.9, -0.312], "%.2f"),
        ([17.23, 2.0], "%.1f"),
        ([4321.0, 0.5], "%.0f"),
        ([0.0123, np.nan], "%.4f"),
        ([0.0], "%.0f"),
        ([], "%.0f"),
    ],
)
def test_numbers_of_a_column_have_the_same_decimals(values: list[float], shown: str) -> None:
    assert aligned(pd.Series(values, dtype=float)) == shown
