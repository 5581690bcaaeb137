"""Around which token does a head gather? The anchor is the token that touches the most of its strong pairs."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import pandas as pd

from attn_core.measures.frames import head_frame, head_index
from attn_core.measures.resampling import moved_pairs, random_pairs
from attn_core.measures.snippets import snippet
from attn_core.strong_pairs import StrongPairs

CONTEXT = 5  # tokens around an anchor that count as its surroundings
MIN_OCCURRENCES = 3  # for the anchor by lift: the lift of a rarer token is mostly luck
RUNNERS_UP = 10
WORDS = 3  # words that a subword is shown as a part of
DRAWS = 20  # made-up models behind a chance level

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
        return self._by_coverage if by == "coverage" else self._by_lift

    @cached_property
    def _by_coverage(self) -> np.ndarray:
        return np.lexsort((np.broadcast_to(self.occurrences, self.coverage.shape), -self.coverage))

    @cached_property
    def _by_lift(self) -> np.ndarray:
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
    is_separator = np.isin(found.token_ids, _separator_ids(windows))
    return anchor_rows(found, is_separator, *anchor_context(windows, found.token_ids[found.leaders()]))


def anchor_rows(
    found: TokenCoverage, is_separator: np.ndarray, context: np.ndarray, chance_context: np.ndarray
) -> pd.DataFrame:
    """`anchor_columns` of what was counted. is_separator: (V,); context, chance_context: (layer, head)."""
    layers, heads, _ = found.coverage.shape
    leaders, lifted = found.leaders(), found.leaders("lift")
    names = np.array(found.tokens, dtype=object)
    at_leader = np.take_along_axis(found.coverage, leaders[..., None], axis=-1)[..., 0]
    return head_frame(
        {
            "anchor": names[leaders],
            "anchor_id": found.token_ids[leaders],
            "anchor_is_separator": is_separator[leaders],
            "anchor_coverage": at_leader,
            "chance_anchor_coverage": found.chance[leaders],
            "anchor_lift": at_leader / found.chance[leaders],
            "anchor_context_share": context,
            "chance_anchor_context_share": chance_context,
            "lift_anchor": names[lifted],
            "lift_anchor_id": found.token_ids[lifted],
            "lift_anchor_lift": np.take_along_axis(found.lift, lifted[..., None], axis=-1)[..., 0],
        },
        layers,
        heads,
    )


def anchor_overview(table: pd.DataFrame, labels: dict[int, str], runners_up: int = 3) -> pd.DataFrame:
    """One row a head of an anchor table: the anchor with its words, its numbers, and the runners-up as one text."""
    others = table[table["rank"].between(2, runners_up + 1)]
    texts = others.assign(text=[f"{t} {c:.0%}" for t, c in zip(others["token"], others["coverage"], strict=True)])
    joined = texts.groupby(["layer", "head"])["text"].agg("   ".join).rename("runners_up")
    best = table[table["rank"] == 1].drop(columns="rank").rename(columns={"token": "anchor", "token_id": "anchor_id"})
    best.insert(2, "in_words", best["anchor_id"].map(labels))
    return best.join(joined, on=["layer", "head"]).fillna({"runners_up": ""}).reset_index(drop=True)


def token_labels(windows: Sequence[StrongPairs]) -> dict[int, str]:
    """Token id -> the token; a part of words with the words it stands in most often: '##ing (walking, talking)'."""
    words: dict[int, Counter[str]] = {}
    names: dict[int, str] = {}
    for window in windows:
        passage = window.passage
        for position, (token_id, token) in enumerate(zip(passage.token_ids.tolist(), passage.tokens, strict=True)):
            names[token_id] = token
            words.setdefault(token_id, Counter())[passage.word(position).casefold()] += 1
    return {token_id: _label(name, words[token_id]) for token_id, name in names.items()}


def heads_around(found: TokenCoverage, token_id: int) -> pd.DataFrame:
    """Every head's coverage of one token: layer, head, coverage, chance_coverage, excess, is_anchor (by coverage)."""
    at = int(np.flatnonzero(found.token_ids == token_id)[0])
    layers, heads, _ = found.coverage.shape
    columns = {
        "coverage": found.coverage[..., at],
        "chance_coverage": found.chance[at],
        "excess": found.coverage[..., at] - found.chance[at],
        "is_anchor": found.leaders() == at,
    }
    return head_frame(columns, layers, heads)


def occurrence_table(windows: Sequence[StrongPairs], token_id: int) -> pd.DataFrame:
    """Where a token stands: window, position, sentence (all from 1 but position), word, context."""
    rows = [
        (p.index + 1, int(i), int(p.sentences[i]) + 1, p.word(int(i)), snippet(p, int(i)))
        for p in (window.passage for window in windows)
        for i in np.flatnonzero(p.token_ids == token_id)
    ]
    return pd.DataFrame(rows, columns=["window", "position", "sentence", "word", "context"])


def uniqueness(leaders: np.ndarray) -> np.ndarray:
    """Distinct anchors / heads of every layer, (layer,); leaders: (layer, head), an index or an id of each anchor."""
    ordered = np.sort(leaders, axis=1)
    return (1 + (np.diff(ordered, axis=1) != 0).sum(axis=1)) / leaders.shape[1]


def uniqueness_table(windows: Sequence[StrongPairs], by: Ranking = "coverage", draws: int = DRAWS) -> pd.DataFrame:
    """Uniqueness by layer beside what made-up heads give: layer, anchor_uniqueness, random_pairs, own_places.

    random_pairs: the strong pairs of every head are random pairs, so that all gather around the most common token.
    own_places: every head is as concentrated as it is, but around places of its own, drawn at random.
    """
    return pd.DataFrame(
        {
            "layer": np.arange(1, windows[0].shape[0] + 1),
            "anchor_uniqueness": uniqueness(token_coverage(windows).leaders(by)),
            "random_pairs": _mean_uniqueness(random_pairs(windows, draws), by),
            "own_places": independent_uniqueness(windows, by, draws),
        }
    )


def independent_uniqueness(
    windows: Sequence[StrongPairs], by: Ranking = "coverage", draws: int = DRAWS, seed: int = 0
) -> np.ndarray:
    """Chance level of a layer's uniqueness, (layer,): heads as concentrated as they are, around places drawn at random."""
    return _mean_uniqueness(moved_pairs(windows, draws, seed), by)


def random_anchor_coverage(windows: Sequence[StrongPairs], by: Ranking = "coverage", draws: int = 3) -> float:
    """Mean coverage of the anchors of heads whose strong pairs are random pairs.

    An anchor is the best of many tokens: without any preference it is the most common one, or the luckiest by lift.
    """
    best = []
    for drawn in random_pairs(windows, draws):
        found = token_coverage(drawn)
        best.append(np.take_along_axis(found.coverage, found.leaders(by)[..., None], axis=-1).mean())
    return float(np.mean(best))


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
        near, tokens = (first[close], second[close]), int(window.eligible.sum())
        for token_id in np.unique(anchor_ids):
            of_token = anchor_ids == token_id
            is_anchor = window.passage.token_ids == token_id
            pairs = (window.first[of_token], window.second[of_token])
            share[of_token] += in_context(is_anchor, *pairs).sum(axis=-1) / strong
            others = tokens - int(is_anchor[window.eligible].sum())
            touching = len(first) - others * (others - 1) // 2
            held_only = in_context(is_anchor, *near) & ~(is_anchor[near[0]] | is_anchor[near[1]])
            chance[of_token] += (touching + held_only.sum()) / len(first) * window.shape[2] / strong
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


def _mean_uniqueness(draws: Iterable[Sequence[StrongPairs]], by: Ranking) -> np.ndarray:
    return np.mean([uniqueness(token_coverage(windows).leaders(by)) for windows in draws], axis=0)


def _separator_ids(windows: Sequence[StrongPairs]) -> np.ndarray:
    return np.concatenate([window.passage.token_ids[window.passage.is_separator] for window in windows])


def _label(token: str, words: Counter[str]) -> str:
    bare = token.removeprefix("##").removeprefix("▁").casefold()
    others = [word for word, _ in words.most_common() if word and word != bare]
    if not others or bare in words and words[bare] >= words.total() / 2:
        return token
    shown = ", ".join(word[:24] for word in others[:WORDS])
    return f"{token} ({shown}, …)" if len(others) > WORDS else f"{token} ({shown})"
