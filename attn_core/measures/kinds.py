"""The kind of each strong pair: the first of `KINDS` that applies to it.

Each pair has exactly one kind, so the shares of a head's kinds add up to 1.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from attn_core.head import Head
from attn_core.measures import pair_properties as properties
from attn_core.measures.examples import Pair
from attn_core.measures.frames import head_frame
from attn_core.measures.tally import Count
from attn_core.measures.token_coverage import NONE, TokenCoverage, touched
from attn_core.similarity.strong_pairs import StrongPairs
from attn_core.texts.passages import Passage

KINDS = ("separator", "neighbours", "repetition", "at the anchor", "same sentence", "across sentences")
ANCHOR, SENTENCE, ACROSS = (KINDS.index(kind) for kind in ("at the anchor", "same sentence", "across sentences"))
# The first kind whose bit is set, for every combination of bits; a lookup is ten times as fast as masks.
FIRST = np.array(
    [next((kind for kind in range(ACROSS) if bits >> kind & 1), ACROSS) for bits in range(1 << ACROSS)], dtype=np.uint8
)


def kinds_of(passage: Passage, first: np.ndarray, second: np.ndarray, anchors: np.ndarray | int) -> np.ndarray:
    """The kind of each pair, an index into `KINDS`.

    first, second: token positions. anchors: token id of the head's anchor, or `NONE`. All three are broadcast.
    """
    fits = (
        properties.separator(passage, first, second),
        properties.near(passage, first, second),
        properties.repetition(passage, first, second),
        properties.at_anchor(passage, first, second, anchors),
        properties.same_sentence(passage, first, second),
    )
    return FIRST.take(sum(fit.view(np.uint8) << kind for kind, fit in enumerate(fits)))


def anchors_within(coverage: TokenCoverage) -> np.ndarray:
    """The token id of every head's anchor in a window, (layer, head), or `NONE`. coverage: from `touched`."""
    anchors = coverage.anchors()
    return np.where(anchors == NONE, NONE, coverage.token_ids[anchors])


def kind_count(pairs: StrongPairs, coverage: TokenCoverage) -> Count:
    """The number of strong pairs of each kind, (layer, head, kind). Chance: the share of each kind among all P pairs.

    Anchors are those of the window, so that counts of windows can be added.
    """
    layers, heads, strong = pairs.shape
    kinds = kinds_of(pairs.passage, pairs.first, pairs.second, anchors_within(coverage)[..., None])
    row = len(KINDS) * np.arange(layers * heads)[:, None]
    counts = np.bincount((row + kinds.reshape(layers * heads, -1)).ravel(), minlength=row.size * len(KINDS))
    expected = _of_all_pairs(pairs, coverage) * (strong / len(pairs.all_pairs[0]))
    return Count(counts.reshape(layers, heads, -1), expected, strong)


def kind_table(shares: np.ndarray, chance: np.ndarray) -> pd.DataFrame:
    """One row per head and kind: layer, head, kind, share, chance_share. shares, chance: (layer, head, kind)."""
    kinds = np.broadcast_to(np.array(KINDS, dtype=object), shares.shape)
    return head_frame({"kind": kinds, "share": shares, "chance_share": chance}, *shares.shape)


def kind_examples(windows: Sequence[StrongPairs], head: Head) -> dict[str, Pair]:
    """The strongest pair of a head of each kind, in the order of `KINDS`; anchors are those of each window."""
    strongest: dict[int, tuple[float, Pair]] = {}
    for window in windows:
        first, second, similarity = window.first[head], window.second[head], window.similarity[head]
        alone = replace(window, **{n: getattr(window, n)[head][None, None] for n in ("first", "second", "similarity")})
        kinds = kinds_of(window.passage, first, second, anchors_within(touched(alone))[0, 0])
        for kind, at in zip(*np.unique(kinds, return_index=True), strict=True):
            if kind not in strongest or similarity[at] > strongest[kind][0]:
                strongest[kind] = similarity[at], (window.passage, int(first[at]), int(second[at]))
    return {KINDS[kind]: strongest[kind][1] for kind in sorted(strongest)}


def _of_all_pairs(pairs: StrongPairs, coverage: TokenCoverage) -> np.ndarray:
    """The number of all P pairs of each kind for each head, (layer, head, kind).

    Heads differ only in their anchors. A pair of the last two kinds has two different tokens, so the counts by token
    are the numbers of pairs that touch each anchor.
    """
    passage, (first, second), anchors = pairs.passage, pairs.all_pairs, coverage.anchors()
    kinds = kinds_of(passage, first, second, NONE).astype(np.intp)
    tokens = len(coverage.token_ids)
    number = np.searchsorted(coverage.token_ids, passage.token_ids)
    cells = [np.bincount(kinds * tokens + number.take(end), minlength=len(KINDS) * tokens) for end in (first, second)]
    touching = np.add(*cells).reshape(len(KINDS), tokens)
    counts = np.tile(np.bincount(kinds, minlength=len(KINDS)), (*anchors.shape, 1))
    for kind in (SENTENCE, ACROSS):
        taken = np.where(anchors == NONE, 0, touching[kind, anchors])
        counts[..., kind] -= taken
        counts[..., ANCHOR] += taken
    return counts
