"""The shares of a layer's heads that show each behaviour the paper describes; every window has the same weight.

Random pairs hardly ever show one, so the chance level is 0; copies of the model are the baseline.
"""

import numpy as np

from attn_core.measures.few_pairs import MIN_PAIRS, is_above_chance
from attn_core.measures.repetition import beyond_one_token
from attn_core.measures.tally import Count, MeasuredWindow
from attn_core.measures.token_coverage import NEAREST, NONE, surroundings
from attn_core.similarity.strong_pairs import StrongPairs

SURROUNDING = 0.05  # share of a head's pairs around its anchor, beyond pairs of like distance; our choice


def share_counts(window: MeasuredWindow) -> dict[str, Count]:
    """The share of each layer's heads that repeat tokens, gather around a token, or have an anchor, (layer,) each; and
    the number of distinct anchors / heads.
    """
    coverage = window.touched
    strong, anchors = coverage.strong, coverage.anchors()
    repeated = beyond_one_token(window)
    around = beyond_like_distance(window.pairs, coverage.token_ids[coverage.most_covered_tokens()])
    heads = {
        "repeating_heads": is_above_chance(repeated.numerator / strong, repeated.chance / strong, strong),
        "gathering_heads": (strong >= MIN_PAIRS) & (around >= SURROUNDING),
        "anchored_heads": anchors != NONE,
    }
    shares = {name: having.mean(axis=1) for name, having in heads.items()}
    shares["anchor_uniqueness"] = distinct(anchors) / anchors.shape[1]
    return {name: Count(share, 0.0, 1.0) for name, share in shares.items()}


def distinct(anchors: np.ndarray) -> np.ndarray:
    """The number of distinct anchors of each layer, (layer,). anchors: (layer, head), not counting `NONE`."""
    ordered = np.sort(anchors, axis=1)
    new = np.diff(ordered, axis=1, prepend=NONE) != 0  # an anchor differs from NONE, so the first one is new
    return new.sum(axis=1)


def beyond_like_distance(pairs: StrongPairs, tokens: np.ndarray) -> np.ndarray:
    """The share of a head's strong pairs in the `surroundings` of its token, beyond chance, (layer, head).

    Chance: the same share of all pairs with the same distances. tokens: (layer, head), the token id of each head.
    """
    layers, heads, strong = pairs.shape
    ids, token = np.unique(tokens.ravel(), return_inverse=True)
    inside, able = surroundings(pairs, ids), pairs.eligible
    possible = np.array([(able[:-distance] & able[distance:]).sum() for distance in range(1, NEAREST + 1)])
    chance = inside.sum(axis=2) / np.maximum(possible, 1)
    near = np.flatnonzero(pairs.distance <= NEAREST)
    row, start, apart = near // strong, pairs.first.take(near), pairs.distance.take(near) - 1
    excess = inside[token[row], apart, start] - chance[token[row], apart]
    return (np.bincount(row, weights=excess, minlength=layers * heads) / strong).reshape(layers, heads)
