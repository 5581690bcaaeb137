"""How many strong pairs does every token cover? By touching them, being both their ends, or having them in its context.

Counts add up over windows.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from attn_core.measures.random_pairs import generator_of, random_heads
from attn_core.measures.tally import in_steps
from attn_core.similarity.strong_pairs import StrongPairs
from attn_core.texts.passages import Passage


class PairEnds:
    """The ends of the pairs of each row: first, second, (row, K), below N. Pairs may count as often as weights say, (row, K)."""

    def __init__(self, first: np.ndarray, second: np.ndarray, size: int) -> None:
        row = size * np.arange(len(first))[:, None]
        self.shape = len(first), size
        self.first, self.second = ((row + end).ravel() for end in (first, second))

    def used(self, weights: np.ndarray | None = None) -> np.ndarray:
        """How many pairs end at each position, (row, N)."""
        each, rows = None if weights is None else weights.ravel(), self.shape[0] * self.shape[1]
        begins, stops = (np.bincount(end, weights=each, minlength=rows) for end in (self.first, self.second))
        return (begins + stops).reshape(self.shape)


class Touching:
    """The same where every row has one of V tokens at each position: tokens, (row, N), below V."""

    def __init__(self, ends: PairEnds, tokens: np.ndarray, vocabulary: int) -> None:
        small = tokens.astype(np.int16 if vocabulary < 2**15 else np.int64).ravel()  # fits the processor's cache
        self._shape = len(tokens), vocabulary
        self._tokens = (vocabulary * np.arange(len(tokens))[:, None] + tokens).ravel()
        self._alike = np.flatnonzero(small.take(ends.first) == small.take(ends.second))
        self._twice = self._tokens.take(ends.first.take(self._alike))

    def pairs(self, used: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
        """How many pairs touch each token, (row, V); used: as of `PairEnds.used`."""
        of_alike = None if weights is None else weights.ravel().take(self._alike)
        number = self._shape[0] * self._shape[1]
        ends = np.bincount(self._tokens, weights=used.ravel(), minlength=number)
        return (ends - np.bincount(self._twice, weights=of_alike, minlength=number)).reshape(self._shape)


CONTEXT = 5  # tokens around an occurrence that count as its surroundings
NEAREST = 2 * CONTEXT  # the largest distance of a pair that an occurrence can hold together
NONE = -1  # stands for the anchor, and for its token id, of a head that has none
RANDOM_HEADS = 50  # behind the chance level of a best token: its standard error is a seventh of one head's luck
MIN_OCCURRENCES = 3  # for the anchor by lift: the lift of a rarer token is mostly luck

Ranking = Literal["coverage", "lift"]


@dataclass(frozen=True, eq=False)
class TokenCoverage:
    """Strong pairs that every token (by id) covers; V distinct tokens that may pair, by rising id.

    occurrences, is_separator: (V,). pairs: (layer, head, V), whole numbers. expected: (V,), the pairs that chance would
    give. strong: strong pairs a head in all windows.
    """

    token_ids: np.ndarray
    tokens: tuple[str, ...]
    occurrences: np.ndarray
    is_separator: np.ndarray
    pairs: np.ndarray
    expected: np.ndarray
    strong: int

    @cached_property
    def coverage(self) -> np.ndarray:
        """Share of the strong pairs, (layer, head, V)."""
        return self.pairs / self.strong

    @cached_property
    def chance(self) -> np.ndarray:
        """The share that chance would give a token named in advance, (V,)."""
        return self.expected / self.strong

    @property
    def lift(self) -> np.ndarray:
        """Coverage over chance, (layer, head, V)."""
        return self.coverage / self.chance

    def leaders(self, by: Ranking = "coverage") -> np.ndarray:
        """Index into `token_ids` of every head's first token, (layer, head); equal coverage: the rarer token."""
        if by == "lift":
            return self._lift_of_frequent.argmax(axis=-1)
        return (self.pairs * (self.occurrences.max() + 1) - self.occurrences).argmax(axis=-1)

    def anchors(self, by: Ranking = "coverage") -> np.ndarray:
        """Index into `token_ids` of every head's anchor, (layer, head): its first token, where that covers more than its chance.

        `NONE` where it does not: such a head gathers around no token, it only meets the most common one.
        """
        leaders = self.leaders(by)
        return np.where(self.at(leaders) > self.chance[leaders], leaders, NONE)

    def ranking(self, by: Ranking = "coverage") -> np.ndarray:
        """Indices into `token_ids` from the best down, (layer, head, V)."""
        if by == "lift":
            return np.argsort(-self._lift_of_frequent, kind="stable")
        return np.lexsort((np.broadcast_to(self.occurrences, self.pairs.shape), -self.pairs))

    def best(self, by: Ranking = "coverage") -> np.ndarray:
        """Mean over the heads of the coverage of their first token, their second, and so on, (V,).

        Of heads of random pairs, what luck alone gives the best of many tokens: the chance level of an anchor's coverage.
        """
        return np.take_along_axis(self.coverage, self.ranking(by), axis=-1).mean(axis=(0, 1))

    def at(self, tokens: np.ndarray) -> np.ndarray:
        """Coverage of one token for every head, (layer, head); tokens: (layer, head), indices into `token_ids`."""
        return np.take_along_axis(self.coverage, tokens[..., None], axis=-1)[..., 0]

    @property
    def _lift_of_frequent(self) -> np.ndarray:
        frequent = self.occurrences >= min(MIN_OCCURRENCES, self.occurrences.max())
        return np.where(frequent, self.lift, -1.0)


def token_coverage(windows: Sequence[StrongPairs]) -> TokenCoverage:
    """The strong pairs that touch each token, windows pooled."""
    return added([touched(window) for window in windows])


def touched(window: StrongPairs) -> TokenCoverage:
    """The strong pairs of one window that touch each token."""
    first, second = window.rows
    tokens, vocabulary = token_numbers(window.passage, window.eligible)
    *heads, strong = window.shape
    ends = PairEnds(first, second, len(tokens))
    pairs = Touching(ends, np.broadcast_to(tokens, ends.shape), vocabulary).pairs(ends.used()).astype(np.int64)
    return coverage_of(window.passage, window.eligible, pairs.reshape(*heads, vocabulary), strong)


def token_numbers(passage: Passage, eligible: np.ndarray) -> tuple[np.ndarray, int]:
    """The number of each position's token among the V distinct ones that may pair, by rising id, (N,), 0 where none may; V."""
    ids = np.unique(passage.token_ids[eligible])
    return np.where(eligible, np.searchsorted(ids, passage.token_ids), 0), len(ids)


def coverage_of(passage: Passage, eligible: np.ndarray, pairs: np.ndarray, strong: int) -> TokenCoverage:
    """The pairs of one window that touch each token, (layer, head, V), with all else that is known of it; eligible: (N,) bool.

    See `expected_of`.
    """
    ids, occurrences = np.unique(passage.token_ids[eligible], return_counts=True)
    names = dict(zip(passage.token_ids.tolist(), passage.tokens, strict=True))
    return TokenCoverage(
        token_ids=ids,
        tokens=tuple(names[token_id] for token_id in ids.tolist()),
        occurrences=occurrences,
        is_separator=np.isin(ids, passage.token_ids[passage.is_separator]),
        pairs=pairs,
        expected=expected_of(occurrences, strong),
        strong=strong,
    )


def expected_of(occurrences: np.ndarray, strong: int) -> np.ndarray:
    """How many of so many random pairs touch each token, (V,).

    Of n tokens that may pair, m of them the token, a random pair touches it with probability 1 - C(n-m, 2) / C(n, 2).
    """
    n = occurrences.sum()
    return in_steps(strong * (1 - (n - occurrences) * (n - occurrences - 1) / (n * (n - 1))))


def repeated(window: StrongPairs) -> TokenCoverage:
    """The strong pairs of one window that are each token twice; chance is all P pairs."""
    first, second = window.rows
    tokens, vocabulary = token_numbers(window.passage, window.eligible)
    *heads, strong = window.shape
    ends = tokens.take(first)
    row, pair = np.nonzero(ends == tokens.take(second))
    pairs = np.bincount(row * vocabulary + ends[row, pair], minlength=len(first) * vocabulary)
    every = coverage_of(window.passage, window.eligible, pairs.reshape(*heads, vocabulary), strong)
    n = every.occurrences.sum()
    alike = every.occurrences * (every.occurrences - 1) / (n * (n - 1))
    return replace(every, expected=in_steps(strong * alike))


def touched_at_random(window: StrongPairs) -> TokenCoverage:
    """The same of `RANDOM_HEADS` heads of one layer whose strong pairs are random pairs; windows add up head by head."""
    return touched(random_heads(window, RANDOM_HEADS, generator_of(window.passage)))


def in_context(window: StrongPairs, touching: TokenCoverage) -> TokenCoverage:
    """The strong pairs of one window in the context of each token; touching: as of `touched`.

    They touch it, or both their ends lie within 5 tokens of one and the same occurrence of it. Chance is all P pairs.
    """
    layers, heads, strong = window.shape
    held = _holders(window, touching.token_ids)

    def held_pairs(first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """How many of the pairs (row, pair) each token holds without touching them, (row, V)."""
        rows, each = first.shape
        near = np.flatnonzero(second - first <= NEAREST)
        begins = first.take(near)
        cell = (near // each * len(window.passage) + begins) * NEAREST + second.take(near) - begins - 1
        counts = np.bincount(cell, minlength=rows * held.shape[1])
        # Exact: float32 holds every whole number up to 2^24, and a window has fewer pairs.
        return (counts.reshape(rows, -1).astype(np.float32) @ held.T).astype(np.int64)

    pairs = held_pairs(*(end.reshape(layers * heads, -1) for end in (window.first, window.second)))
    everywhere = held_pairs(*(end[None] for end in window.all_pairs))[0]
    return replace(
        touching,
        pairs=touching.pairs + pairs.reshape(touching.pairs.shape),
        expected=touching.expected + in_steps(everywhere * (strong / len(window.all_pairs[0]))),
    )


def added(parts: Sequence[TokenCoverage]) -> TokenCoverage:
    """The coverage of one part or more together."""
    ids = np.unique(np.concatenate([part.token_ids for part in parts]))
    names = {i: name for part in parts for i, name in zip(part.token_ids.tolist(), part.tokens, strict=True)}
    places = [np.searchsorted(ids, part.token_ids) for part in parts]

    def total(name: str) -> np.ndarray:
        values = [getattr(part, name) for part in parts]
        result = np.zeros((*values[0].shape[:-1], len(ids)), dtype=values[0].dtype)
        for at, some in zip(places, values, strict=True):
            result[..., at] += some
        return result

    return TokenCoverage(
        token_ids=ids,
        tokens=tuple(names[token_id] for token_id in ids.tolist()),
        occurrences=total("occurrences"),
        is_separator=total("is_separator"),
        pairs=total("pairs"),
        expected=total("expected"),
        strong=sum(part.strong for part in parts),
    )


def _holders(window: StrongPairs, ids: np.ndarray) -> np.ndarray:
    """Which tokens (V) hold which pairs without touching them, 0 or 1; the cell of a pair is first * 10 + distance - 1.

    Only pairs at most 10 apart lie within 5 tokens of one occurrence.
    """
    own, n = window.passage.token_ids, len(window.passage)
    first, distance, step = np.meshgrid(np.arange(n), np.arange(1, NEAREST + 1), np.arange(NEAREST), indexing="ij")
    place = first + distance - CONTEXT + step
    inside = (place <= first + CONTEXT) & (place >= 0) & (place < n) & (first + distance < n)
    first, distance, place = first[inside], distance[inside], place[inside]
    other = window.eligible[place] & (own[place] != own[first]) & (own[place] != own[first + distance])
    cells, tokens = (first * NEAREST + distance - 1)[other], np.searchsorted(ids, own[place[other]])
    held = np.zeros((len(ids), NEAREST * n), dtype=np.float32)
    held[tokens, cells] = 1
    return held
