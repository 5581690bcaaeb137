"""How tables appear: every column in words, statistics with their unit."""

import pandas as pd

from attn_core.ui.show import column_labels


def test_no_column_has_the_name_that_programs_give_it() -> None:
    columns = ["anchor_id", "layer", "mean_distance_low", "chance_head_overlap", "my_model-7B"]
    labels = column_labels(pd.DataFrame(columns=columns))
    assert {column: label["label"] for column, label in labels.items()} == {
        "anchor_id": "anchor id",
        "mean_distance_low": "Mean distance (95 % from)",
        "chance_head_overlap": "Strong pairs in common (chance)",
    }
