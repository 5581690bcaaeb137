"""How tables appear: every column in words, statistics with their unit."""

import numpy as np
import pandas as pd
import pytest

from attn_core.ui.show import aligned, column_labels


def test_no_column_has_the_name_that_programs_give_it() -> None:
    columns = ["anchor_id", "layer", "mean_distance_low", "chance_head_overlap", "my_model-7B"]
    labels = column_labels(pd.DataFrame(columns=columns))
    assert {column: label["label"] for column, label in labels.items()} == {
        "anchor_id": "anchor id",
        "mean_distance_low": "Mean distance (95 % from)",
        "chance_head_overlap": "Strong pairs in common (chance)",
    }


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
