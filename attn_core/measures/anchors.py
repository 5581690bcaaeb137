"""Around which token does a head gather? The anchor is the token that touches the most of its strong pairs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from attn_core.measures.frames import head_frame, head_index
from attn_core.similarity import StrongPairs

CONTEXT = 5  # tokens around an anchor that count as its surroundings
MIN_OCCURRENCES = 3  # for the anchor by lift: the lift of a rarer token is mostly luck
RUNNERS_UP = 10

Ranking = Literal["coverage", "lift"]


@dataclass(frozen=True, eq=False)
class TokenCoverage:
    """How many strong pairs every token (by id) touches, windows pooled; V distinct tokens that may pair.

    token_ids, occurrences, chance: (V,). coverage, lift: (layer, head, V).
    """

    token_ids: np.ndarray
    tokens: tuple[str, ...]
    occurrences: np.ndarray
    coverage: np.ndarray
    chance: np.ndarray

    @property
    def lift(self) -> np.ndarray:
        return self.coverage / self.chance

    def leaders(self, by: Ranking = "coverage") -> np.ndarray:
        """Index into `token_ids` of every head's anchor, (layer, head); equal coverage: the rarer token."""
        return self.ranking(by)[..., 0]

    def ranking(self, by: Ranking = "coverage") -> np.ndarray:
        """Indices into `token_ids` from the best down, (layer, head, V)."""
        if by == "coverage":
            return np.lexsort((np.broadcast_to(self.occurrences, self.coverage.shape), -self.coverage))
        frequent = self.occurrences >= min(MIN_OCCURRENCES, self.occurrences.max())
        return np.argsort(np.where(frequent, -self.lift, 1.0), kind="stable")


def token_coverage(windows: Sequence[StrongPairs]) -> TokenCoverage:
    """Coverage of every token and head, with its chance level.

    In a window with n tokens that may pair and m occurrences of a token, a random pair touches the token with
    probability 1 - C(n-m, 2) / C(n, 2). Windows weigh by their strong pairs.
    """
    eligible = [window.passage.token_ids[window.eligible] for window in windows]
    ids, occurrences = np.unique(np.concatenate(eligible), return_counts=True)
    names = {i: t for w in windows for i, t in zip(w.passage.token_ids.tolist(), w.passage.tokens, strict=True)}
    layers, heads, _ = windows[0].shape
    touched = np.zeros((layers * heads, len(ids)), dtype=np.int64)
    chance = np.zeros(len(ids))
    strong = sum(window.shape[2] for window in windows)
    for window, tokens in zip(windows, eligible, strict=True):
        at = np.searchsorted(ids, window.passage.token_ids)
        first, second = (at[end].reshape(layers * heads, -1) for end in (window.first, window.second))
        row = len(ids) * np.arange(layers * heads)[:, None]
        ends = np.concatenate([(row + first).ravel(), (row + second)[first != second]])
        touched += np.bincount(ends, minlength=touched.size).reshape(touched.shape)
        n, m = len(tokens), np.bincount(np.searchsorted(ids, tokens), minlength=len(ids))
        chance += window.shape[2] / strong * (1 - (n - m) * (n - m - 1) / (n * (n - 1)))
    return TokenCoverage(
        token_ids=ids,
        tokens=tuple(names[int(i)] for i in ids),
        occurrences=occurrences,
        coverage=(touched / strong).reshape(layers, heads, -1),
        chance=chance,
    )


def anchor_table(found: TokenCoverage, by: Ranking = "coverage", ranks: int = RUNNERS_UP) -> pd.DataFrame:
    """Every head's anchor (rank 1) and runners-up, with coverage, chance, lift and in how many other heads they lead.

    `shared_in_layer` and `shared_in_model` count the other heads whose anchor the token is.
    """
    layers, heads, size = found.coverage.shape
    order = found.ranking(by)[..., : min(ranks, size)]
    leaders = order[..., 0]
    depth = order.shape[-1]
    own = order == leaders[..., None]
    in_layer = (order[..., None] == leaders[:, None, None, :]).sum(axis=-1) - own
    in_model = np.bincount(leaders.ravel(), minlength=size)[order] - own
    flat = order.ravel()
    return (
        head_index(layers, heads)
        .loc[np.repeat(np.arange(layers * heads), depth)]
        .reset_index(drop=True)
        .assign(
            rank=np.tile(np.arange(1, depth + 1), layers * heads),
            token=np.array(found.tokens, dtype=object)[flat],
            token_id=found.token_ids[flat],
            occurrences=found.occurrences[flat],
            coverage=np.take_along_axis(found.coverage, order, axis=-1).ravel(),
            chance_coverage=found.chance[flat],
            lift=np.take_along_axis(found.lift, order, axis=-1).ravel(),
            shared_in_layer=in_layer.ravel(),
            shared_in_model=in_model.ravel(),
        )
    )


def anchor_columns(windows: Sequence[StrongPairs], found: TokenCoverage) -> pd.DataFrame:
    """The anchor's columns of the heads table, one row a head."""
    layers, heads, _ = found.coverage.shape
    leaders, lifted = found.leaders(), found.leaders("lift")
    names = np.array(found.tokens, dtype=object)
    share, chance = anchor_context(windows, found.token_ids[leaders])
    at_leader = np.take_along_axis(found.coverage, leaders[..., None], axis=-1)[..., 0]
    return head_frame(
        {
            "anchor": names[leaders],
            "anchor_id": found.token_ids[leaders],
            "anchor_coverage": at_leader,
            "chance_anchor_coverage": found.chance[leaders],
            "anchor_lift": at_leader / found.chance[leaders],
            "anchor_context_share": share,
            "chance_anchor_context_share": chance,
            "lift_anchor": names[lifted],
            "lift_anchor_id": found.token_ids[lifted],
            "lift_anchor_lift": np.take_along_axis(found.lift, lifted[..., None], axis=-1)[..., 0],
        },
        layers,
        heads,
    )


def anchor_context(windows: Sequence[StrongPairs], anchor_ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Share of strong pairs in the context of each head's anchor, and its chance level, both (layer, head).

    A pair is in the context of a token where one end is the token, or both ends lie within 5 tokens of one and the
    same occurrence of it. anchor_ids: (layer, head).
    """
    share, chance = np.zeros(anchor_ids.shape), np.zeros(anchor_ids.shape)
    strong = sum(window.shape[2] for window in windows)
    for window in windows:
        first, second = window.all_pairs
        close = second - first <= 2 * CONTEXT  # the only pairs that an occurrence between them can hold together
        near, far = (first[close], second[close]), (first[~close], second[~close])
        for token_id in np.unique(anchor_ids):
            of_token = anchor_ids == token_id
            is_anchor = window.passage.token_ids == token_id
            pairs = (window.first[of_token], window.second[of_token])
            share[of_token] += in_context(is_anchor, *pairs).sum(axis=-1) / strong
            expected = in_context(is_anchor, *near).sum() + (is_anchor[far[0]] | is_anchor[far[1]]).sum()
            chance[of_token] += expected / len(first) * window.shape[2] / strong
    return share, chance


def in_context(is_anchor: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Whether each pair touches an anchor token or has both ends within 5 tokens of one; is_anchor: (N,)."""
    before = np.concatenate([[0], np.cumsum(is_anchor)])  # anchors among the tokens before a position
    low = np.clip(second - CONTEXT, 0, len(is_anchor))
    high = np.clip(first + CONTEXT + 1, 0, len(is_anchor))
    held = (high > low) & (before[high] > before[np.minimum(low, high)])
    return is_anchor[first] | is_anchor[second] | held


def anchor_stability(parts: Sequence[Sequence[StrongPairs]], anchor_ids: np.ndarray) -> np.ndarray:
    """Share of the parts of a text in which each head keeps its anchor, (layer, head); anchor_ids: (layer, head)."""
    kept = np.zeros(anchor_ids.shape)
    for part in parts:
        found = token_coverage(part)
        kept += found.token_ids[found.leaders()] == anchor_ids
    return kept / len(parts)
