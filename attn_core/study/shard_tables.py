"""The tables of a shard: Arrow tables of the counts of its windows and texts, and the counts read from them.

A shard has some of these Parquet tables. H is the number of heads, layer by layer; lists have a fixed length.

* windows, a row per window: text, part, group, window, `anchor_ids` (H,), the tokens of largest coverage, and of every
  count of `measures.window_counts` its numerator under its name, `chance_<name>` and `weight_<name>`.
* texts, a row per text (or part of a long one): group, name, language, problem (null if it was counted), few
  (no window has `MIN_PAIRS` strong pairs per head), windows, short_windows (left out), tokens, strong.
* tokens, a row per token id of the shard: token, occurrences, is_separator, and for each way to cover a pair,
  `touching` and `repeated`, the strong pairs (H,) and their chance.
* distances, a row per distance: strong pairs (H,) and their chance.
* variants, a row per text and variant: text, group, variant (its index in `VARIANTS`), few, windows that are counted
  (those with `MIN_PAIRS` strong pairs per head, or else all), short_windows (the others), strong, and their counts.

`strong`, of tokens and distances: strong pairs per head in the whole shard.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from attn_core.measures.tally import Count, Tally
from attn_core.measures.token_coverage import TokenCoverage
from attn_core.measures.window_counts import TokenAndDistanceCounts, WindowCounts
from attn_core.runs.shards import numbers
from attn_core.texts.passages import Passage

FEW = "few_"  # prefix of tables of texts without a window of `MIN_PAIRS` strong pairs per head
Shape = tuple[int, int]  # layers, heads


def table_of(name: str, few: bool) -> str:
    """The name of a table of the texts of one kind. few: of those whose windows all have few strong pairs."""
    return f"{FEW}{name}" if few else name


def window_row(counts: WindowCounts, passage: Passage) -> dict[str, object]:
    """A row of the windows table, without its text."""
    row: dict[str, object] = {"window": passage.index}
    for name, count in counts.counts.items():
        numerator = np.ravel(count.numerator)
        row[name] = numerator.astype(np.int32 if numerator.dtype.kind in "biu" else np.float64)
        row[f"chance_{name}"] = np.ravel(np.asarray(count.chance, dtype=np.float64))
        row[f"weight_{name}"] = float(count.weight)
    touching = counts.parts.touching
    anchors = touching.token_ids[touching.most_covered_tokens()]
    return row | {"anchor_ids": anchors.ravel()}


def token_table(coverage: TokenCoverage, repeated: TokenCoverage) -> pa.Table:
    """The tokens table of a shard."""
    ways = {"touching": coverage, "repeated": repeated}
    return pa.table(
        {
            "token_id": coverage.token_ids,
            "token": pa.array(coverage.tokens, pa.string()),
            "occurrences": coverage.occurrences,
            "is_separator": coverage.is_separator,
            "strong": np.full(len(coverage.token_ids), coverage.strong),
            "windows": np.full(len(coverage.token_ids), coverage.windows),
            **{name: lists(list(_by_row(coverage.pairs))) for name, coverage in ways.items()},
            **{f"expected_{name}": coverage.expected for name, coverage in ways.items()},
        }
    )


def distance_table(counts: Count) -> pa.Table:
    """The distances table of a shard."""
    size = counts.numerator.shape[-1]
    return pa.table(
        {
            "distance": np.arange(size, dtype=np.int32),
            "strong": np.full(size, counts.weight),
            "pairs": lists(list(_by_row(counts.numerator))),
            "expected": counts.chance,
        }
    )


def lists(rows: Sequence[np.ndarray | None]) -> pa.Array:
    """Arrays of one length as a column of fixed-size lists; None becomes null."""
    sample = next((row for row in rows if row is not None), np.zeros(0, dtype=np.int32))
    return pa.array(rows, pa.list_(pa.from_numpy_dtype(sample.dtype), len(sample)))


def table(rows: Sequence[Mapping[str, object]], columns: Sequence[str]) -> pa.Table:
    """Rows as an Arrow table; arrays become fixed-size lists, missing values null."""
    return pa.table({column: _column([row.get(column) for row in rows]) for column in columns})


def _column(values: list) -> pa.Array:
    return lists(values) if any(isinstance(value, np.ndarray) for value in values) else pa.array(values)


def _by_row(pairs: np.ndarray) -> np.ndarray:
    """The array (row, H) of an array (layer, head, row)."""
    return np.ascontiguousarray(pairs.reshape(-1, pairs.shape[-1]).T.astype(np.int32))


def _by_head(column: pa.ChunkedArray, shape: Shape) -> np.ndarray:
    """The array (layer, head, row) of a column (row, H)."""
    return np.ascontiguousarray(numbers(column).T.astype(np.int64)).reshape(*shape, -1)


def add_counts(tally: Tally, rows: pa.Table, taken: np.ndarray) -> None:
    """Add rows of counts, of windows or texts, to a tally. taken: how often each row of the tally includes each."""
    for name in (column.removeprefix("weight_") for column in rows.column_names if column.startswith("weight_")):
        numerators, chances, weights = (numbers(rows[f"{kind}{name}"]) for kind in ("", "chance_", "weight_"))
        tally.add(name, numerators, chances, weights, taken)


def read_parts(tokens: pa.Table, distances: pa.Table, shape: Shape) -> TokenAndDistanceCounts:
    """The counts of tokens and distances of a shard, from its tables."""
    touching = TokenCoverage(
        token_ids=numbers(tokens["token_id"]).astype(np.int64),
        tokens=tuple(tokens["token"].to_pylist()),
        occurrences=numbers(tokens["occurrences"]),
        is_separator=numbers(tokens["is_separator"]),
        pairs=_by_head(tokens["touching"], shape),
        expected=numbers(tokens["expected_touching"]),
        strong=tokens["strong"][0].as_py(),
        windows=tokens["windows"][0].as_py(),
    )
    repeated = replace(
        touching, pairs=_by_head(tokens["repeated"], shape), expected=numbers(tokens["expected_repeated"])
    )
    by_distance = _by_head(distances["pairs"], shape), numbers(distances["expected"]), distances["strong"][0].as_py()
    return TokenAndDistanceCounts(touching, repeated, Count(*by_distance))
