"""The claims on the screen: their picture, and in a line why one holds, what is learned and what is language."""

import pandas as pd

from attn_core.charts.claims import claim_picture
from attn_core.ui.widgets import show

TITLE = "What becomes of the claims: effects with their 95% intervals among the bars"
BADGES = {"learned": ":green-badge", "language": ":blue-badge", "different": ":orange-badge"}


def show_picture(claims: pd.DataFrame, name: str, across: float = 1.0) -> None:
    """Rows of the claims as a picture. claims: as of `claims_table`."""
    show.chart(claim_picture(claims, across), f"claims-{name}", TITLE)


def badges(label: str) -> str:
    """The words of a label in their colours, as Markdown."""
    return " ".join(f"{BADGES.get(word, ':gray-badge')}[{word}]" for word in label.split("; "))
