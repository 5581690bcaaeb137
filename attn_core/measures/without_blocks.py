"""What a window counts without a block of its tokens and the pairs that touch it: each pair by how often it then stands.

Every head keeps its number of pairs, so that the windows' counts add up: those that remain are taken again from the
strongest on. So each pair has a weight, and what is counted is a sum of weights. A head of which none remains gets pairs evenly
spaced among all that are left. What is drawn at random is drawn once for all blocks.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from attn_core.measures.attention import attention_on, separators
from attn_core.measures.comparison import earlier_heads
from attn_core.measures.effects import PROPERTIES, Sums, effect_counts
from attn_core.measures.noise import BY_TEXT
from attn_core.measures.random_pairs import generator_of, random_heads
from attn_core.measures.standing_out import best_by_luck
from attn_core.measures.tally import Count
from attn_core.measures.token_coverage import RANDOM_HEADS, PairEnds, Touching, coverage_of, expected_of, token_numbers
from attn_core.measures.uniqueness import permuted
from attn_core.measures.window import Window
from attn_core.numerics.pairs import pairs_among
from attn_core.similarity.strong_pairs import StrongPairs

FEW_DRAWS = 2  # made-up models behind the uniqueness by chance
AT_ONCE = 2**20  # pairs, of whole layers: of a long window the weights of all would take gigabytes


def counts_without(window: Window, blocks: Sequence[np.ndarray]) -> Iterator[dict[str, Count]]:
    """`effects.NEEDED` of a window without each block of its tokens, (N,) bool; no token is in two."""
    pairs = window.pairs
    luck = random_heads(pairs, RANDOM_HEADS, generator_of(pairs.passage))
    sums = _sums(pairs, blocks, FEW_DRAWS), _sums(window.structureless, blocks), _sums(luck, blocks)
    for gone, left, means, own, random, lucky in zip(blocks, *_all_pairs(pairs, blocks), *sums, strict=True):
        yield effect_counts(own, random, means, best_by_luck(lucky.touching), left, _without_pairs(window, gone, left))


def _without_pairs(window: Window, gone: np.ndarray, left: int) -> dict[str, Count]:
    """What is counted of attention and of unrelated tokens; left: pairs that could be chosen."""
    passage, noise = window.pairs.passage, window.noise
    return {
        "separator_attention": attention_on(separators(passage) & ~gone, window.received, window.even),
        BY_TEXT: Count(noise.reached, noise.looked * (window.pairs.shape[2] / left), 1.0),
    }


def _all_pairs(pairs: StrongPairs, blocks: Sequence[np.ndarray]) -> tuple[list[int], list[dict[str, float]]]:
    """Without each block, how many pairs could be chosen, and the mean of every property over them."""
    first, second = pairs.all_pairs
    side = len(blocks) + 1
    block = sum((number * gone for number, gone in enumerate(blocks, start=1)), np.zeros(len(pairs.passage), dtype=int))
    cell = block[first] * side + block[second]

    def left(values: np.ndarray | None) -> np.ndarray:
        table = np.bincount(cell, weights=values, minlength=side**2).reshape(side, side)
        return np.array([np.delete(np.delete(table, at, 0), at, 1).sum() for at in range(1, side)])

    number = left(None)
    means = {name: left(of_pairs(pairs.passage, first, second)) / number for name, of_pairs in PROPERTIES.items()}
    return number.tolist(), [dict(zip(means, each, strict=True)) for each in zip(*means.values(), strict=True)]


def _sums(pairs: StrongPairs, blocks: Sequence[np.ndarray], draws: int = 0) -> list[Sums]:
    """The sums of effects without each block."""
    layers, heads, strong = pairs.shape
    tokens, vocabulary = token_numbers(pairs.passage, pairs.eligible)
    ways = np.empty((layers, heads, 1 + draws, len(tokens)), dtype=np.int64)
    ways[:, :, 0] = tokens
    for draw, moved in enumerate(permuted(pairs, draws), start=1):
        ways[:, :, draw] = moved.reshape(layers, heads, -1)
    some = max(1, AT_ONCE // (heads * strong * len(blocks)))
    parts = [
        _Layers(pairs.first[at : at + some], pairs.second[at : at + some], pairs, ways[at : at + some]).without(blocks)
        for at in range(0, layers, some)
    ]
    every, made = coverage_of(pairs.passage, pairs.eligible, np.zeros(vocabulary), strong), []
    for gone, of, touched in zip(
        blocks, *(np.concatenate(each, axis=1) for each in zip(*parts, strict=True)), strict=True
    ):
        *properties, earlier = np.moveaxis(of, -1, 0)
        own, *moved = np.moveaxis(touched, 2, 0)
        occurrences = np.bincount(tokens[pairs.eligible & ~gone], minlength=vocabulary)
        touching = replace(every, occurrences=occurrences, expected=expected_of(occurrences, strong), pairs=own)
        anywhere = [replace(every, pairs=one) for one in moved]
        made.append(Sums(dict(zip(PROPERTIES, properties, strict=True)), 2 * earlier.sum(axis=1), touching, anywhere))
    return made


class _Layers:
    """The strong pairs of some layers, (layer, head, K), and all that is added up of them whatever their weights.

    ways: the numbers of the tokens as they stand, and where they changed places, (layer, head, way, N). pairs: of all layers.
    """

    def __init__(self, first: np.ndarray, second: np.ndarray, pairs: StrongPairs, ways: np.ndarray) -> None:
        self._pairs, self._ways, (self._heads, strong) = pairs, ways, (first.shape[:2], first.shape[2])
        size, vocabulary = len(pairs.passage), len(np.unique(pairs.passage.token_ids[pairs.eligible]))
        self._first, self._second = (end.reshape(-1, strong) for end in (first, second))
        each = [of_pairs(pairs.passage, first, second) for of_pairs in PROPERTIES.values()]
        earlier = [earlier_heads(places, size**2) for places in first * size + second]
        self._values = np.stack([*each, earlier], axis=-1, dtype=float).reshape(-1, strong, len(each) + 1)
        self._ends = PairEnds(self._first, self._second, size)
        by_way = np.moveaxis(ways, 2, 0).reshape(ways.shape[2], -1, size)
        self._touching = [Touching(self._ends, tokens, vocabulary) for tokens in by_way]

    def without(self, blocks: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """Sums without each block.

        Of the properties and of `earlier_heads`, (block, layer, head, 5), and the pairs that touch each token, (block, layer,
        head, way, V).
        """
        weights = np.empty((len(blocks), *self._first.shape))
        none = np.empty((len(blocks), len(self._first)), dtype=bool)
        number = sum((at * gone for at, gone in enumerate(blocks, start=1)), np.zeros(len(blocks[0]), dtype=np.int16))
        begins, stops = number.take(self._first), number.take(self._second)
        for at in range(len(blocks)):
            remain = (begins != at + 1) & (stops != at + 1)
            weights[at], none[at] = _refilled(remain), ~remain.any(axis=1)
        of = weights.swapaxes(0, 1) @ self._values
        touched = np.stack([self._touched(each) for each in weights])
        heads = len(blocks), *self._heads
        of, touched = of.swapaxes(0, 1).reshape(*heads, -1), touched.reshape(*heads, *touched.shape[2:])
        for at in np.flatnonzero(none.any(axis=1)).tolist():
            of[at], touched[at] = (one[0] for one in self._spaced(none[at], blocks[at]).without([blocks[at]]))
        return of, touched

    def _touched(self, weights: np.ndarray) -> np.ndarray:
        used = self._ends.used(weights)
        return np.stack([tokens.pairs(used, weights) for tokens in self._touching], axis=1)

    def _spaced(self, none: np.ndarray, gone: np.ndarray) -> "_Layers":
        """The same with pairs evenly spaced among all that are left for the heads of which none remains, (row,) bool."""
        positions, strong = np.flatnonzero(self._pairs.eligible & ~gone), self._first.shape[1]
        every = pairs_among(positions)
        at = np.arange(strong) * len(every[0]) // strong
        ends = zip(every, (self._first, self._second), strict=True)
        first, second = (np.where(none[:, None], end[at], own) for end, own in ends)
        return _Layers(
            first.reshape(*self._heads, strong), second.reshape(*self._heads, strong), self._pairs, self._ways
        )


def _refilled(remain: np.ndarray) -> np.ndarray:
    """How often each pair stands in its row once those that remain fill it again from the first on, (row, K)."""
    rank = remain.cumsum(axis=1, dtype=np.int32)
    times, more = np.divmod(np.int32(remain.shape[1]), np.maximum(rank[:, -1:], 1))
    return remain * (times + (rank <= more))
