"""How tables appear: every column in words, statistics with their unit."""

import numpy as np
import pandas as pd
import pytest

from attn_core.ui.widgets.show import aligned


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
