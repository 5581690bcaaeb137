"""Tables of the relations of a subject, pooled over its shards, with 95 % intervals over texts.

relation_heads: one row per relation, map and head. relations: one row per relation and map, for the head selected on
one half of the corpus and scored on the other. joined: one row per relation with two candidates, for several heads.

Joined heads are those with the highest accuracy on one half of the corpus. The score of a head is its value for the
right candidate minus that for the wrong one, divided by the root mean square of this difference on that half; scores
are summed over heads. Only the heads and their number are fitted.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from attn_core.head import Head
from attn_core.measures.frames import head_frame
from attn_core.numerics.leave_one_out import inclusion, interval, sizes
from attn_core.patterns.scores import CHANCE, DIRECTIONS, MAPS, Map
from attn_core.runs.shards import numbers, tables_named
from attn_core.similarity.strong_pairs import MEASURES

NUMBERS = (1, 2, 3, 4, 6, 8, 12, 16, 24)  # of joined heads; the most accurate number is selected
WAYS: dict[str, tuple[Map, ...]] = {"similarity": MEASURES, "attention": DIRECTIONS, "all": MAPS}
SCORES = {"score": "percentile", "pointing": "right"}  # column: the sums it is a share of


@dataclass(frozen=True, eq=False)
class RelationSums:
    """Counts of a relation in the n texts, or parts of long texts, in which it occurs.

    texts: (n,), text of each row. pairs: (n,). percentile, right: (n, map, layer, head). offsets: (n, offset).
    """

    texts: np.ndarray
    pairs: np.ndarray
    percentile: np.ndarray
    right: np.ndarray
    offsets: np.ndarray

    @cached_property
    def half(self) -> np.ndarray:
        """Whether each row is in the second half of the texts, (n,) bool."""
        return halves(self.texts)

    def cross_fitted(self, sums: np.ndarray) -> tuple[np.ndarray, list[int]]:
        """The value of each row in the column with the largest total on the other half, (n,), and both columns.

        sums: (n, columns). If a half is empty, values are NaN and no columns are returned.
        """
        values, best = np.full(len(sums), np.nan), []
        for side in (False, True):
            chooses, scored = self.half != side, self.half == side
            if chooses.any() and scored.any():
                best.append(int(sums[chooses].sum(axis=0).argmax()))
                values[scored] = sums[scored, best[-1]]
        return values, best


def halves(texts: np.ndarray) -> np.ndarray:
    """Whether each row is in the second half of the texts, which is every second one, (n,) bool. texts: (n,)."""
    return np.unique(texts, return_inverse=True)[1] % 2 == 1


def bounded(name: str, sums: np.ndarray, whole: np.ndarray, texts: np.ndarray) -> dict[str, float]:
    """The ratio of two sums and its 95 % interval, as columns name, name_low and name_high; NaN if `whole` is 0.

    sums, whole: (n,), terms of numerator and denominator. texts: (n,), the text of each row.
    """
    taken = inclusion(texts)
    with np.errstate(invalid="ignore", divide="ignore"):
        values = (taken @ sums) / (taken @ whole)
    low, high = np.clip(interval(values, sizes(texts, whole)), 0, 1)
    return {name: float(values[0]), f"{name}_low": float(low), f"{name}_high": float(high)}


def pooled_relations(folder: Path, removed: np.ndarray) -> dict[str, pd.DataFrame]:
    """The tables of a subject by name; empty if no text has a pair.

    folder: of its shards. removed: whether each head is removed, (layer, head) bool: it is never selected.
    """
    shards = list(tables_named(folder, "relations"))
    if not shards:
        return {}
    whole = pa.concat_tables(shards)
    pairs = whole.group_by("relation").aggregate([("pairs", "sum")])
    order = pairs.sort_by([("pairs_sum", "descending"), ("relation", "ascending")])["relation"].to_pylist()
    relations = {name: _sums(whole.filter(pc.equal(whole["relation"], name)), removed) for name in order}
    tables = {
        "relations": pd.DataFrame([row for name, one in relations.items() for row in relation_rows(name, one)]),
        "relation_heads": pd.concat([_heads(name, one, removed) for name, one in relations.items()], ignore_index=True),
    }
    choices = list(tables_named(folder, "margins"))
    joined = list(_joined_rows(pa.concat_tables(choices), relations, removed)) if choices else []
    return tables | ({"joined": pd.DataFrame(joined)} if joined else {})


def _sums(counted: pa.Table, removed: np.ndarray) -> RelationSums:
    columns = ("pairs", "percentile", "right", "offsets")
    sums = {name: numbers(counted[name]).astype(np.float64) for name in columns}
    sums |= {name: _by_head(sums[name], removed) for name in ("percentile", "right")}
    return RelationSums(texts=numbers(counted["group"]), **sums)


def _by_head(values: np.ndarray, removed: np.ndarray) -> np.ndarray:
    """The values (n, map, layer, head) of a column, 0 for removed heads, which no text is right by."""
    return np.where(removed, 0, values.reshape(-1, len(MAPS), *removed.shape))


def _heads(name: str, one: RelationSums, removed: np.ndarray) -> pd.DataFrame:
    """The score and pointing accuracy of every head over all texts, without removed heads."""
    pairs = one.pairs.sum()
    every = pd.DataFrame({"relation": name, "map": MAPS}).merge(head_frame({}, *removed.shape), how="cross").assign(
        pairs=int(pairs),
        score=one.percentile.sum(axis=0).ravel() / pairs, chance_score=CHANCE,
        pointing=one.right.sum(axis=0).ravel() / pairs, chance_pointing=one.offsets.sum(axis=0).max() / pairs,
    )  # fmt: skip
    return every[np.tile(~removed.ravel(), len(MAPS))]


def relation_rows(name: str, one: RelationSums) -> Iterator[dict[str, object]]:
    """Rows of the table relations, one per map."""
    others = {"chance_score": CHANCE, **bounded("fixed_offset", one.cross_fitted(one.offsets)[0], one.pairs, one.texts)}
    for at, kind in enumerate(MAPS):
        row: dict[str, object] = {"relation": name, "map": kind, "texts": len(np.unique(one.texts))}
        row["pairs"] = int(one.pairs.sum())
        for column, sums in SCORES.items():
            by_head = getattr(one, sums)[:, at]
            values, best = one.cross_fitted(by_head.reshape(len(by_head), -1))
            heads = [str(Head(*map(int, np.unravel_index(head, by_head.shape[1:])))) for head in best]
            row |= {**bounded(column, values, one.pairs, one.texts), f"{column}_heads": " ".join(heads)}
        yield row | others


def _joined_rows(
    choices: pa.Table, relations: dict[str, RelationSums], removed: np.ndarray
) -> Iterator[dict[str, object]]:
    """Rows of the table joined: one per set of maps and relation whose questions all have two candidates."""
    for name, number in choices["relation"].to_pandas().value_counts(sort=False).items():
        own = choices.filter(pc.equal(choices["relation"], name))
        texts = numbers(own["group"])
        half = halves(texts)
        if number < relations[str(name)].pairs.sum() or half.all() or not half.any():
            continue
        by_head = _by_head(numbers(own["margin"]), removed)
        for way, among in WAYS.items():
            right, by_half = cross_fit_joined(by_head, half, among)
            row = {"relation": name, "way": way, "heads": " | ".join(map(str, by_half)), "pairs": len(own)}
            yield row | bounded("accuracy", right, np.ones(len(own)), texts)


@dataclass(frozen=True, eq=False)
class JoinedHeads:
    """The k heads whose scores are summed, the best first. places: (3, k), map, layer and head from 0. scales: (k,)."""

    places: np.ndarray
    scales: np.ndarray

    def __str__(self) -> str:
        return " ".join(f"{Head(*head)}:{MAPS[number]}" for number, *head in self.places.T.tolist())

    def answers(self, margins: np.ndarray) -> np.ndarray:
        """The summed scores of the heads, (n,), positive if they are right. margins: (n, map, layer, head)."""
        return (margins[:, *self.places] / self.scales).sum(axis=1)


def choose(margins: np.ndarray, among: tuple[Map, ...]) -> JoinedHeads:
    """The most accurate heads of some maps; ties go to the first. margins: (n, map, layer, head)."""
    numbers = np.array([MAPS.index(name) for name in among])
    right = (margins[:, numbers] > 0).mean(axis=0)
    best = np.argsort(-right, axis=None, kind="stable")[: max(NUMBERS)]
    maps, *heads = np.unravel_index(best, right.shape)
    places = np.stack([numbers[maps], *heads])
    of_best = margins[:, *places]
    scales = np.sqrt((of_best**2).mean(axis=0))
    scales[scales == 0] = 1.0
    together = (np.cumsum(of_best / scales, axis=1) > 0).mean(axis=0)
    most = max((number for number in NUMBERS if number <= len(best)), key=lambda number: together[number - 1])
    return JoinedHeads(places[:, :most], scales[:most])


def cross_fit_joined(
    margins: np.ndarray, half: np.ndarray, among: tuple[Map, ...]
) -> tuple[np.ndarray, list[JoinedHeads]]:
    """Whether the heads selected on the other half are right on each question, (n,) bool, and the heads of both halves.

    margins: (n, map, layer, head). half: (n,) bool, neither half empty.
    """
    right = np.zeros(len(margins), dtype=bool)
    chosen = [choose(margins[half != side], among) for side in (False, True)]
    for side, joined in zip((False, True), chosen, strict=True):
        right[half == side] = joined.answers(margins[half == side]) > 0
    return right, chosen
