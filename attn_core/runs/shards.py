"""Shards: folders of Parquet tables with page checksums, written completely or not at all.

A shard with a damaged or missing table is counted again.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from attn_core.errors import cause
from attn_core.io.paths import shown
from attn_core.io.tables import parquet
from attn_core.runs import folder as files
from attn_core.runs.job import Counted, ModelJob

SHARD = re.compile(r"\d{6,}")

J = TypeVar("J", bound=ModelJob)


def count_to_bytes(job: J, count: Callable[[J], Counted]) -> dict[str, bytes]:
    """The files of a shard by name, counted in this process: the task of a worker."""
    counted = count(job)
    facts = {
        "tables": sorted(counted.tables), "texts": counted.texts, "windows": counted.windows, "bad": counted.bad,
    }  # fmt: skip
    return {f"{name}.parquet": parquet(one, page_checksums=True, shard=facts) for name, one in counted.tables.items()}


def read_shard(path: Path) -> Mapping[str, Any] | None:
    """The facts of a shard, see `facts_of`; None if it is not complete."""
    try:
        facts = facts_of(path)
        alike = [_facts(read_table(path, name).schema) == facts for name in facts["tables"]]
    except (files.DamagedError, KeyError):
        return None
    return facts if all(alike) else None


def facts_of(path: Path) -> dict[str, Any]:
    """The facts of a shard, from its first table: the names of its tables, and the numbers texts, windows, bad.

    Raises DamagedError if there is none.
    """
    try:
        with min(path.glob("*.parquet")).open("rb") as file:
            return _facts(pq.read_schema(file))
    except (OSError, ValueError, KeyError, pa.ArrowException) as error:
        raise files.DamagedError(f"{shown(path)} is damaged ({cause(error)}).") from None


def read_table(path: Path, name: str, columns: Sequence[str] | None = None) -> pa.Table:
    """A table of a shard. Raises DamagedError if it differs from what was written."""
    file = path / f"{name}.parquet"
    try:
        with file.open("rb") as data:  # pyarrow cannot open a name that is not UTF-8
            return pq.ParquetFile(data, page_checksum_verification=True).read(columns)
    except (OSError, ValueError, KeyError, pa.ArrowException) as error:
        raise files.DamagedError(
            f"{shown(file)} is damaged ({cause(error)}): the same command again counts it again."
        ) from None


def tables_named(folder: Path, name: str, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
    """A table, or some of its columns, of each shard in a folder that has it, in order. Raises DamagedError."""
    for path in shard_paths(folder):
        if name in facts_of(path)["tables"]:
            yield read_table(path, name, columns)


def numbers(column: pa.ChunkedArray) -> np.ndarray:
    """The array of a column without nulls; fixed-size lists become (rows, list)."""
    array = column.combine_chunks()
    if pa.types.is_fixed_size_list(array.type):
        return array.flatten().to_numpy(zero_copy_only=False).reshape(len(array), -1)
    return array.to_numpy(zero_copy_only=False)


def shard_path(folder: Path, number: int) -> Path:
    return folder / files.SHARDS / f"{number:06d}"


def shard_paths(folder: Path) -> list[Path]:
    """The folders of the shards in order, complete or damaged."""
    found = (folder / files.SHARDS).glob("[0-9]*")
    return sorted(
        (path for path in found if SHARD.fullmatch(path.name) and path.is_dir()), key=lambda path: int(path.name)
    )


def _facts(schema: pa.Schema) -> dict[str, Any]:
    return json.loads((schema.metadata or {})[b"shard"])
