"""Heads that answer together which of two words a pronoun means: those that are right most often on one half of the corpus,
scored on the other.

A head's answer is its value for the one word above its value for the other, over the root mean square of that among the
texts that chose it; the answers add up. Nothing is learned but which heads, and how many.
"""

from dataclasses import dataclass

import numpy as np

from attn_core.head import Head
from attn_core.patterns.word_maps import DIRECTIONS, MAPS, Map
from attn_core.similarity.strong_pairs import MEASURES

NUMBERS = (1, 2, 3, 4, 6, 8, 12, 16, 24)  # of heads that may be joined


@dataclass(frozen=True)
class Way:
    """From which maps heads are taken, and how many; None: as many as are right most often on the texts that choose."""

    name: str
    maps: tuple[Map, ...]
    number: int | None


WAYS = (
    *(Way(f"best head, {kind}", (kind,), 1) for kind in MAPS),
    *(Way(f"best three, {kind}", (kind,), 3) for kind in MAPS),
    Way("joined, similarity", MEASURES, None),
    Way("joined, attention", DIRECTIONS, None),
    Way("joined, all", MAPS, None),
)


@dataclass(frozen=True, eq=False)
class Joined:
    """Heads that answer together. kinds, layers, heads, scales: (k,), the best first; counted from 0."""

    kinds: tuple[Map, ...]
    layers: np.ndarray
    heads: np.ndarray
    scales: np.ndarray

    def __len__(self) -> int:
        return len(self.kinds)

    def __str__(self) -> str:
        heads = map(Head, self.layers.tolist(), self.heads.tolist())
        return " ".join(f"{head}:{kind}" for kind, head in zip(self.kinds, heads, strict=True))

    def answers(self, margins: np.ndarray) -> np.ndarray:
        """The sum of the heads' answers, (n,), above 0 where they are right. margins: (n, map, layer, head)."""
        at = [MAPS.index(kind) for kind in self.kinds]
        return (margins[:, at, self.layers, self.heads] / self.scales).sum(axis=1)


def choose(margins: np.ndarray, way: Way) -> Joined:
    """The heads of a way that are right most often, of equal ones the first. margins: (n, map, layer, head), n at least 1."""
    maps = [MAPS.index(kind) for kind in way.maps]
    among = margins[:, maps]
    right = (among > 0).mean(axis=0)
    most = max(NUMBERS) if way.number is None else way.number
    best = np.argsort(-right, axis=None, kind="stable")[:most]
    kinds, layers, heads = np.unravel_index(best, right.shape)
    of_best = among[:, kinds, layers, heads]
    scales = np.sqrt((of_best**2).mean(axis=0))
    scales[scales == 0] = 1.0
    if way.number is None:
        together = (np.cumsum(of_best / scales, axis=1) > 0).mean(axis=0)
        most = max((number for number in NUMBERS if number <= len(best)), key=lambda number: together[number - 1])
    few = slice(most)
    return Joined(tuple(way.maps[kind] for kind in kinds[few]), layers[few], heads[few], scales[few])


def crossed(margins: np.ndarray, half: np.ndarray, way: Way) -> tuple[np.ndarray, list[Joined]]:
    """Whether each question is answered right by the heads that the other half chose, (n,), and the heads by half.

    margins: (n, map, layer, head). half: (n,) bool, both halves there.
    """
    right = np.zeros(len(margins), dtype=bool)
    chosen = [choose(margins[half != side], way) for side in (False, True)]
    for side, joined in zip((False, True), chosen, strict=True):
        right[half == side] = joined.answers(margins[half == side]) > 0
    return right, chosen
