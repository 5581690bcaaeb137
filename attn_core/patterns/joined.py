"""Several heads that answer together which of two words is the right one.

The heads are those that are right most often on one half of the corpus; they are scored on the other. A head's answer
is its value for the one word less that for the other, over the root mean square of this difference in the half that
chose it; the answers are summed. Only the heads and their number are fitted.
"""

from dataclasses import dataclass

import numpy as np

from attn_core.head import Head
from attn_core.patterns.word_maps import DIRECTIONS, MAPS, Map
from attn_core.similarity.strong_pairs import MEASURES

NUMBERS = (1, 2, 3, 4, 6, 8, 12, 16, 24)  # of joined heads: the one that is right most often is taken
WAYS: dict[str, tuple[Map, ...]] = {"similarity": MEASURES, "attention": DIRECTIONS, "all": MAPS}


@dataclass(frozen=True, eq=False)
class JoinedHeads:
    """Heads that answer together. maps, layers, heads, scales: (k,), the best first; numbers count from 0."""

    maps: np.ndarray
    layers: np.ndarray
    heads: np.ndarray
    scales: np.ndarray

    def __str__(self) -> str:
        heads = map(Head, self.layers.tolist(), self.heads.tolist())
        return " ".join(f"{head}:{MAPS[number]}" for number, head in zip(self.maps.tolist(), heads, strict=True))

    def answers(self, margins: np.ndarray) -> np.ndarray:
        """The sum of the heads' answers, (n,), above 0 where they are right. margins: (n, map, layer, head)."""
        return (margins[:, self.maps, self.layers, self.heads] / self.scales).sum(axis=1)


def choose(margins: np.ndarray, among: tuple[Map, ...]) -> JoinedHeads:
    """The heads of some maps that are right most often, of equal ones the first. margins: (n, map, layer, head)."""
    numbers = np.array([MAPS.index(name) for name in among])
    right = (margins[:, numbers] > 0).mean(axis=0)
    best = np.argsort(-right, axis=None, kind="stable")[: max(NUMBERS)]
    maps, layers, heads = np.unravel_index(best, right.shape)
    of_best = margins[:, numbers[maps], layers, heads]
    scales = np.sqrt((of_best**2).mean(axis=0))
    scales[scales == 0] = 1.0
    together = (np.cumsum(of_best / scales, axis=1) > 0).mean(axis=0)
    most = max((number for number in NUMBERS if number <= len(best)), key=lambda number: together[number - 1])
    return JoinedHeads(numbers[maps][:most], layers[:most], heads[:most], scales[:most])


def crossed(margins: np.ndarray, half: np.ndarray, among: tuple[Map, ...]) -> tuple[np.ndarray, list[JoinedHeads]]:
    """Whether the heads that the other half chose answer each question rightly, (n,), and the heads by half.

    margins: (n, map, layer, head). half: (n,) bool, True and False both there.
    """
    right = np.zeros(len(margins), dtype=bool)
    chosen = [choose(margins[half != side], among) for side in (False, True)]
    for side, joined in zip((False, True), chosen, strict=True):
        right[half == side] = joined.answers(margins[half == side]) > 0
    return right, chosen
