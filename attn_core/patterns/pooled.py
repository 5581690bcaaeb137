"""From shards to tables: how well every head sees every relation, the best one chosen on one half of the corpus and scored on
the other, with 95 % intervals over texts.

relation_heads: one row a relation, map and head: score, p, p over all heads, pointing accuracy. relations: one row a relation
and map, and one for attention in either direction: what the head that the other half chose by the same number reaches, and a
similarity beyond attention. relation_examples: some pairs of each. joined: which of two words, by several heads together.
joined_heads: which heads these are.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from scipy.stats import false_discovery_control, t

from attn_core.head import Head
from attn_core.measures.frames import head_frame
from attn_core.patterns.joined_tables import joined_tables
from attn_core.patterns.over_texts import bounded, halves
from attn_core.patterns.scores import CHANCE, OFFSETS
from attn_core.patterns.word_maps import DIRECTIONS, MAPS, Map
from attn_core.runs.shards import tables_named
from attn_core.similarity.strong_pairs import MEASURES
from attn_core.study.opened import numbers

EXAMPLES = 6  # of a relation
ATTENTION = "attention"  # both directions: each half chooses one with its head, for each number anew
NUMBERS = {"score": ("percentile", "pairs"), "pointing": ("right", "questions")}  # what is summed, and over what


@dataclass(frozen=True, eq=False)
class Pooled:
    """A relation in all n texts, or parts of long ones, that have it.

    texts: (n,) the numbers of the texts. pairs, questions, nearest, last: (n,). percentile, right: (n, map, layer, head), sums.
    offsets: (n, offset).
    """

    texts: np.ndarray
    pairs: np.ndarray
    questions: np.ndarray
    nearest: np.ndarray
    last: np.ndarray
    percentile: np.ndarray
    right: np.ndarray
    offsets: np.ndarray

    @cached_property
    def half(self) -> np.ndarray:
        """(n,) bool: every second text that has the relation chooses for the others."""
        return halves(self.texts)

    def share(self, name: str, sums: np.ndarray, whole: np.ndarray, least: float = 0) -> dict[str, float]:
        """A share over all texts and the bounds of its interval, see `over_texts.bounded`. sums, whole: (n,)."""
        return bounded(name, sums, whole, self.texts, least)

    def crossed(self, sums: np.ndarray, whole: np.ndarray) -> tuple[np.ndarray, list[int]]:
        """Of each text what the best column by the other half has, (n,), and the best columns by half, none where a half
        is empty. sums: (n, columns), whole: (n,)."""
        values, best = np.full(len(sums), np.nan), []
        for side in (False, True):
            chooses, scored = self.half != side, self.half == side
            if whole[chooses].sum() and whole[scored].sum():
                best.append(int(sums[chooses].sum(axis=0).argmax()))
                values[scored] = sums[scored, best[-1]]
        return values, best

    def chosen(self, number: str, maps: Sequence[Map]) -> tuple[np.ndarray, list[str]]:
        """Of each text what the head by the other half has, (n,), of all heads of the maps, and these heads by half, such as
        L3H2, or L3H2:attends where there are several maps. number: of `NUMBERS`."""
        sums, many = (getattr(self, name) for name in NUMBERS[number])
        among = sums[:, [MAPS.index(kind) for kind in maps]]
        values, best = self.crossed(among.reshape(len(among), -1), many)
        places = [np.unravel_index(column, among.shape[1:]) for column in best]
        names = [(maps[int(kind)], str(Head(int(layer), int(head)))) for kind, layer, head in places]
        return values, [f"{head}:{kind}" if len(maps) > 1 else head for kind, head in names]


def pooled_relations(folder: Path, shape: tuple[int, int]) -> dict[str, pd.DataFrame]:
    """The tables of a subject by name; none without a pair in any text. folder: that has its shards."""
    shards = list(tables_named(folder, "relations"))
    if not shards:
        return {}
    whole = pa.concat_tables(shards, promote_options="default")
    heads, relations = [], []
    for name, one in _relations(whole, shape):
        heads.append(_heads(name, one, shape))
        relations += _rows(name, one)
    if not relations:
        return {}
    left = whole.group_by("relation").aggregate([("pairs_left_out", "sum")]).to_pandas().set_index("relation")
    tables = {
        "relations": pd.DataFrame(relations).join(left["pairs_left_out_sum"].rename("pairs_left_out"), on="relation"),
        "relation_heads": pd.concat(heads, ignore_index=True),
        "relation_examples": _examples(whole),
    }
    margins = list(tables_named(folder, "margins"))
    return tables | (joined_tables(pa.concat_tables(margins), whole, shape) if margins else {})


def _relations(whole: pa.Table, shape: tuple[int, int]) -> Iterator[tuple[str, Pooled]]:
    """The relations by falling number of pairs."""
    if "pairs" not in whole.column_names:  # no window holds a whole pair
        return
    counted = whole.filter(pc.is_valid(whole["pairs"]))
    pairs = counted.group_by("relation").aggregate([("pairs", "sum")])
    for name in pairs.sort_by([("pairs_sum", "descending"), ("relation", "ascending")])["relation"].to_pylist():
        own = counted.filter(pc.equal(counted["relation"], name))
        texts = numbers(own["group"])
        by_head = (len(own), len(MAPS), *shape)
        columns = ("pairs", "questions", "nearest", "last", "percentile", "right", "offsets")
        sums = {column: numbers(own[column]).astype(np.float64) for column in columns}
        sums |= {column: sums[column].reshape(by_head) for column in ("percentile", "right")}
        yield name, Pooled(texts=texts, **sums)


def _heads(name: str, one: Pooled, shape: tuple[int, int]) -> pd.DataFrame:
    """Score, p and pointing accuracy of every head over all texts."""
    scores = one.percentile.sum(axis=0) / one.pairs.sum()
    p = p_over_texts(one.percentile, one.pairs, one.texts)
    asked = one.questions.sum()
    frames = []
    for number, kind in enumerate(MAPS):
        columns = {
            "pairs": one.pairs.sum(), "score": scores[number], "chance_score": CHANCE,
            "p": p[number], "p_adjusted": _adjusted(p[number]), "questions": asked,
            "pointing": one.right[:, number].sum(axis=0) / asked if asked else np.nan,
            "chance_pointing": one.offsets.sum(axis=0).max() / asked if asked else np.nan,
        }  # fmt: skip
        frame = head_frame(columns, *shape)
        frames.append(frame.assign(relation=name, map=kind)[["relation", "map", *frame.columns]])
    return pd.concat(frames, ignore_index=True).astype({"pairs": np.int64, "questions": np.int64})


def p_over_texts(sums: np.ndarray, pairs: np.ndarray, texts: np.ndarray) -> np.ndarray:
    """p of mean percentiles above chance, one-sided, (...): t over the texts, since pairs of one text depend on each other.

    sums: (n, ...), of the percentiles. pairs, texts: (n,), how many they are, and of which text. The error of the ratio is
    linearised (Cochran 1977, section 6.3); NaN for one text.
    """
    numbers = np.unique(texts, return_inverse=True)[1]
    of_text = (numbers == np.arange(numbers.max() + 1)[:, None]).astype(np.float64)
    size, whole, many = len(of_text), pairs.sum(), of_text @ pairs
    score = sums.sum(axis=0) / whole
    apart = np.tensordot(of_text, sums, axes=1) - np.multiply.outer(many, score)
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.sqrt((apart**2).sum(axis=0) * size / (size - 1)) / whole
        return np.where(error > 0, t.sf((score - CHANCE) / error, size - 1), np.nan)


def _adjusted(p: np.ndarray) -> np.ndarray:
    """Benjamini and Hochberg's p over all heads, of the same shape; NaN where there is no p."""
    adjusted, known = np.full(p.shape, np.nan), ~np.isnan(p)
    if known.any():
        adjusted[known] = false_discovery_control(p[known])
    return adjusted


def _rows(name: str, one: Pooled) -> list[dict[str, object]]:
    """The row of a relation for each map, and for attention in whichever direction is better on the half that chooses."""
    offset, offsets = one.crossed(one.offsets, one.questions)
    simple = {
        **one.share("fixed_offset", offset, one.questions),
        "offsets": " ".join(f"{OFFSETS[at]:+d}" for at in offsets),
        **one.share("nearest", one.nearest, one.questions),
        **one.share("last_state", one.last, one.questions),
    }
    by_attention = {number: one.chosen(number, DIRECTIONS)[0] for number in NUMBERS}
    rows = []
    kinds: list[tuple[str, Sequence[Map]]] = [*((kind, (kind,)) for kind in MAPS), (ATTENTION, DIRECTIONS)]
    for kind, maps in kinds:
        row: dict[str, object] = {"relation": name, "map": kind, "texts": len(np.unique(one.texts))}
        for number, (_, counted) in NUMBERS.items():
            sums, best = one.chosen(number, maps)
            many = getattr(one, counted)
            row |= {counted: int(many.sum()), **one.share(number, sums, many), f"{number}_heads": " ".join(best)}
            if kind in MEASURES:
                row |= one.share(f"{number}_above_attention", sums - by_attention[number], many, least=-1)
        rows.append(row | {"chance_score": CHANCE} | simple)
    return rows


def _examples(whole: pa.Table) -> pd.DataFrame:
    """Some pairs of each relation, from texts all over the corpus."""
    kept = whole.select(["relation", "examples"]).to_pandas().dropna().groupby("relation")["examples"]
    every = kept.agg(lambda parts: list(dict.fromkeys(example for part in parts for example in part)))
    return every.map(lambda some: " · ".join(some[:: max(1, len(some) // EXAMPLES)][:EXAMPLES])).reset_index()
