"""Repeated pairs: strong pairs of two occurrences of the same token.

A head that repeats a single token, such as "the", has an anchor. Repetition therefore leaves out the token that a head
repeats most in a window. That token is selected from the same pairs, so random pairs are below chance on average.
"""

import numpy as np

from attn_core.measures.tally import Count, MeasuredWindow
from attn_core.measures.token_coverage import TokenCoverage

NAMED = 3  # tokens that a head repeats


def beyond_one_token(window: MeasuredWindow) -> Count:
    """The share of repeated pairs without the token that a head repeats most. Chance: the same over all pairs."""
    twice = window.repeated
    most = twice.most_covered_tokens()
    of_most = np.take_along_axis(twice.pairs, most[..., None], axis=-1)[..., 0]
    return Count(twice.pairs.sum(axis=-1) - of_most, twice.expected.sum() - twice.expected[most], twice.strong)


def repeated_tokens(twice: TokenCoverage) -> np.ndarray:
    """The `NAMED` tokens that each head repeats most, joined by blanks, (layer, head)."""
    layers, heads, _ = twice.pairs.shape
    order = twice.ranking()[..., :NAMED]
    found = np.take_along_axis(twice.pairs, order, axis=-1) > 0
    names = np.array(twice.tokens, dtype=object)[order]
    named = [
        " ".join(some[has]) for some, has in zip(*(a.reshape(layers * heads, -1) for a in (names, found)), strict=True)
    ]
    return np.array(named, dtype=object).reshape(layers, heads)
