"""What the effects need of one window, as `effects.effect_counts` has it, under every share of strong pairs at once.

The pairs of a smaller share are the first of those of a larger one, so that sums over them are sums of steps. Formulas and
chance levels are those of the statistics; only the adding up is of its own.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from attn_core.measures import attention, strength
from attn_core.measures import pair_properties as properties
from attn_core.measures.comparison import count_of_shared
from attn_core.measures.random_pairs import generator_of
from attn_core.measures.standing_out import Shares, best_by_luck, counts_of_shares, shares_of_layers
from attn_core.measures.statistics import ANCHOR_UNIQUENESS, HEAD_OVERLAP
from attn_core.measures.tally import Count
from attn_core.measures.token_coverage import TokenCoverage, coverage_of
from attn_core.measures.uniqueness import DRAWS, count_of_distinct
from attn_core.measures.window_counts import MADE_UP_OVERLAP
from attn_core.numerics.threads import on_every_core
from attn_core.similarity.every_share import Pairable, Ranked
from attn_core.similarity.strong_pairs import StrongPairs

PROPERTIES = {
    "mean_distance": properties.distance,
    "same_sentence_share": properties.same_sentence,
    "repetition_share": properties.repetition,
    "separator_share": properties.separator,
}


@dataclass(frozen=True, eq=False)
class Counter:
    """What a window and the choice of its tokens decide, whatever makes its pairs strong. heads: (layers, heads a layer)."""

    pairable: Pairable
    heads: tuple[int, int]

    def counts(
        self, ranked: Ranked, structureless: Ranked, reached: np.ndarray, looked: int, received: np.ndarray, even: np.ndarray
    ) -> list[dict[str, Count]]:
        """The counts under each share. reached: (layer, head, share), of so many pairs of unrelated tokens (`looked`)."""
        own, random = self._sums(ranked, self._draws), self._sums(structureless, None)
        pairs = len(self.pairable.places)
        to_separators = attention.count_of_attention(self.pairable.passage, attention.separators, received, even)
        made = []
        for at, strong in enumerate(self.pairable.cuts):
            touching, *moved = own.coverages(at)
            shares = (self._standing_out(sums, at) for sums in (own, random))
            made.append(
                {
                    "mean_distance": self._mean("mean_distance", own, at),
                    "same_sentence_share": self._mean("same_sentence_share", own, at),
                    "separator_attention": to_separators,
                    "noise_rate": strength.count_of_reached(reached[..., at], looked, strong, pairs),
                    **counts_of_shares(*shares),
                    HEAD_OVERLAP.name: count_of_shared(own.shared[:, at], own.shape[1], strong, pairs),
                    MADE_UP_OVERLAP: count_of_shared(random.shared[:, at], random.shape[1], strong, pairs),
                    ANCHOR_UNIQUENESS.name: count_of_distinct(touching, moved),
                }
            )
        return made

    @cached_property
    def of_pairs(self) -> dict[str, np.ndarray]:
        """Every property of all P pairs."""
        return {name: of(self.pairable.passage, *self.pairable.pairs) for name, of in PROPERTIES.items()}

    @cached_property
    def chance(self) -> dict[str, float]:
        """The mean of every property over all P pairs."""
        return {name: float(values.mean()) for name, values in self.of_pairs.items()}

    @cached_property
    def best(self) -> list[float]:
        """What the best token touches of random pairs, under each share."""
        return on_every_core(self._best, self.pairable.cuts)

    def _best(self, cuts: Sequence[int]) -> list[float]:
        passage, eligible = self.pairable.passage, self.pairable.eligible
        first, second = self.pairable.pairs
        some = (slice(strong) for strong in cuts)  # whichever pairs: only their number tells
        return [
            best_by_luck(StrongPairs(passage, eligible, *(end[None, None, k] for end in (first, second, first))))
            for k in some
        ]

    @cached_property
    def tokens(self) -> np.ndarray:
        """The token of every position that may pair, by its place among the V distinct ids, (N,)."""
        ids = self.pairable.passage.token_ids
        return np.searchsorted(np.unique(ids[self.pairable.eligible]), ids)

    @cached_property
    def _alike(self) -> np.ndarray:
        """The pairs of one token, (M,)."""
        return np.flatnonzero(self.of_pairs["repetition_share"])

    @cached_property
    def _draws(self) -> np.ndarray:
        """Where each position's token goes in every head and draw, (layer, head, draw, N), as `uniqueness._moved` draws it."""
        positions = np.flatnonzero(self.pairable.eligible)
        rng, rows = generator_of(self.pairable.passage), self.heads[0] * self.heads[1]
        goes = np.zeros((rows, DRAWS, len(self.tokens)), dtype=np.int32)
        for draw in range(DRAWS):
            comes = rng.permuted(np.tile(np.arange(len(positions)), (rows, 1)), axis=1)
            np.put_along_axis(goes[:, draw], positions[comes], positions.astype(np.int32)[None], axis=1)
        return goes.reshape(*self.heads, DRAWS, -1)

    def _mean(self, name: str, sums: "_Sums", at: int) -> Count:
        strong = self.pairable.cuts[at]
        return Count(sums.of[name][..., at], self.chance[name] * strong, strong)

    def _standing_out(self, sums: "_Sums", at: int) -> Shares:
        strong = self.pairable.cuts[at]
        repeated, separated = (
            (sums.of[name][..., at] / strong, self.chance[name]) for name in ("repetition_share", "separator_share")
        )
        return shares_of_layers(next(sums.coverages(at)), self.best[at], repeated, separated)

    def _sums(self, ranked: Ranked, draws: np.ndarray | None) -> "_Sums":
        layers = on_every_core(
            lambda some: [self._of_layer(ranked.order[n], None if draws is None else draws[n]) for n in some],
            list(range(len(ranked.order))),
        )
        names = (*self.of_pairs, "shared", "touched")
        made = {name: np.stack([layer[name] for layer in layers]) for name in names}
        return _Sums(self.pairable, made, made.pop("shared"), made.pop("touched"))

    def _of_layer(self, order: np.ndarray, draws: np.ndarray | None) -> dict[str, np.ndarray]:
        """Sums over the strong pairs of a layer's heads under each share; order: (head, K), draws: (head, draw, N)."""
        used = self._by_share(order, self._used)
        return {
            **{
                name: self._by_share(order, lambda some, of=values: of.take(some).sum(axis=1))
                for name, values in self.of_pairs.items()
            },
            "shared": self._shared(order),
            "touched": np.stack(
                [self._touched(used[head], order[head], None if draws is None else draws[head]) for head in range(len(order))]
            ),
        }

    def _by_share(self, order: np.ndarray, of_step: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """(head, share, ...): what is added by the pairs that each share takes beyond the one before, added up."""
        return np.cumsum(np.stack([of_step(some) for some in self._steps(order)], axis=1), axis=1)

    def _steps(self, order: np.ndarray) -> Iterator[np.ndarray]:
        starts = (0, *self.pairable.cuts)
        return (order[..., start:end] for start, end in zip(starts, self.pairable.cuts, strict=False))

    def _used(self, some: np.ndarray) -> np.ndarray:
        """How many of the pairs end at each position, (head, N)."""
        heads, size = len(some), len(self.tokens)
        row = size * np.arange(heads)[:, None]
        ends = [(row + end.take(some)).ravel() for end in self.pairable.pairs]
        return np.bincount(np.concatenate(ends), minlength=heads * size).reshape(heads, size)

    def _shared(self, order: np.ndarray) -> np.ndarray:
        """Ordered pairs of heads that share a strong pair, (share,), see `comparison.overlap_count`."""
        times = np.zeros(len(self.pairable.places), dtype=np.int64)
        shared = []
        for some in self._steps(order):
            times += np.bincount(some.ravel(), minlength=len(times))
            shared.append(int(times @ (times - 1)))
        return np.array(shared)

    def _touched(self, used: np.ndarray, order: np.ndarray, draws: np.ndarray | None) -> np.ndarray:
        """Pairs that touch each token, as they stand and in every draw, (share, 1 + draws, V).

        A pair touches the tokens of both its ends, and one that stands at both of them once. used: (share, N).
        """
        shares, size = used.shape
        goes = np.arange(size)[None] if draws is None else np.concatenate([np.arange(size)[None], draws])
        level = np.full(size * size, shares, dtype=np.uint8)  # the first share that takes a pair, by its place
        for share, some in enumerate(self._steps(order)):
            level[self.pairable.places.take(some)] = share
        one, two = (goes[:, end[self._alike]] for end in self.pairable.pairs)
        found = level.take(np.minimum(one, two) * size + np.maximum(one, two))
        ways, number = len(goes), int(self.tokens[self.pairable.eligible].max()) + 1
        way, pair = np.nonzero(found < shares)
        token = self.tokens[self.pairable.pairs[0][self._alike[pair]]]
        twice = np.bincount((found[way, pair].astype(np.int64) * ways + way) * number + token, minlength=shares * ways * number)
        ends = np.zeros((shares, ways, number), dtype=np.int64)
        comes = self.tokens[self.pairable.eligible]
        at = goes[:, self.pairable.eligible]
        for way_number in range(ways):
            key = comes + number * np.arange(shares)[:, None]
            ends[:, way_number] = np.bincount(
                key.ravel(), weights=used[:, at[way_number]].ravel(), minlength=shares * number
            ).reshape(shares, number)
        return ends - np.cumsum(twice.reshape(shares, ways, number), axis=0)


@dataclass(frozen=True, eq=False)
class _Sums:
    """Sums over the strong pairs of each head: of every property, (layer, head, share); see `Counter._of_layer`."""

    pairable: Pairable
    of: dict[str, np.ndarray]
    shared: np.ndarray
    touched: np.ndarray

    @property
    def shape(self) -> tuple[int, ...]:
        return self.touched.shape

    def coverages(self, at: int) -> Iterator[TokenCoverage]:
        """The tokens that the pairs of a share touch, as they stand, then in every draw."""
        pairable, touched = self.pairable, self.touched[:, :, at]
        own = coverage_of(pairable.passage, pairable.eligible, touched[:, :, 0], pairable.cuts[at])
        yield own
        for way in range(1, touched.shape[2]):
            yield replace(own, pairs=touched[:, :, way])
