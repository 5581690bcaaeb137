"""Shares of the heads of a layer that do what the paper says of heads; windows weigh the same.

Random pairs make hardly any head one of these, so that chance is 0; copies of the model are the baseline.
"""

import numpy as np

from attn_core.measures.few_pairs import MIN_PAIRS, is_above_chance
from attn_core.measures.repetition import beyond_one_token
from attn_core.measures.tally import Count, Window
from attn_core.measures.token_coverage import NEAREST, NONE, TokenCoverage, surroundings
from attn_core.similarity.strong_pairs import StrongPairs

SURROUNDING = 0.05  # share of a head's pairs around its anchor, beyond pairs of like distance; our choice


def share_counts(window: Window, touching: TokenCoverage) -> dict[str, Count]:
    """The shares of each layer's heads that repeat tokens, that have 5 % of their pairs around a token and that have an
    anchor, and the number of distinct anchors over heads. touching: as of `touched`.
    """
    strong, leaders = touching.strong, touching.leaders()
    repeated = beyond_one_token(window)
    around = beyond_like_distance(window.pairs, touching.token_ids[leaders])
    heads = {
        "repeating_heads": is_above_chance(repeated.numerator / strong, repeated.chance / strong, strong),
        "gathering_heads": (strong >= MIN_PAIRS) & (around >= SURROUNDING),
        "anchored_heads": is_above_chance(touching.at(leaders), touching.chance_of_best, strong),
    }
    shares = {name: having.mean(axis=1) for name, having in heads.items()}
    shares["anchor_uniqueness"] = distinct(touching.anchors()) / leaders.shape[1]
    return {name: Count(share, 0.0, 1.0) for name, share in shares.items()}


def distinct(anchors: np.ndarray) -> np.ndarray:
    """The number of distinct anchors of each layer, (layer,). anchors: (layer, head), not counting `NONE`."""
    ordered = np.sort(anchors, axis=1)
    new = np.diff(ordered, axis=1, prepend=NONE) != 0  # no anchor is NONE, so that the first one is new
    return new.sum(axis=1)


def beyond_like_distance(pairs: StrongPairs, tokens: np.ndarray) -> np.ndarray:
    """The share of a head's strong pairs in the `surroundings` of its token, minus that of pairs of the same distances.

    tokens: (layer, head), the id of each head's token. Returns (layer, head).
    """
    layers, heads, strong = pairs.shape
    ids, token = np.unique(tokens.ravel(), return_inverse=True)
    inside, able = surroundings(pairs, ids), pairs.eligible
    possible = np.array([(able[:-distance] & able[distance:]).sum() for distance in range(1, NEAREST + 1)])
    chance = inside.sum(axis=2) / np.maximum(possible, 1)
    first, second = pairs.rows
    near = np.flatnonzero(second - first <= NEAREST)
    row, start = near // strong, first.take(near)
    apart = second.take(near) - start - 1
    excess = inside[token[row], apart, start] - chance[token[row], apart]
    return (np.bincount(row, weights=excess, minlength=layers * heads) / strong).reshape(layers, heads)
