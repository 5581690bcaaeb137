"""What the shards of an ablation hold, text by text."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from attn_core.errors import InputError
from attn_core.runs.shards import facts_of, numbers, read_table


def by_text(shards: Iterable[Path], column: str) -> tuple[np.ndarray, np.ndarray]:
    """The texts of some shards, (n,), and of each the mean of a column over its windows, (n, values).

    Raises InputError where no window was read.
    """
    sums: dict[int, np.ndarray] = {}
    tokens: dict[int, int] = {}
    for windows in _windows(shards, ["text", column, "tokens"]):
        values, size = numbers(windows[column]).astype(np.float64), numbers(windows["tokens"])
        for text, row, number in zip(windows["text"].to_pylist(), values, size, strict=True):
            sums[text] = sums.get(text, 0) + row * number
            tokens[text] = tokens.get(text, 0) + number
    if not sums:
        raise InputError("No text could be read: every one is empty, or has no word that the model reads.")
    order = sorted(sums)
    return np.array(order, dtype=np.int64), np.array([sums[text] / tokens[text] for text in order])


def texts_of(shards: Iterable[Path]) -> pd.DataFrame:
    """The texts of some shards: text, part, group, name, problem, windows, tokens."""
    return _texts(shards).drop(columns=["redundancy", "chance"])


def redundancy_of(shards: Iterable[Path], heads: int) -> tuple[np.ndarray, float]:
    """The redundancy of each head, (H,), and that by chance: means over texts and parts of long ones, NaN where all are short."""
    texts = _texts(shards).dropna(subset=["redundancy"])
    return np.mean([np.full(heads, np.nan)] if texts.empty else texts["redundancy"].tolist(), axis=0), texts[
        "chance"
    ].mean()


def _texts(shards: Iterable[Path]) -> pd.DataFrame:
    parts = [read_table(shard, "texts").to_pandas() for shard in shards]
    return pd.concat([part for part in parts if len(part)], ignore_index=True)


def _windows(shards: Iterable[Path], columns: list[str]) -> Iterator[pa.Table]:
    """Some columns of the windows of each shard that has any."""
    for shard in shards:
        if "windows" in facts_of(shard)["tables"]:
            yield read_table(shard, "windows", columns)
