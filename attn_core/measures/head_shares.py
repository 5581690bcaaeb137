"""How many heads of a layer do what the paper says of heads? Every head counts once per window, and windows weigh the same.

Random pairs make hardly any head one of these: chance is 0, and what matters is what copies of the model give.
"""

import numpy as np

from attn_core.measures.few_pairs import MIN_PAIRS, is_above_chance
from attn_core.measures.repetition import beyond_one_token
from attn_core.measures.tally import Count, Window
from attn_core.measures.token_coverage import CONTEXT, NEAREST, NONE, TokenCoverage
from attn_core.similarity.strong_pairs import StrongPairs

# Share of a head's pairs in the surroundings of its anchor, beyond pairs of like distance; our choice.
SURROUNDING = 0.05


def share_counts(window: Window, touching: TokenCoverage) -> dict[str, Count]:
    """By layer, the shares of heads that repeat tokens, that gather in the surroundings of a token, and that have an anchor;
    and distinct anchors over heads. touching: as of `touched`.
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
    """Distinct anchors of every layer, (layer,); anchors: (layer, head), an index or an id of each, `NONE` does not count."""
    ordered = np.sort(anchors, axis=1)
    new = np.diff(ordered, axis=1, prepend=NONE) != 0  # no anchor is NONE, so that the first one is new
    return new.sum(axis=1)


def beyond_like_distance(pairs: StrongPairs, tokens: np.ndarray) -> np.ndarray:
    """The share of each head's strong pairs in the surroundings of one occurrence of its token, less that of pairs of the same
    distances, (layer, head); tokens: (layer, head), an id of each.

    A pair is in the surroundings of an occurrence where both its tokens are at most `CONTEXT` from it.
    """
    layers, heads, strong = pairs.shape
    ids, token = np.unique(tokens.ravel(), return_inverse=True)
    inside, possible = _in_surroundings(pairs, ids)
    chance = inside.sum(axis=1) / np.maximum(possible.sum(axis=0), 1)
    first, second = pairs.rows
    near = np.flatnonzero(second - first <= NEAREST)
    row, start = near // strong, first.take(near)
    apart = second.take(near) - start - 1
    excess = inside[token[row], start, apart] - chance[token[row], apart]
    return (np.bincount(row, weights=excess, minlength=layers * heads) / strong).reshape(layers, heads)


def _in_surroundings(pairs: StrongPairs, ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which pairs of tokens at most `NEAREST` apart are in the surroundings of an occurrence of each token, (token, N, distance
    from 1 on), and which may pair at all, (N, distance).
    """
    size, eligible = len(pairs.passage), pairs.eligible
    first, distance = np.arange(size)[:, None], np.arange(1, NEAREST + 1)
    second = np.minimum(first + distance, size - 1)
    possible = (first + distance < size) & eligible[:, None] & eligible[second]
    occurrences = (pairs.passage.token_ids == ids[:, None]) & eligible
    before = np.pad(occurrences.cumsum(axis=1), [(0, 0), (1, 0)])
    begin, end = np.maximum(second - CONTEXT, 0), np.minimum(first + CONTEXT + 1, size)
    return possible & (before[:, end] > before[:, begin]), possible
