"""From shards to tables: how well every head sees every relation, the best one chosen on one half of the corpus and scored on
the other, with 95 % intervals over texts.

relation_heads: one row a relation, map and head: score, p, p over all heads, pointing accuracy. relations: one row a relation
and map: what the head that the other half chose by the same number reaches. joined: which of two words, by several heads
together.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from scipy.stats import false_discovery_control

from attn_core.head import Head
from attn_core.measures.frames import head_frame
from attn_core.numerics.leave_one_out import p_above, sizes
from attn_core.patterns.joined import joined_table
from attn_core.patterns.over_texts import bounded, halves, shares
from attn_core.patterns.scores import CHANCE, OFFSETS
from attn_core.patterns.word_maps import MAPS
from attn_core.runs.shards import numbers, tables_named

NUMBERS = {"score": "percentile", "pointing": "right"}  # what is summed over the pairs


@dataclass(frozen=True, eq=False)
class Pooled:
    """A relation in all n texts, or parts of long ones, that have it.

    texts: (n,) the numbers of the texts. pairs, last: (n,). percentile, right: (n, map, layer, head), sums. offsets: (n, offset).
    """

    texts: np.ndarray
    pairs: np.ndarray
    last: np.ndarray
    percentile: np.ndarray
    right: np.ndarray
    offsets: np.ndarray

    @cached_property
    def half(self) -> np.ndarray:
        """(n,) bool: every second text that has the relation chooses for the others."""
        return halves(self.texts)

    def share(self, name: str, sums: np.ndarray) -> dict[str, float]:
        """A share of the pairs of all texts and the bounds of its interval, see `over_texts.bounded`. sums: (n,)."""
        return bounded(name, sums, self.pairs, self.texts)

    def crossed(self, sums: np.ndarray) -> tuple[np.ndarray, list[int]]:
        """Of each text what the best column by the other half has, (n,), and the best columns by half, none where a half
        is empty. sums: (n, columns)."""
        values, best = np.full(len(sums), np.nan), []
        for side in (False, True):
            chooses, scored = self.half != side, self.half == side
            if chooses.any() and scored.any():
                best.append(int(sums[chooses].sum(axis=0).argmax()))
                values[scored] = sums[scored, best[-1]]
        return values, best


def pooled_relations(folder: Path, shape: tuple[int, int]) -> dict[str, pd.DataFrame]:
    """The tables of a subject by name; none without a pair in any text. folder: that has its shards."""
    shards = list(tables_named(folder, "relations"))
    if not shards:
        return {}
    whole = pa.concat_tables(shards, promote_options="default")
    heads: list[pd.DataFrame] = []
    rows: list[dict[str, object]] = []
    for name, one in _relations(whole, shape):
        heads.append(_heads(name, one, shape))
        rows += _rows(name, one)
    if not rows:
        return {}
    left = whole.group_by("relation").aggregate([("pairs_left_out", "sum")]).to_pandas().set_index("relation")
    relations = pd.DataFrame(rows).join(left["pairs_left_out_sum"].rename("pairs_left_out"), on="relation")
    tables = {"relations": relations, "relation_heads": pd.concat(heads, ignore_index=True)}
    margins = list(tables_named(folder, "margins"))
    joined = joined_table(pa.concat_tables(margins), whole, shape) if margins else pd.DataFrame()
    return tables | ({} if joined.empty else {"joined": joined})


def _relations(whole: pa.Table, shape: tuple[int, int]) -> Iterator[tuple[str, Pooled]]:
    """The relations by falling number of pairs."""
    if "pairs" not in whole.column_names:  # no window holds a whole pair
        return
    counted = whole.filter(pc.is_valid(whole["pairs"]))
    pairs = counted.group_by("relation").aggregate([("pairs", "sum")])
    for name in pairs.sort_by([("pairs_sum", "descending"), ("relation", "ascending")])["relation"].to_pylist():
        own = counted.filter(pc.equal(counted["relation"], name))
        by_head = (len(own), len(MAPS), *shape)
        sums = {
            column: numbers(own[column]).astype(np.float64)
            for column in ("pairs", "last", "percentile", "right", "offsets")
        }
        sums |= {column: sums[column].reshape(by_head) for column in ("percentile", "right")}
        yield name, Pooled(texts=numbers(own["group"]), **sums)


def _heads(name: str, one: Pooled, shape: tuple[int, int]) -> pd.DataFrame:
    """Score, p and pointing accuracy of every head over all texts."""
    scores, pairs = shares(one.percentile, one.pairs, one.texts), one.pairs.sum()
    p = p_above(scores, CHANCE, sizes(one.texts, one.pairs))
    frames = []
    for number, kind in enumerate(MAPS):
        columns = {
            "pairs": pairs, "score": scores[0, number], "chance_score": CHANCE,
            "p": p[number], "p_adjusted": _adjusted(p[number]),
            "pointing": one.right[:, number].sum(axis=0) / pairs,
            "chance_pointing": one.offsets.sum(axis=0).max() / pairs,
        }  # fmt: skip
        frame = head_frame(columns, *shape)
        frames.append(frame.assign(relation=name, map=kind)[["relation", "map", *frame.columns]])
    return pd.concat(frames, ignore_index=True).astype({"pairs": np.int64})


def _adjusted(p: np.ndarray) -> np.ndarray:
    """Benjamini and Hochberg's p over all heads, of the same shape; NaN where there is no p."""
    adjusted, known = np.full(p.shape, np.nan), ~np.isnan(p)
    if known.any():
        adjusted[known] = false_discovery_control(p[known])
    return adjusted


def _rows(name: str, one: Pooled) -> Iterator[dict[str, object]]:
    """The row of a relation for each map."""
    offset, offsets = one.crossed(one.offsets)
    others = {
        "chance_score": CHANCE,
        **one.share("fixed_offset", offset),
        "offsets": " ".join(f"{OFFSETS[at]:+d}" for at in offsets),
        **one.share("last_state", one.last),
    }
    for at, kind in enumerate(MAPS):
        row: dict[str, object] = {"relation": name, "map": kind, "texts": len(np.unique(one.texts))}
        row["pairs"] = int(one.pairs.sum())
        for number, column in NUMBERS.items():
            by_head = getattr(one, column)[:, at]
            sums, best = one.crossed(by_head.reshape(len(by_head), -1))
            heads = [str(Head(*map(int, np.unravel_index(one, by_head.shape[1:])))) for one in best]
            row |= {**one.share(number, sums), f"{number}_heads": " ".join(heads)}
        yield row | others
