"""What the effects need of one window, as `effect_counts` has it, under every share of strong pairs at once.

The pairs of a smaller share are the first of those of a larger one, so that sums over them are sums of steps. Formulas and
chance levels are those of the statistics; only the adding up is of its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from attn_core.measures.attention import attention_on, separators
from attn_core.measures.effects import PROPERTIES, Sums, effect_counts
from attn_core.measures.random_pairs import generator_of
from attn_core.measures.standing_out import best_by_luck
from attn_core.measures.strength import count_of_reached
from attn_core.measures.tally import Count
from attn_core.measures.token_coverage import coverage_of, touched_at_random
from attn_core.measures.uniqueness import DRAWS
from attn_core.similarity.every_share import Pairable, Ranked
from attn_core.similarity.strong_pairs import StrongPairs

FLAGS = ("same_sentence_share", "repetition_share", "separator_share")
KINDS = 1 << len(FLAGS)  # of pairs, by what they have of these


@dataclass(frozen=True, eq=False)
class Counter:
    """What a window and the choice of its tokens decide, whatever makes its pairs strong. heads: (layers, heads a layer)."""

    pairable: Pairable
    heads: tuple[int, int]

    def counts(
        self,
        ranked: Ranked,
        structureless: Ranked,
        reached: np.ndarray,
        looked: int,
        received: np.ndarray,
        even: np.ndarray,
    ) -> list[dict[str, Count]]:
        """The counts under each share. reached: (layer, head, share), of so many pairs of unrelated tokens (`looked`)."""
        own, random = self._sums(ranked, redrawn=True), self._sums(structureless, redrawn=False)
        pairs = len(self.pairable.places)
        to_separators = attention_on(separators(self.pairable.passage), received, even)
        return [
            effect_counts(
                own.under(at),
                random.under(at),
                self.chance,
                self.best[at],
                pairs,
                {
                    "separator_attention": to_separators,
                    "noise_rate": count_of_reached(reached[..., at], looked, strong, pairs),
                },
            )
            for at, strong in enumerate(self.pairable.cuts)
        ]

    @cached_property
    def chance(self) -> dict[str, float]:
        """The mean of every property over all P pairs."""
        return {name: float(self._of_pairs(name).mean()) for name in PROPERTIES}

    @cached_property
    def best(self) -> list[float]:
        """What the best token touches of random pairs, under each share."""
        passage, eligible = self.pairable.passage, self.pairable.eligible
        first, second = self.pairable.pairs
        some = (slice(strong) for strong in self.pairable.cuts)  # whichever pairs: only their number tells
        every = (StrongPairs(passage, eligible, *(end[None, None, k] for end in (first, second, first))) for k in some)
        return [best_by_luck(touched_at_random(pairs)) for pairs in every]

    def _of_pairs(self, name: str) -> np.ndarray:
        """A property of all P pairs."""
        return PROPERTIES[name](self.pairable.passage, *self.pairable.pairs)

    @cached_property
    def _flags(self) -> np.ndarray:
        """Which of the properties `FLAGS` the pair of each place of the N x N matrix has, a bit each, (N * N,)."""
        flags = np.zeros(len(self.pairable.passage) ** 2, dtype=np.uint8)
        for bit, name in enumerate(FLAGS):
            flags[self.pairable.places] |= self._of_pairs(name).astype(np.uint8) << bit
        return flags

    @cached_property
    def _level(self) -> np.ndarray:
        """The smallest share that takes the k-th pair, (K,)."""
        return np.repeat(np.arange(len(self.pairable.cuts)), np.diff(self.pairable.cuts, prepend=0))

    @cached_property
    def _alike(self) -> np.ndarray:
        """The pairs of one token, (M,)."""
        return np.flatnonzero(self._of_pairs("repetition_share"))

    @cached_property
    def _as_they_stand(self) -> "_Ways":
        """The tokens where they are, for every head."""
        ids = self.pairable.passage.token_ids
        token = np.searchsorted(np.unique(ids[self.pairable.eligible]), ids)
        token[~self.pairable.eligible] = 0  # where no pair ends
        return _Ways(token[None], self.pairable.places[self._alike][None], token[self.pairable.pairs[0][self._alike]])

    @cached_property
    def _and_redrawn(self) -> list["_Ways"]:
        """The same and `DRAWS` times the tokens where `uniqueness` moves them to, for each head of each layer."""
        own, (one, two) = self._as_they_stand, (end[self._alike] for end in self.pairable.pairs)
        positions, size = np.flatnonzero(self.pairable.eligible), len(self.pairable.passage)
        rng, rows = generator_of(self.pairable.passage), self.heads[0] * self.heads[1]
        tokens, alike = ([np.repeat(part[None], rows, axis=0)] for part in (own.tokens, own.alike))
        goes, row = np.zeros((rows, size), dtype=np.int64), np.arange(rows)[:, None]
        for _ in range(DRAWS):
            drawn = np.tile(np.arange(len(positions)), (rows, 1))
            comes = positions[rng.permuted(drawn, axis=1, out=drawn)]
            goes[row, comes] = positions
            moved = np.zeros((rows, size), dtype=np.int64)
            moved[:, positions] = own.tokens[0][comes]
            first, second = goes[:, one], goes[:, two]
            tokens.append(moved[:, None])
            alike.append((np.minimum(first, second) * size + np.maximum(first, second))[:, None])
        by_head = zip(np.concatenate(tokens, axis=1), np.concatenate(alike, axis=1), strict=True)
        return [_Ways(of_tokens, of_pairs, own.token) for of_tokens, of_pairs in by_head]

    def _sums(self, ranked: Ranked, redrawn: bool) -> "_Sums":
        layers, heads, _ = ranked.places.shape
        ways = self._and_redrawn if redrawn else [self._as_they_stand] * (layers * heads)

        def of_layer(number: int) -> tuple[list[_OfHead], np.ndarray]:
            places = ranked.places[number]
            return list(map(self._of_head, places, ways[number * heads : (number + 1) * heads])), self._shared(places)

        made = [of_layer(number) for number in range(layers)]
        of, touched = zip(*(head for of_heads, _ in made for head in of_heads), strict=True)
        by_name = {name: np.stack([one[name] for one in of]).reshape(layers, heads, -1) for name in PROPERTIES}
        shared = np.stack([shared for _, shared in made])
        return _Sums(self.pairable, by_name, shared, np.stack(touched).reshape(layers, heads, *touched[0].shape))

    def _of_head(self, places: np.ndarray, ways: "_Ways") -> "_OfHead":
        """Sums over the strong pairs of a head under each share: of every property, (share,), and the tokens touched."""
        shares, size = len(self.pairable.cuts), len(self.pairable.passage)
        first = places // size
        second = places - first * size
        step = self._level * size
        begins, stops = (
            _running(np.bincount(end + step, minlength=shares * size).reshape(shares, size)) for end in (first, second)
        )
        kinds = np.bincount(self._flags.take(places) + self._level * KINDS, minlength=shares * KINDS)
        kinds = _running(kinds.reshape(shares, KINDS))
        sums = {name: kinds @ (np.arange(KINDS) >> bit & 1) for bit, name in enumerate(FLAGS)}
        sums["mean_distance"] = (stops - begins) @ np.arange(size)
        return sums, self._touched(begins + stops, places, ways)

    def _shared(self, places: np.ndarray) -> np.ndarray:
        """Ordered pairs of heads that share a strong pair, (share,), see `comparison.overlap_count`; places: (head, K)."""
        before, together = np.zeros(len(self.pairable.passage) ** 2, dtype=np.int32), 0
        shared, start = [], 0
        for cut in self.pairable.cuts:
            for own in places[:, start:cut]:
                times = before.take(own)
                together += 2 * int(times.sum())
                before[own] = times + 1
            shared.append(together)
            start = cut
        return np.array(shared)

    def _touched(self, used: np.ndarray, places: np.ndarray, ways: "_Ways") -> np.ndarray:
        """Pairs that touch each token, (share, way, V).

        A pair touches the tokens of both its ends, and one that stands at both of them once. used: (share, N), how many
        pairs end at each position. places: (K,).
        """
        (shares, size), (number, _) = used.shape, ways.tokens.shape
        vocabulary = int(self._as_they_stand.tokens.max()) + 1
        bins = shares * number * vocabulary
        way = vocabulary * np.arange(number)[:, None]
        key = ways.tokens + way + (number * vocabulary) * np.arange(shares)[:, None, None]
        weights = np.broadcast_to(used[:, None], key.shape)
        ends = np.bincount(key.ravel(), weights=weights.ravel(), minlength=bins).astype(np.int64)
        level = np.full(size * size, shares, dtype=np.uint8)
        level[places] = self._level
        found = level.take(ways.alike.ravel())
        strong = np.flatnonzero(found < shares)
        tokens = (ways.token + way).ravel().take(strong)
        twice = np.bincount(found.take(strong) * np.int64(number * vocabulary) + tokens, minlength=bins)
        shape = shares, number, vocabulary
        return ends.reshape(shape) - _running(twice.reshape(shape))


def _running(steps: np.ndarray) -> np.ndarray:
    """Sums of the first one, two, ... of a few rows, in place; three times as fast as `cumsum` over rows."""
    for at in range(1, len(steps)):
        steps[at] += steps[at - 1]
    return steps


_OfHead = tuple[dict[str, np.ndarray], np.ndarray]


@dataclass(frozen=True, eq=False)
class _Ways:
    """Tokens at the positions of a head, as they stand and as they change places.

    tokens: (way, N), by its number among the V distinct ones. alike: (way, M), the places of the pairs of one token; token:
    (M,), which.
    """

    tokens: np.ndarray
    alike: np.ndarray
    token: np.ndarray


@dataclass(frozen=True, eq=False)
class _Sums:
    """Sums over the strong pairs of each head: of every property, (layer, head, share); see `Counter._of_head`."""

    pairable: Pairable
    of: Mapping[str, np.ndarray]
    shared: np.ndarray
    touched: np.ndarray

    @property
    def shape(self) -> tuple[int, ...]:
        return self.touched.shape

    def under(self, at: int) -> Sums:
        """Those under one share."""
        pairable, touched = self.pairable, np.moveaxis(self.touched[:, :, at], 2, 0)
        own = coverage_of(pairable.passage, pairable.eligible, touched[0], pairable.cuts[at])
        moved = [replace(own, pairs=pairs) for pairs in touched[1:]]
        return Sums({name: sums[..., at] for name, sums in self.of.items()}, self.shared[:, at], own, moved)
