"""Token coverage: the strong pairs that touch a token, or that join two of its occurrences."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from attn_core.measures.few_pairs import MIN_PAIRS, is_above_chance
from attn_core.similarity.strong_pairs import StrongPairs
from attn_core.texts.passages import Passage

CONTEXT = 5  # the surroundings of an occurrence, in tokens on either side; our choice
NEAREST = 2 * CONTEXT  # the largest distance of a pair inside the surroundings of one occurrence
COUNTED = ("occurrences", "is_separator", "pairs", "expected")  # arrays, by token in the last axis
NONE = -1  # index and id of the anchor of a head that has none


@dataclass(frozen=True, eq=False)
class TokenCoverage:
    """The number of strong pairs that each of V distinct tokens covers; special tokens only if they may pair.

    token_ids: (V,), rising. occurrences, is_separator: (V,). pairs: (layer, head, V), integers. expected: (V,), by
    chance. strong: strong pairs per head in all windows. windows: number of windows.
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
    def shares(self) -> np.ndarray:
        """The share of strong pairs that each token covers, (layer, head, V)."""
        return self.pairs / self.strong

    @cached_property
    def chance(self) -> np.ndarray:
        """The chance level of the coverage of a token that is chosen in advance, (V,)."""
        return self.expected / self.strong

    @property
    def chance_of_best(self) -> float:
        """The chance level of the largest coverage: that of the most common token.

        Below about 30 pairs per head, the best token of random pairs covers up to two percentage points more.
        """
        return float(self.chance.max())

    @property
    def lift(self) -> np.ndarray:
        """The ratio of coverage to chance, (layer, head, V)."""
        return self.shares / self.chance

    def most_covered_tokens(self) -> np.ndarray:
        """The index of each head's token of largest coverage, (layer, head); of equal ones, the rarest."""
        return (self.pairs * (self.occurrences.max() + 1) - self.occurrences).argmax(axis=-1)

    def anchors(self) -> np.ndarray:
        """The index of each head's anchor, (layer, head), or `NONE`.

        The anchor is the token of largest coverage, if that is above `chance_of_best` (see `is_above_chance`).
        """
        leaders, few = self.most_covered_tokens(), self.strong < MIN_PAIRS * self.windows
        has = is_above_chance(self.at(leaders), self.chance_of_best, 0 if few else self.strong)
        return np.where(has, leaders, NONE)

    def ranking(self) -> np.ndarray:
        """The indices of all tokens in falling order of coverage, (layer, head, V)."""
        return np.lexsort((np.broadcast_to(self.occurrences, self.pairs.shape), -self.pairs))

    def at(self, tokens: np.ndarray) -> np.ndarray:
        """The coverage of one token of each head, (layer, head). tokens: (layer, head), indices."""
        return np.take_along_axis(self.shares, tokens[..., None], axis=-1)[..., 0]

    def without(self, heads: np.ndarray) -> "TokenCoverage":
        """The coverage without the pairs of some heads. heads: (layer, head) bool."""
        return replace(self, pairs=np.where(heads[..., None], 0, self.pairs))

    @property
    def has_pairs(self) -> np.ndarray:
        """Whether a head has pairs, (layer, head): removed heads have none."""
        return self.pairs.sum(axis=-1) > 0

    def only(self, kept: np.ndarray) -> "TokenCoverage":
        """The coverage of some of the tokens. kept: (V,) bool."""
        tokens = tuple(token for token, is_kept in zip(self.tokens, kept, strict=True) if is_kept)
        per_token = {name: getattr(self, name)[..., kept] for name in ("token_ids", *COUNTED)}
        return replace(self, tokens=tokens, **per_token)


def touched(pairs: StrongPairs) -> TokenCoverage:
    """The coverage of tokens by strong pairs of a window that touch them."""
    return touched_and_repeated(pairs)[0]


def touched_and_repeated(pairs: StrongPairs) -> tuple[TokenCoverage, TokenCoverage]:
    """The coverage of tokens by pairs that touch them, and by pairs of two of their occurrences."""
    known = vocabulary(pairs.passage, pairs.eligible.tobytes())
    tokens = len(known.occurrences)
    *heads, strong = pairs.shape
    rows = tokens * np.arange(len(pairs.rows[0]))[:, None]
    one, other = ((known.numbers.take(end) + rows).ravel() for end in pairs.rows)
    ends = np.bincount(one, minlength=rows.size * tokens) + np.bincount(other, minlength=rows.size * tokens)
    twice = np.bincount(one[one == other], minlength=ends.size)
    n, m = known.occurrences.sum(), known.occurrences
    # A random pair of n tokens touches a token of m occurrences with probability 1 - C(n-m, 2) / C(n, 2).
    touching = 1 - (n - m) * (n - m - 1) / (n * (n - 1))
    again = m * (m - 1) / (n * (n - 1))

    def covered(counts: np.ndarray, chance: np.ndarray) -> TokenCoverage:
        of_heads = counts.reshape(*heads, tokens)
        return TokenCoverage(known.token_ids, known.tokens, m, known.is_separator, of_heads, strong * chance, strong)

    return covered(ends - twice, touching), covered(twice, again)


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The V distinct tokens of a passage that may pair, sorted by id.

    numbers: (N,), the index of the token at each position, 0 if it may not pair.
    """

    token_ids: np.ndarray
    tokens: tuple[str, ...]
    occurrences: np.ndarray
    is_separator: np.ndarray
    numbers: np.ndarray


@lru_cache(maxsize=4)  # a window is counted under many settings
def vocabulary(passage: Passage, eligible: bytes) -> Vocabulary:
    """The vocabulary of a passage. eligible: the bytes of an (N,) bool array, whether each token may pair."""
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
    )


def surroundings(pairs: StrongPairs, ids: np.ndarray) -> np.ndarray:
    """Whether each pair is in the surroundings of each token, by (token, distance - 1, first), (V, NEAREST, N) bool.

    Both tokens of such a pair are at most `CONTEXT` tokens from one occurrence. ids: (V,), token ids.
    """
    able, n = pairs.eligible, len(pairs.passage)
    stands = np.pad((pairs.passage.token_ids == ids[:, None]) & able, [(0, 0), (CONTEXT, CONTEXT)])
    around, ahead = np.zeros((len(ids), NEAREST, n), dtype=bool), np.zeros_like(stands)
    for distance in range(NEAREST, 0, -1):
        reach = NEAREST - distance  # `ahead`: whether the token occurs there or in the next `reach` places
        ahead[:, : stands.shape[1] - reach] |= stands[:, reach:]
        around[:, distance - 1, : max(n - distance, 0)] = ahead[:, distance:n] & able[:-distance] & able[distance:]
    return around


def added(parts: Sequence[TokenCoverage]) -> TokenCoverage:
    """The sum of one or more coverages."""
    strong, windows = sum(part.strong for part in parts), sum(part.windows for part in parts)
    return TokenCoverage(**united(parts, COUNTED), strong=strong, windows=windows)


def united(parts: Sequence[Any], counted: Sequence[str]) -> dict[str, Any]:
    """The token ids of all parts, rising, the tokens, and the sums of each counted array by token (its last axis)."""
    ids = np.unique(np.concatenate([part.token_ids for part in parts]))
    names = {i: name for part in parts for i, name in zip(part.token_ids.tolist(), part.tokens, strict=True)}
    fields: dict[str, Any] = {"token_ids": ids, "tokens": tuple(names[i] for i in ids.tolist())}
    for name in counted:
        values = [getattr(part, name) for part in parts]
        fields[name] = np.zeros((*values[0].shape[:-1], len(ids)), dtype=values[0].dtype)
        for part, some in zip(parts, values, strict=True):
            fields[name][..., np.searchsorted(ids, part.token_ids)] += some
    return fields
