"""The scores summed up: each number from rows that are written out."""

import pandas as pd

from attn_core.segmentation.scores import render


def test_a_row_holds_the_means_over_texts() -> None:
    rows = {
        "collection": "texts", "text": "one", "method": "even_cuts", "number_given": False, "segments": [8, 13, 40, 10],
        "gold_segments": 10, "pk": [0.1, 0.1, 0.3, 0.3], "windowdiff": 0.5, "f1": 0.75,
    }  # fmt: skip
    assert "| texts | even_cuts | found | 0.200 | 0.500 | 0.750 | 17.8 of 10.0 |" in render(pd.DataFrame(rows))
