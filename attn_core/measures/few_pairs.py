"""Are there enough strong pairs to tell one head from another, and which share of the pairs would be enough?"""

from collections.abc import Sequence

import pandas as pd

from attn_core.measures.tally import MIN_PAIRS

STEP = 1000  # a share is offered in tenths of a percent


def too_few(heads: pd.DataFrame) -> bool:
    """Whether heads have fewer than `MIN_PAIRS` strong pairs each: luck alone would name one. heads: with a column pairs."""
    return bool((heads["pairs"] < MIN_PAIRS).any())


def enough_share(pairs: Sequence[int]) -> float:
    """The smallest share of the pairs that makes `MIN_PAIRS` strong a head; pairs: all that each window has."""
    wanted = -(-STEP * MIN_PAIRS // sum(pairs))
    while sum(max(1, round(wanted / STEP * one)) for one in pairs) < MIN_PAIRS and wanted < STEP:
        wanted += 1
    return wanted / STEP
