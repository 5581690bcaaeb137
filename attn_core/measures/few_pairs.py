"""Are there enough strong pairs to tell one head from another, and which share of the pairs would be enough?"""

from collections.abc import Sequence

import pandas as pd

from attn_core.measures.tally import MIN_PAIRS
from attn_core.similarity.strong_pairs import number_of_strong_pairs

STEP = 1000  # a share is offered in tenths of a percent


def too_few(heads: pd.DataFrame) -> bool:
    """Whether heads have fewer than `MIN_PAIRS` strong pairs each: luck alone would name one. heads: with a column pairs."""
    return bool((heads["pairs"] < MIN_PAIRS).any())


def enough_share(pairs: Sequence[int]) -> float:
    """The smallest share of the pairs that makes `MIN_PAIRS` strong a head; pairs: all that each window has."""
    shares = (wanted / STEP for wanted in range(1, STEP))
    return next((q for q in shares if sum(number_of_strong_pairs(one, q) for one in pairs) >= MIN_PAIRS), 1.0)
