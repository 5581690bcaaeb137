"""Heads that answer together which of two words it is: those that are right most often on one half of the corpus, scored on the
other; of the relations that are always a choice between two.

A head's answer is its value for the one word above its value for the other, over the root mean square of that among the
texts that chose it; the answers add up. Nothing is learned but which heads, and how many.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from attn_core.head import Head
from attn_core.patterns.over_texts import bounded, halves
from attn_core.patterns.word_maps import DIRECTIONS, MAPS, Map
from attn_core.runs.shards import numbers
from attn_core.similarity.strong_pairs import MEASURES

NUMBERS = (
    1,
    2,
    3,
    4,
    6,
    8,
    12,
    16,
    24,
)  # of heads that may be joined: as many as are right most often on the texts that choose
FROM: dict[str, tuple[Map, ...]] = {"similarity": MEASURES, "attention": DIRECTIONS, "all": MAPS}


@dataclass(frozen=True, eq=False)
class Joined:
    """Heads that answer together. kinds, layers, heads, scales: (k,), the best first; maps, layers and heads counted from 0."""

    kinds: np.ndarray
    layers: np.ndarray
    heads: np.ndarray
    scales: np.ndarray

    def __str__(self) -> str:
        heads = map(Head, self.layers.tolist(), self.heads.tolist())
        return " ".join(f"{head}:{MAPS[kind]}" for kind, head in zip(self.kinds.tolist(), heads, strict=True))

    def answers(self, margins: np.ndarray) -> np.ndarray:
        """The sum of the heads' answers, (n,), above 0 where they are right. margins: (n, map, layer, head)."""
        return (margins[:, self.kinds, self.layers, self.heads] / self.scales).sum(axis=1)


def choose(margins: np.ndarray, maps: tuple[Map, ...]) -> Joined:
    """The heads of some maps that are right most often, of equal ones the first. margins: (n, map, layer, head), n at least 1."""
    among = margins[:, [MAPS.index(kind) for kind in maps]]
    right = (among > 0).mean(axis=0)
    best = np.argsort(-right, axis=None, kind="stable")[: max(NUMBERS)]
    kinds, layers, heads = np.unravel_index(best, right.shape)
    of_best = among[:, kinds, layers, heads]
    scales = np.sqrt((of_best**2).mean(axis=0))
    scales[scales == 0] = 1.0
    together = (np.cumsum(of_best / scales, axis=1) > 0).mean(axis=0)
    most = max((number for number in NUMBERS if number <= len(best)), key=lambda number: together[number - 1])
    of_map = np.array([MAPS.index(kind) for kind in maps])[kinds]
    return Joined(of_map[:most], layers[:most], heads[:most], scales[:most])


def crossed(margins: np.ndarray, half: np.ndarray, maps: tuple[Map, ...]) -> tuple[np.ndarray, list[Joined]]:
    """Whether each question is answered right by the heads that the other half chose, (n,), and the heads by half.

    margins: (n, map, layer, head). half: (n,) bool, both halves there.
    """
    right = np.zeros(len(margins), dtype=bool)
    chosen = [choose(margins[half != side], maps) for side in (False, True)]
    for side, joined in zip((False, True), chosen, strict=True):
        right[half == side] = joined.answers(margins[half == side]) > 0
    return right, chosen


def joined_table(margins: pa.Table, relations: pa.Table, shape: tuple[int, int]) -> pd.DataFrame:
    """One row a relation and what heads are chosen from: relation, way, heads, pairs, accuracy and its bounds."""
    return pd.DataFrame(_rows(margins, relations, shape))


def _rows(margins: pa.Table, relations: pa.Table, shape: tuple[int, int]) -> Iterator[dict[str, object]]:
    asked = relations.group_by("relation").aggregate([("pairs", "sum")]).to_pandas().set_index("relation")["pairs_sum"]
    for name, choices in margins["relation"].to_pandas().value_counts(sort=False).items():
        own = margins.filter(pc.equal(margins["relation"], name))
        texts = numbers(own["group"])
        half = halves(texts)
        if choices < asked[name] or half.all() or not half.any():
            continue
        by_head = numbers(own["margin"]).reshape(len(own), len(MAPS), *shape)
        for way, maps in FROM.items():
            right, by_half = crossed(by_head, half, maps)
            row = {"relation": name, "way": way, "heads": " | ".join(map(str, by_half)), "pairs": len(own)}
            yield row | bounded("accuracy", right, np.ones(len(own)), texts)
