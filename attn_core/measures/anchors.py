"""Tables of anchors. The anchor of a head is the token that touches the most of its strong pairs.

The token is the best of hundreds, so there are two chance levels: `chance_anchor_coverage` of the most common token,
and `chance_token_coverage` of the token itself. An anchor's coverage is 10 % above the first (our choice).
"""

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pandas as pd

from attn_core.measures.examples import snippet
from attn_core.measures.frames import head_frame
from attn_core.measures.tally import Count
from attn_core.measures.token_coverage import NONE, TokenCoverage
from attn_core.similarity.strong_pairs import StrongPairs
from attn_core.texts.languages import is_little
from attn_core.texts.passages import in_brackets

RUNNERS_UP = 10


def anchor_table(coverage: TokenCoverage) -> pd.DataFrame:
    """The tokens of largest coverage of every head that has pairs, one row per head and rank.

    chance_coverage: the chance level of the most common token at rank 1, of the second most common at rank 2, and so
    on. chance_token_coverage: the chance level of the token. lift: coverage / chance_token_coverage. is_anchor: whether
    the token is the head's anchor. shared_in_layer: the number of other heads of the layer with this anchor.
    """
    layers, heads, size = coverage.shares.shape
    order = coverage.ranking()[..., : min(RUNNERS_UP, size)]
    anchors = coverage.anchors()
    depth = order.shape[-1]
    own = order == anchors[..., None]
    in_layer = (order[..., None] == anchors[:, None, None, :]).sum(axis=-1) - own
    columns = {
        "rank": np.tile(np.arange(1, depth + 1), layers * heads),
        "token": np.array(coverage.tokens, dtype=object)[order],
        "token_id": coverage.token_ids[order],
        "is_anchor": own,
        "occurrences": coverage.occurrences[order],
        "coverage": np.take_along_axis(coverage.shares, order, axis=-1),
        "chance_coverage": np.tile(np.sort(coverage.chance)[::-1][:depth], layers * heads),
        "chance_token_coverage": coverage.chance[order],
        "lift": np.take_along_axis(coverage.lift, order, axis=-1),
        "shared_in_layer": in_layer,
    }
    has_pairs = coverage.has_pairs.ravel().repeat(depth)
    return head_frame(columns, *order.shape)[has_pairs].reset_index(drop=True)


def anchor_columns(coverage: TokenCoverage) -> dict[str, np.ndarray | float]:
    """The columns of the heads table that describe anchors, (layer, head) each.

    A head without an anchor has an empty name, the id `NONE`, and the coverage of its token of largest coverage, NaN if
    it has no pairs.
    """
    leaders, has = coverage.most_covered_tokens(), coverage.anchors() != NONE
    names = np.array(coverage.tokens, dtype=object)
    return {
        "anchor": np.where(has, names[leaders], ""),
        "anchor_id": np.where(has, coverage.token_ids[leaders], NONE),
        "anchor_is_separator": has & coverage.is_separator[leaders],
        "anchor_coverage": np.where(coverage.has_pairs, coverage.at(leaders), np.nan),
        "chance_anchor_coverage": coverage.chance_of_best,
        "chance_token_coverage": coverage.chance[leaders],
    }


def token_labels(windows: Sequence[StrongPairs]) -> dict[int, str]:
    """A mapping from token id to label: the token, or, for a part of a word, its most frequent word: (cher)ries.

    The part has its own case, so that tokens of a cased model that differ in case have different labels.
    """
    names: dict[int, str] = {}
    found: dict[int, Counter[tuple[str, str, str]]] = {}
    for passage in (window.passage for window in windows):
        for position, (token_id, token) in enumerate(zip(passage.token_ids.tolist(), passage.tokens, strict=True)):
            names[token_id] = token
            before, piece, after = map(str.casefold, passage.in_word(position))
            found.setdefault(token_id, Counter())[before, piece, after] += 1
    most = {token_id: words.most_common(1)[0][0] for token_id, words in found.items()}
    own = {i: names[i][-len(piece) :] for i, (_, piece, _) in most.items()}  # the token without prefixes such as ##
    return {
        i: in_brackets(before, own[i] if own[i].casefold() == piece else piece, after) if before or after else names[i]
        for i, (before, piece, after) in most.items()
    }


def content_tokens(windows: Sequence[StrongPairs]) -> list[int]:
    """The ids of the tokens that are neither special tokens, nor punctuation, nor parts of function words."""
    labels, language = token_labels(windows), windows[0].passage.document.language
    special = {i for one in windows for i in one.passage.token_ids[one.passage.is_special].tolist()}
    words = {i: re.sub(r"\W", "", label) for i, label in labels.items() if i not in special}
    return [i for i, word in words.items() if word and not is_little(word, language)]


def content_coverage(coverage: TokenCoverage, windows: Sequence[StrongPairs]) -> TokenCoverage:
    """The coverage of the tokens of `content_tokens`."""
    return coverage.only(np.isin(coverage.token_ids, content_tokens(windows)))


def heads_around(coverage: TokenCoverage, token_id: int) -> pd.DataFrame:
    """The coverage of one token by head: coverage, chance_token_coverage, excess, pairs, windows, is_anchor."""
    at = int(np.flatnonzero(coverage.token_ids == token_id)[0])
    layers, heads, _ = coverage.shares.shape
    columns = {
        "coverage": coverage.shares[..., at],
        "chance_token_coverage": coverage.chance[at],
        "excess": coverage.shares[..., at] - coverage.chance[at],
        "pairs": coverage.strong,
        "windows": coverage.windows,
        "is_anchor": coverage.anchors() == at,
    }
    return head_frame(columns, layers, heads)


def occurrence_table(windows: Sequence[StrongPairs], token_id: int) -> pd.DataFrame:
    """The occurrences of a token, one per row: window, sentence (both from 1), and context, the text around it."""
    rows = [
        (p.index + 1, int(p.sentences[i]) + 1, snippet(p, int(i)))
        for p in (window.passage for window in windows)
        for i in np.flatnonzero(p.token_ids == token_id)
    ]
    return pd.DataFrame(rows, columns=["window", "sentence", "context"])


def stability(leaders: np.ndarray, anchor_ids: np.ndarray) -> list[Count]:
    """The counts, one per part of a text, of whether each head has the same anchor in the part as in the text, (H,).

    Chance: the share of the other heads that have this anchor in the part. leaders: (n, H), anchor ids in the n parts.
    anchor_ids: (H,), anchor ids in the whole text.
    """
    others = max(len(anchor_ids) - 1, 1)
    kept = leaders == anchor_ids
    elsewhere = (leaders[:, :, None] == anchor_ids).sum(axis=1) - kept
    return [Count(others * here, there, others) for here, there in zip(kept, elsewhere, strict=True)]
