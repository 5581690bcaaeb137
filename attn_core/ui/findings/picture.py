"""The claims on the screen: their picture, and in a line why one holds, what is learned and what is language."""

from collections.abc import Callable, Sequence

import pandas as pd
import streamlit as st

from attn_core.charts.claims import claim_picture
from attn_core.ui.widgets import show
from attn_core.ui.widgets.escape import plain

TITLE = "What becomes of the claims: effects with their 95% intervals among the bars"
BADGES = {"learned": ":green-badge", "language": ":blue-badge", "different": ":orange-badge"}


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
    show.chart(claim_picture(rows, across), f"claims-{name}", TITLE, beside=beside)


def _rows_of(claims: pd.DataFrame, of: Sequence[str]) -> pd.Series:
    return claims["effect"][[not of or name.split()[0] in of for name in claims["name"]]]


def show_cause(name: str, label: str, sentence: str) -> None:
    """One line. name: of the row. label: as of `comparison.causes`. sentence: with the numbers that decide."""
    st.markdown(f"{badges(label)} **{plain(name)}.** {plain(sentence)}")


def badges(label: str) -> str:
    """The words of a label in their colours, as Markdown."""
    return " ".join(f"{BADGES.get(word, ':gray-badge')}[{word}]" for word in label.split("; "))
