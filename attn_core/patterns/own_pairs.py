"""Pairs of the reader's own, by where they stand or by what they read, as every head sees them: Patterns in Python."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from attn_core.analysis.one_text import Analysis
from attn_core.errors import InputError
from attn_core.models.head_outputs import as_array
from attn_core.patterns.pair_scores import score_table
from attn_core.patterns.scores import percentiles
from attn_core.similarity.context_similarity import context_similarity

Place = int | str


def score_pairs(analysis: Analysis, pairs: Sequence[tuple[Place, Place]], window: int | None = None) -> pd.DataFrame:
    """How much more alike pairs of your own are than pairs of the same window at like distance, one row a head.

    pairs: of positions, rows of the window's `tokens` from 0, or of words: each place of the first with each of the second.
    window: its number in the text, from 1; only where several were read.

    Columns layer, head, pairs, score (the mean percentile of the pairs among those of like distance, in the measure of the
    analysis) and chance_score (0.5). Raises InputError for a position or a word that the window has not, and for no pair at all.

    >>> attn_core.score_pairs(analysis, [("tide", "it"), (1, 5)])[["layer", "head", "pairs"]].head(2)
       layer  head  pairs
    0      1     1      2
    1      1     2      2
    """
    z, tokens = as_array(analysis.output(window).z), analysis.tokens
    known = tokens.loc[tokens["window"] == (window or tokens["window"].iloc[0]), "token"].tolist()
    places = list(
        dict.fromkeys(
            (min(one, other), max(one, other))
            for first, second in pairs
            for one in _places(first, known)
            for other in _places(second, known)
            if one != other
        )
    )
    if not places:
        raise InputError("There is no pair to score: give positions, or words, of two different tokens.")
    marked, measure = np.array(places), analysis.settings.measure
    score = np.stack([percentiles(context_similarity(layer, measure), marked).mean(axis=-1) for layer in z])
    return score_table(len(places), score)


def _places(named: Place, tokens: Sequence[str]) -> list[int]:
    """Where it stands among the tokens of a window."""
    if isinstance(named, str):
        if found := [at for at, token in enumerate(tokens) if token.lower() == named.lower()]:
            return found
        raise InputError(
            f"The window has no token {named[:80]!r}: look at `tokens`; a word of several tokens is one with "
            "`unit='words'`."
        )
    if not 0 <= named < len(tokens):
        raise InputError(f"Position {named} is not in the window, whose tokens are 0 to {len(tokens) - 1}.")
    return [named]
