"""Are there enough strong pairs to tell one head from another, and which share of the pairs would be enough?"""

from collections.abc import Sequence

import pandas as pd

from attn_core.measures.tally import MIN_PAIRS
from attn_core.similarity.strong_pairs import number_of_strong_pairs

STEP = 1000  # a share is offered in tenths of a percent


def too_few(heads: pd.DataFrame) -> bool:
    """Whether windows have fewer than `MIN_PAIRS` strong pairs a head: luck alone would name one.

    heads: with the columns pairs and windows. Windows are counted together only where all of them have as many, or none has.
    """
    return bool((heads["pairs"] < MIN_PAIRS * heads["windows"]).any())


def enough_share(pairs: Sequence[int]) -> float:
    """The smallest share of the pairs that makes `MIN_PAIRS` strong a head in some window; pairs: all that each has."""
    shares = (wanted / STEP for wanted in range(1, STEP))
    return next((q for q in shares if number_of_strong_pairs(max(pairs), q) >= MIN_PAIRS), 1.0)


def describe_left_out(windows: int) -> str:
    """How many windows are not counted, as a sentence; empty where all are."""
    number = "One window is" if windows == 1 else f"{windows:,} windows are"
    return f"{number} left out, with fewer than {MIN_PAIRS} strong pairs a head." if windows else ""
