"""Pairs of a study to read: for every head its strongest, at most two of a text, and one of each tenth of its strong pairs.

Both are chosen so that parts of a corpus can be put together in any order, and twice, with the same result: the largest
similarities, and the smallest of numbers that are drawn for every pair from its place in the corpus alone. So a study
keeps as much of a million texts as of a hundred.
"""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from itertools import islice, pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from attn_core.measures.examples import pair_in_text
from attn_core.measures.frames import head_index
from attn_core.measures.kinds import KINDS, anchors_within, kinds_of
from attn_core.measures.token_coverage import TokenCoverage
from attn_core.runs.shards import tables_named
from attn_core.similarity.strong_pairs import StrongPairs
from attn_core.texts.passages import Passage

AT_ONCE = 50  # shards whose examples are put together at once
STRONGEST = 10  # pairs a head
OF_ONE_TEXT = 2  # of them
TENTHS = 10
AROUND = 80  # characters shown on either side of a token
PLACE = ["text", "part", "window", "first", "second"]
PIECES = ["before", "first_text", "between", "second_text", "after"]
Where = tuple[int, int, int]  # text, part of it, window of the part
# Odd numbers whose bits look random, as in SplitMix64 (Steele, Lea and Flood 2014).
_STEP, _MIX, _MIX_AGAIN = (np.uint64(n) for n in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))


def candidates(window: StrongPairs, touching: TokenCoverage, where: Where) -> pd.DataFrame:
    """What one window offers: of every head the strongest pairs, and of each tenth the pair of the smallest number.

    Columns layer, head, tenth (1 the strongest, 0 for the strongest pairs), key (the number, 0 there), similarity, kind,
    and the place in the corpus.
    """
    layers, heads, strong = window.shape
    keys = _keys(window, where)
    edges = np.arange(TENTHS + 1) * strong // TENTHS
    spans = [(tenth, low, high) for tenth, (low, high) in enumerate(pairwise(edges.tolist()), start=1) if low < high]
    drawn = [low + keys[:, low:high].argmin(axis=1) for _, low, high in spans]
    best = range(min(OF_ONE_TEXT, strong))
    tenths = np.array([*(0 for _ in best), *(tenth for tenth, *_ in spans)], dtype=np.int32)
    ranks = np.stack([*(np.full(layers * heads, rank) for rank in best), *drawn], axis=1)
    first, second, similarity = (
        np.take_along_axis(values.reshape(layers * heads, -1), ranks, axis=1)
        for values in (window.first, window.second, window.similarity)
    )
    kinds = kinds_of(window.passage, first, second, anchors_within(touching).reshape(-1, 1))
    index = head_index(layers, heads)
    text, part, number = where
    return pd.DataFrame(
        {
            **{name: np.repeat(index[name].to_numpy(np.int32), len(tenths)) for name in ("layer", "head")},
            "tenth": np.tile(tenths, layers * heads),
            "key": np.where(tenths > 0, np.take_along_axis(keys, ranks, axis=1), np.uint64(0)).ravel(),
            "similarity": similarity.astype(np.float32).ravel(),
            "kind": pd.array(np.array(KINDS, dtype=object)[kinds.ravel()], dtype="str"),
            "text": np.int64(text),
            "part": np.int32(part),
            "window": np.int32(number),
            "first": first.astype(np.int32).ravel(),
            "second": second.astype(np.int32).ravel(),
        }
    )


def merged(parts: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """The examples of several parts of a corpus together, head by head, the strongest first."""
    rows, heads = pd.concat(parts, ignore_index=True), ["layer", "head"]
    best = rows[rows["tenth"] == 0].drop_duplicates([*heads, *PLACE])
    best = best.sort_values([*heads, "similarity", *PLACE], ascending=[True, True, False, *[True] * len(PLACE)])
    best = best[best.groupby([*heads, "text"]).cumcount() < OF_ONE_TEXT]
    best = best[best.groupby(heads).cumcount() < STRONGEST]
    drawn = rows[rows["tenth"] > 0].sort_values("key", kind="stable").drop_duplicates([*heads, "tenth"])
    return pd.concat([best, drawn]).sort_values([*heads, "tenth"], kind="stable").reset_index(drop=True)


def with_text(examples: pd.DataFrame, passages: Mapping[Where, Passage], names: Mapping[int, str]) -> pd.DataFrame:
    """Examples with what it takes to read them: name of the text, tokens, distance, both tokens in the text around them."""
    rows = []
    for text, *at, first, second in examples[PLACE].itertuples(index=False):
        passage = passages[(text, *at)]
        pieces = [piece for piece, _ in pair_in_text(passage, first, second, AROUND)]
        rows.append((names[text], passage.tokens[first], passage.tokens[second], *pieces))
    columns = ["name", "first_token", "second_token", *PIECES]
    return examples.assign(
        distance=examples["second"] - examples["first"],
        **{column: pd.array([row[at] for row in rows], dtype="str") for at, column in enumerate(columns)},
    )


def to_table(examples: pd.DataFrame) -> pa.Table:
    """Examples as a shard keeps them; `read_examples` reads them."""
    return pa.Table.from_pandas(examples, preserve_index=False)


def read_examples(folder: Path) -> pd.DataFrame | None:
    """The examples of a subject from its shards, some at a time; None where no shard has any."""
    parts = (table.to_pandas() for table in tables_named(folder, "examples"))
    kept: list[pd.DataFrame] = []
    while some := list(islice(parts, AT_ONCE)):
        kept = [merged([*kept, *some])]
    return kept[0] if kept else None


def _keys(window: StrongPairs, where: Sequence[int]) -> np.ndarray:
    """A number for every strong pair of every head, (H, K), from its head and its place in the corpus alone."""
    layers, heads, strong = window.shape
    seed = np.frombuffer(sha256(" ".join(map(str, where)).encode()).digest()[:8], dtype=np.uint64)
    rows = np.arange(layers * heads, dtype=np.uint64)[:, None] * _STEP + seed
    mixed = (window.places.reshape(-1, strong).astype(np.uint64) + rows) * _MIX
    mixed ^= mixed >> np.uint64(31)
    mixed *= _MIX_AGAIN
    mixed ^= mixed >> np.uint64(29)
    return mixed
