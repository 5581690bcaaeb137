"""How many strong pairs does every token cover? By touching them, being both their ends, or having them in its context.

Counts add up over windows.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from attn_core.similarity.strong_pairs import StrongPairs
from attn_core.texts.passages import Passage

CONTEXT = 5  # tokens around an occurrence that count as its surroundings
NEAREST = 2 * CONTEXT  # the largest distance of a pair that an occurrence can hold together
NONE = -1  # stands for the anchor, and for its token id, of a head that has none


@dataclass(frozen=True, eq=False)
class TokenCoverage:
    """Strong pairs that every token (by id) covers; V distinct tokens that may pair, by rising id.

    occurrences, is_separator: (V,). pairs: (layer, head, V), whole numbers. expected: (V,), the pairs that chance would
    give. strong: strong pairs a head in all windows, of which there are so many.
    """

    token_ids: np.ndarray
    tokens: tuple[str, ...]
    occurrences: np.ndarray
    is_separator: np.ndarray
    pairs: np.ndarray
    expected: np.ndarray
    strong: int
    windows: int = 1

    @cached_property
    def coverage(self) -> np.ndarray:
        """Share of the strong pairs, (layer, head, V)."""
        return self.pairs / self.strong

    @cached_property
    def chance(self) -> np.ndarray:
        """The share that chance would give a token named in advance, (V,)."""
        return self.expected / self.strong

    @property
    def chance_of_best(self) -> float:
        """The share that chance would give the most common token: what the best of all tokens covers of random pairs.

        A head's first token is chosen as the best of hundreds, so that its own chance says nothing of it. Below some 30 pairs
        a head the best of random pairs covers up to two points more.
        """
        return float(self.chance.max())

    @property
    def lift(self) -> np.ndarray:
        """Coverage over chance, (layer, head, V)."""
        return self.coverage / self.chance

    def leaders(self) -> np.ndarray:
        """Index into `token_ids` of every head's first token, (layer, head); equal coverage: the rarer token."""
        return (self.pairs * (self.occurrences.max() + 1) - self.occurrences).argmax(axis=-1)

    def anchors(self) -> np.ndarray:
        """Index into `token_ids` of every head's anchor, (layer, head): its first token, where that covers more than its chance.

        `NONE` where it does not: such a head gathers around no token, it only meets the most common one.
        """
        leaders = self.leaders()
        return np.where(self.at(leaders) > self.chance[leaders], leaders, NONE)

    def ranking(self) -> np.ndarray:
        """Indices into `token_ids` from the best down, (layer, head, V)."""
        return np.lexsort((np.broadcast_to(self.occurrences, self.pairs.shape), -self.pairs))

    def at(self, tokens: np.ndarray) -> np.ndarray:
        """Coverage of one token for every head, (layer, head); tokens: (layer, head), indices into `token_ids`."""
        return np.take_along_axis(self.coverage, tokens[..., None], axis=-1)[..., 0]


def touched(window: StrongPairs) -> TokenCoverage:
    """The strong pairs of one window that touch each token."""
    return touched_and_repeated(window)[0]


def touched_and_repeated(window: StrongPairs) -> tuple[TokenCoverage, TokenCoverage]:
    """The same, and the pairs that are each token twice, whose chance is all P pairs.

    Two at once: who counts both ends of pairs by token counts those that are a token twice two times.
    """
    known = vocabulary(window.passage, window.eligible.tobytes())
    size, tokens = len(window.passage), len(known.occurrences)
    *heads, strong = window.shape
    rows = size * np.arange(len(window.rows[0]))[:, None]
    begins, stops = (np.bincount((end + rows).ravel(), minlength=rows.size * size) for end in window.rows)
    ends = ((begins + stops).reshape(-1, size) @ known.of_positions).astype(np.int64)
    one, other = (known.numbers.take(end.ravel()) for end in window.rows)
    pair = np.flatnonzero(one == other)
    twice = np.bincount(pair // strong * tokens + one.take(pair), minlength=ends.size).reshape(ends.shape)
    touching, again = (coverage_of(known, pairs.reshape(*heads, tokens), strong) for pairs in (ends - twice, twice))
    n = known.occurrences.sum()
    alike = known.occurrences * (known.occurrences - 1) / (n * (n - 1))
    return touching, replace(again, expected=strong * alike)


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The V distinct tokens of a passage that may pair, by rising id.

    numbers: (N,), of each position's token, 0 where it may not pair. of_positions: (N, V), 1 where a token stands.
    """

    token_ids: np.ndarray
    tokens: tuple[str, ...]
    occurrences: np.ndarray
    is_separator: np.ndarray
    numbers: np.ndarray
    of_positions: np.ndarray


@lru_cache(maxsize=4)  # a window is counted under many settings
def vocabulary(passage: Passage, eligible: bytes) -> Vocabulary:
    """Of the tokens that may pair, (N,) bool."""
    able = np.frombuffer(eligible, dtype=bool)
    ids, occurrences = np.unique(passage.token_ids[able], return_counts=True)
    names = dict(zip(passage.token_ids.tolist(), passage.tokens, strict=True))
    numbers = np.where(able, np.searchsorted(ids, passage.token_ids), 0)
    return Vocabulary(
        token_ids=ids,
        tokens=tuple(names[token_id] for token_id in ids.tolist()),
        occurrences=occurrences,
        is_separator=np.isin(ids, passage.token_ids[passage.is_separator]),
        numbers=numbers.astype(np.int32),
        of_positions=(numbers[:, None] == np.arange(len(ids))) * able[:, None].astype(np.float64),
    )


def coverage_of(known: Vocabulary, pairs: np.ndarray, strong: int) -> TokenCoverage:
    """The pairs of one window that touch each token, (layer, head, V), with all else that is known of it; see `expected_of`."""
    expected = expected_of(known.occurrences, strong)
    return TokenCoverage(known.token_ids, known.tokens, known.occurrences, known.is_separator, pairs, expected, strong)


def expected_of(occurrences: np.ndarray, strong: int) -> np.ndarray:
    """How many of so many random pairs touch each token, (V,).

    Of n tokens that may pair, m of them the token, a random pair touches it with probability 1 - C(n-m, 2) / C(n, 2).
    """
    n = occurrences.sum()
    return strong * (1 - (n - occurrences) * (n - occurrences - 1) / (n * (n - 1)))


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
        expected=touching.expected + everywhere * (strong / len(window.all_pairs[0])),
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
        windows=sum(part.windows for part in parts),
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
