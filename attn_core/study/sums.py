"""The sums of a subject over its shards, to which workers may each add up some of the shards.

Ranges of shards are added up (see `Texts.ranges`), then the sums of ranges in order. Both hang on the shards alone, so
that any number of workers gives the same sums to the last bit.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pandas as pd
import pyarrow as pa
from threadpoolctl import threadpool_limits

from attn_core.head import Head
from attn_core.measures.anchors import RUNNERS_UP, stability
from attn_core.measures.tally import Tally
from attn_core.measures.window_counts import TokenAndDistanceCounts, TotalCounts, added
from attn_core.numerics.leave_one_out import GROUPS, distinct_rows
from attn_core.runs.shards import numbers, tables_named
from attn_core.study.by_text import AT_ONCE, Texts, effects_by_text
from attn_core.study.examples import merged
from attn_core.study.opened import Record
from attn_core.study.shard_tables import Shape, add_counts, read_parts, table_of

T = TypeVar("T")

# The shares of windows whose anchor is that of all texts, and of those whose anchor is each token of the anchors table.
STABILITY, LEADING = "anchor_stability", "leading"
Map = Callable[..., Iterator[Any]]  # what applies a function to all items, in order: `map`, or `Run.map` with workers
# The threads of a product may change its last bit, and workers have fewer than a process that works alone.
on_one_thread = threadpool_limits.wrap(limits=1, user_api="blas")


class Sums(NamedTuple):
    """The sums of a subject; the counts are None if no text was counted.

    effects: of each text, a row each. of_heads: statistics by head of some texts. examples: pairs. All may be empty.
    """

    counts: TotalCounts | None
    effects: pd.DataFrame
    of_heads: pd.DataFrame
    examples: pd.DataFrame


def read_sums(path: Path, record: Record, texts: Texts, by_head: bool, work: Map = map) -> Sums:
    """The sums of the shards in a folder. by_head: with the statistics by text and head."""
    parts, examples = list[TokenAndDistanceCounts](), list[pd.DataFrame]()
    read = work(partial(_parts, path, record.shape, texts.few), texts.ranges)
    while several := list(islice(read, AT_ONCE - 1)):
        of_ranges, shown = (chain.from_iterable(some) for some in zip(*several, strict=True))
        parts, examples = _joined(added, [*parts, *of_ranges]), _joined(merged, [*examples, *shown])
    counts, effects, of_heads = None, list[pd.DataFrame](), list[pd.DataFrame]()
    if parts:
        touching, tally = parts[0].touching, Tally(GROUPS)
        ranked = np.concatenate(touching.token_ids[touching.ranking()[..., :RUNNERS_UP]])
        chosen = texts.by_head if by_head else []
        for some, rows, of_texts, heads in work(partial(_tally, path, record, texts.few, ranked, chosen), texts.ranges):
            tally.merge(some, rows)
            effects += of_texts
            of_heads += heads
        counts = TotalCounts(tally, parts[0]).without([Head(*head) for head in np.argwhere(record.removed)])
    kept = map(record.kept, examples)
    return Sums(
        counts, *(pd.concat([*some] or [pd.DataFrame()], ignore_index=True) for some in (effects, of_heads, kept))
    )


def _parts(
    path: Path, shape: Shape, few: bool, shards: slice
) -> tuple[list[TokenAndDistanceCounts], list[pd.DataFrame]]:
    """The sum of tokens and distances, and the example pairs, of some shards, if they have any."""
    tokens, distances = (tables_named(path, table_of(name, few), shards=shards) for name in ("tokens", "distances"))
    parts = (read_parts(*both, shape) for both in zip(tokens, distances, strict=True))
    examples = (table.to_pandas() for table in tables_named(path, "examples", shards=shards))
    return _joined(added, parts), _joined(merged, examples)


@on_one_thread
def _tally(
    path: Path, record: Record, few: bool, ranked: np.ndarray, by_head: Sequence[int], shards: slice
) -> tuple[Tally, np.ndarray, list[pd.DataFrame], list[pd.DataFrame]]:
    """The sums of the windows of some shards, which `distinct_rows` they have, and `effects_by_text`.

    ranked: (H, rank), the tokens of largest coverage of each head.
    """
    tables = list(tables_named(path, table_of("windows", few), shards=shards))
    if not tables:
        return Tally(), np.zeros(1 + GROUPS, dtype=np.int64), [], []
    windows = pa.concat_tables(tables)
    leaders, (taken, rows) = numbers(windows["anchor_ids"]), distinct_rows(numbers(windows["group"]))
    tally = Tally(len(taken) - 1)
    add_counts(tally, windows, taken)
    tally.add_each(STABILITY, stability(leaders, ranked[:, 0]), taken)
    leading = (leaders[:, :, None] == ranked).reshape(len(windows), -1)
    tally.add(LEADING, leading, np.zeros((len(windows), 1)), np.ones(len(windows)), taken)
    return tally, rows, *effects_by_text(windows, record, few, by_head)


def _joined(join: Callable[[list[T]], T], some: Iterable[T]) -> list[T]:
    """The sum of some items in a list, which is empty if there are none; at most `AT_ONCE` are in memory."""
    total, rest = list[T](), iter(some)
    while several := list(islice(rest, AT_ONCE - len(total))):
        total = [join([*total, *several])]
    return total
