"""What does a head do in proportion? Each of its strong pairs is of one kind: the first of `KINDS` that fits it.

A role names the one property that stands out most; the kinds add up to all pairs, so that a head that repeats and has an
anchor shows both.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from attn_core.head import Head
from attn_core.measures import pair_properties as pairs
from attn_core.measures.examples import Pair, strongest_examples
from attn_core.measures.frames import head_index
from attn_core.measures.tally import Count
from attn_core.measures.token_coverage import NONE, TokenCoverage, touched
from attn_core.similarity.strong_pairs import StrongPairs
from attn_core.texts.passages import Passage

KINDS = ("separator", "neighbours", "repetition", "at the anchor", "same sentence", "across sentences")
ANCHOR, SENTENCE, ACROSS = (KINDS.index(kind) for kind in ("at the anchor", "same sentence", "across sentences"))
# The first kind among those whose bits are set: a table, since masks take ten times as long.
FIRST = np.array(
    [next((kind for kind in range(ACROSS) if bits >> kind & 1), ACROSS) for bits in range(1 << ACROSS)], dtype=np.uint8
)


def kinds_of(passage: Passage, first: np.ndarray, second: np.ndarray, anchors: np.ndarray | int) -> np.ndarray:
    """The kind of each pair, an index into `KINDS`. anchors: the id of the head's anchor, `NONE` where it has none.

    first, second: token positions; they and the anchors are broadcast against each other.
    """
    fits = (
        pairs.separator(passage, first, second),
        pairs.near(passage, first, second),
        pairs.repetition(passage, first, second),
        pairs.at_anchor(passage, first, second, anchors),
        pairs.same_sentence(passage, first, second),
    )
    return FIRST.take(sum(fit.view(np.uint8) << kind for kind, fit in enumerate(fits)))


def anchors_within(touching: TokenCoverage) -> np.ndarray:
    """The id of every head's anchor, (layer, head), `NONE` where it has none; touching: as of `touched`."""
    anchors = touching.anchors()
    return np.where(anchors == NONE, NONE, touching.token_ids[anchors])


def kind_count(window: StrongPairs, touching: TokenCoverage) -> Count:
    """Strong pairs of each kind, (layer, head, kind); chance: of all P pairs, with the anchor that the head has here.

    The anchor is the one within the window, so that windows add up.
    """
    layers, heads, strong = window.shape
    kinds = kinds_of(window.passage, window.first, window.second, anchors_within(touching)[..., None])
    row = len(KINDS) * np.arange(layers * heads)[:, None]
    counts = np.bincount((row + kinds.reshape(layers * heads, -1)).ravel(), minlength=row.size * len(KINDS))
    expected = _of_all_pairs(window, touching) * (strong / len(window.all_pairs[0]))
    return Count(counts.reshape(layers, heads, -1), expected, strong)


def kind_table(shares: np.ndarray, chance: np.ndarray) -> pd.DataFrame:
    """Columns layer, head, kind, share, chance_share, a row a head and kind; shares, chance: (layer, head, kind)."""
    layers, heads, kinds = shares.shape
    index = head_index(layers, heads)
    table = index.loc[np.repeat(index.index, kinds)].reset_index(drop=True)
    return table.assign(
        kind=np.tile(np.array(KINDS, dtype=object), layers * heads), share=shares.ravel(), chance_share=chance.ravel()
    )


def kinds_of_head(window: StrongPairs, head: Head) -> np.ndarray:
    """The kind of every strong pair of one head, (K,), with its anchor within the window."""
    alone = {name: getattr(window, name)[head][None, None] for name in ("first", "second", "similarity")}
    anchor = anchors_within(touched(replace(window, **alone)))
    return kinds_of(window.passage, window.first[head], window.second[head], anchor[0, 0])


def kind_examples(windows: Sequence[StrongPairs], head: Head) -> dict[str, Pair]:
    """The strongest pair of each kind that a head has, in the order of `KINDS`."""
    kinds = {id(window): kinds_of_head(window, head) for window in windows}

    def strongest(kind: int) -> list[Pair]:
        return strongest_examples(windows, head, lambda window: kinds[id(window)] == kind, number=1)

    return {kind: pair for number, kind in enumerate(KINDS) for pair in strongest(number)}


def _of_all_pairs(window: StrongPairs, touching: TokenCoverage) -> np.ndarray:
    """How many of all P pairs are of each kind for each head, (layer, head, kind).

    Heads differ by their anchors only. What is of a sentence or across sentences touches two different tokens, since
    repetitions come before: so one count by token tells how many of them each anchor takes.
    """
    positions = np.flatnonzero(window.eligible)
    everywhere = kinds_of(window.passage, positions[:, None], positions, NONE)
    everywhere[np.tri(len(positions), dtype=bool)] = len(KINDS)  # the diagonal and what lies below are no pairs
    anchors = touching.anchors()
    counts = np.tile(np.bincount(everywhere.ravel(), minlength=len(KINDS))[: len(KINDS)], (*anchors.shape, 1))
    at = np.searchsorted(touching.token_ids, window.passage.token_ids[positions])
    for kind in (SENTENCE, ACROSS):
        here = everywhere == kind
        of_tokens = np.bincount(at, weights=here.sum(axis=0) + here.sum(axis=1), minlength=len(touching.token_ids))
        taken = np.where(anchors == NONE, 0, of_tokens[anchors]).astype(np.int64)
        counts[..., kind] -= taken
        counts[..., ANCHOR] += taken
    return counts
