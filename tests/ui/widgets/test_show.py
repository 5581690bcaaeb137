"""How tables appear: every column in words, statistics with their unit."""

import json

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

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


def test_shares_stand_in_percent_with_two_decimals_in_every_row() -> None:
    """On the screen; the file has them as they are."""

    def script() -> None:
        import pandas as pd

        from attn_core.ui.widgets import show

        frame = pd.DataFrame({"coverage": [0.24, 0.98297], "near_share": [0.5, 0.25], "head": [1, 2]})
        show.table(frame, "shares", show.shares("coverage"), provenance={})

    app = AppTest.from_function(script).run()
    assert not app.exception
    (table,) = app.dataframe
    assert table.value["coverage"].tolist() == pytest.approx([24, 98.297])
    assert table.value["near_share"].tolist() == [50, 25]
    assert table.value["head"].tolist() == [1, 2]
    formats = json.loads(table.proto.columns)
    assert formats["coverage"]["type_config"]["format"] == formats["near_share"]["type_config"]["format"] == "%.2f%%"
