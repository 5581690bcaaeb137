"""What the shards of an ablation hold, put together text by text."""

import io
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from attn_core.errors import InputError
from attn_core.study import folder as files
from attn_core.study.opened import numbers


@dataclass(frozen=True, eq=False)
class ByText:
    """Numbers of n texts, mean over a text's windows by their tokens: texts (n,), values (n, columns)."""

    texts: np.ndarray
    values: np.ndarray


def by_text(shards: Iterable[Path], column: str) -> ByText:
    """One column of the windows of some shards. A number that a window lacks (NaN) is left out; NaN where all lack it.

    Raises InputError where no window was read.
    """
    sums: dict[int, np.ndarray] = {}
    tokens: dict[int, np.ndarray] = {}
    for shard in shards:
        if "windows.parquet" not in files.file_names(shard):
            continue
        windows = pq.read_table(io.BytesIO(files.read_file(shard, "windows.parquet")))
        values, size = numbers(windows[column]).astype(np.float64), numbers(windows["tokens"])
        for text, row, number in zip(windows["text"].to_pylist(), values, size, strict=True):
            known = ~np.isnan(row)
            sums[text] = sums.get(text, 0) + np.where(known, row, 0) * number
            tokens[text] = tokens.get(text, 0) + known * number
    if not sums:
        raise InputError("No text could be read: every one is empty, or has no word that the model reads.")
    order = sorted(sums)
    with np.errstate(invalid="ignore"):
        values = np.array([sums[text] / tokens[text] for text in order])
    return ByText(np.array(order, dtype=np.int64), values)


def texts_of(shards: Iterable[Path]) -> pd.DataFrame:
    """The texts of some shards: text, part, name, problem, windows, tokens."""
    columns = ["text", "part", "name", "problem", "windows", "tokens"]
    parts = [_texts(shard, columns) for shard in shards]
    return pd.concat([part for part in parts if len(part)], ignore_index=True)


def alike(shards: Iterable[Path], even: bool = False) -> tuple[np.ndarray, np.ndarray, float] | None:
    """(H, H) correlations of the heads' matrices, (H,) of each with the head most like it, and that by chance; means over texts
    and parts of long ones. even: of those with even numbers alone. None where no text has enough words.
    """
    sums, number = [0.0, 0.0, 0.0], 0
    for shard in shards:
        rows = _texts(shard, ["text", "correlation", "redundancy", "chance"]).dropna()
        for row in rows[rows["text"] % 2 == 0].itertuples() if even else rows.itertuples():
            heads = len(row.redundancy)
            found = row.correlation.reshape(heads, heads).astype(np.float64), row.redundancy, row.chance
            sums, number = [one + more for one, more in zip(sums, found, strict=True)], number + 1
    if not number:
        return None
    correlation, best, chance = (one / number for one in sums)
    return np.asarray(correlation), np.asarray(best), float(chance)


def said_of(shards: Iterable[Path]) -> np.ndarray | None:
    """The label that the weights' own classifier gives under each removal, (removal, text); None where they hold none."""
    columns = [
        pq.read_table(io.BytesIO(files.read_file(shard, "windows.parquet")), columns=["said"])["said"].to_pylist()
        for shard in shards
        if "windows.parquet" in files.file_names(shard)
    ]
    said = [labels for column in columns for labels in column]
    return None if None in said else np.array(said).T


def _texts(shard: Path, columns: list[str]) -> pd.DataFrame:
    return pq.read_table(io.BytesIO(files.read_file(shard, "texts.parquet")), columns=columns).to_pandas()
