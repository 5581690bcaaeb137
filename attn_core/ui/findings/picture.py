"""The picture of the claims on the screen."""

from collections.abc import Callable, Sequence

import pandas as pd

from attn_core.charts.claims import claim_picture
from attn_core.ui.widgets import show

TITLE = "What becomes of the claims: effects with their 95 % intervals among the bars"


def show_picture(
    claims: pd.DataFrame,
    name: str,
    across: float = 1.0,
    of: Sequence[str] = (),
    beside: Callable[[], None] | None = None,
) -> None:
    """Rows of the claims as a picture. claims: as of `claims_table`; of: which claims, all where there are none. beside: as of
    `show.chart`."""
    rows = claims[claims["effect"].isin(_rows_of(claims, of))].reset_index(drop=True)
    show.chart(claim_picture(rows, across), f"claims-{name}", TITLE, across=across, beside=beside)


def _rows_of(claims: pd.DataFrame, of: Sequence[str]) -> pd.Series:
    return claims["effect"][[not of or name.split()[0] in of for name in claims["name"]]]
