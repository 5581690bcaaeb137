"""Shards: folders of Parquet tables, written completely or not at all.

shards/000000/*.parquet       its tables, each with the facts of the shard: what it is of, see `Run.counted`
shards/000000/digests.json    the SHA-256 of each table
shards.json                   the SHA-256 of the digests.json of each shard, after all were counted

A shard that is not exactly what was written, or is of anything else, is counted again.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from attn_core.errors import cause
from attn_core.io.atomic_files import write_file
from attn_core.io.digests import TABLE, are_digests
from attn_core.io.paths import shown
from attn_core.io.tables import parquet
from attn_core.runs import folder as files
from attn_core.runs.folder import DIGESTS, RECORDED, DamagedError, read_written
from attn_core.runs.job import Counted, ModelJob

SHARD = re.compile(r"[0-9]{6,}")

J = TypeVar("J", bound=ModelJob)
Facts = Mapping[str, Any]  # of a shard: of, tables (their names), and the numbers texts, windows, bad


def count_to_bytes(job: J, count: Callable[[J], Counted], of: Facts) -> tuple[Facts, dict[str, bytes]]:
    """The facts and the files of a shard by name, counted in this process: the task of a worker."""
    counted = count(job)
    facts = {
        "of": of, "tables": sorted(counted.tables),
        "texts": counted.texts, "windows": counted.windows, "bad": counted.bad,
    }  # fmt: skip
    made = {f"{name}.parquet": parquet(one, shard=facts) for name, one in counted.tables.items()}
    digests = {name: sha256(data).hexdigest() for name, data in made.items()}
    return facts, made | {DIGESTS: files.to_json(digests)}


def read_facts(path: Path, of: Facts | None, digest: str | None = None) -> Facts:
    """The facts of a shard. Raises DamagedError unless it is complete, unchanged, and of this.

    of: None for anything. digest: the SHA-256 of its digests.json, if it is known.
    """
    digests = read_digests(path / DIGESTS, TABLE, digest)
    every = [_facts(path / name, read_written(path / name, own)) for name, own in digests.items()]
    names = [name.removesuffix(".parquet") for name in digests]
    if not every or any(facts != every[0] for facts in every) or every[0].get("tables") != sorted(names):
        raise DamagedError(f"{shown(path)} has not all its tables: the same command counts it again.")
    if of is not None and every[0].get("of") != of:
        raise DamagedError(f"{shown(path)} has counts of something else: the same command counts it again.")
    return every[0]


def check_shards(folder: Path, of: Facts | None, digest: str | None) -> str:
    """The SHA-256 of the digests of a folder's shards, which is compared if it is known.

    Raises DamagedError unless exactly the recorded shards are here, unchanged and of this.
    """
    path = folder / RECORDED
    for number, (name, own) in enumerate(read_digests(path, SHARD, digest).items()):
        if (shard := shard_path(folder, number)).name != name:
            raise DamagedError(f"{shown(path)} is damaged: the same command makes it again.")
        read_facts(shard, of and {**of, "number": number}, own)
    return sha256(path.read_bytes()).hexdigest()


def record_shards(folder: Path, digests: Mapping[str, str]) -> str:
    """Write the digests of a folder's shards, and return their SHA-256."""
    path, data = folder / RECORDED, files.to_json(digests)
    if not path.is_file() or path.read_bytes() != data:
        write_file(path, data)
    return sha256(data).hexdigest()


def read_digests(path: Path, names: re.Pattern[str], digest: str | None = None) -> dict[str, str]:
    """The SHA-256 by name in a file. Raises DamagedError if it is missing or damaged."""
    if digest is not None:
        read_written(path, digest)
    digests = files.read_json(path)
    if digests is None or not are_digests(digests, names):
        raise DamagedError(f"{shown(path)} is missing or damaged: the same command makes it again.")
    return digests


def tables_named(folder: Path, name: str, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
    """A table, or some of its columns, of each recorded shard that has it, in order. Raises DamagedError."""
    path, file = folder / files.SHARDS, f"{name}.parquet"
    for shard, digest in read_digests(folder / RECORDED, SHARD).items():
        if own := read_digests(path / shard / DIGESTS, TABLE, digest).get(file):
            yield _read_table(path / shard / file, own, columns)


def clear_shard(path: Path) -> None:
    """Remove a damaged shard. Raises DamagedError if its folder has files that no run writes."""
    if path.is_symlink() or not path.is_dir():
        path.unlink(missing_ok=True)
        return
    found = sorted(path.iterdir())
    if others := [one for one in found if not (one.is_file() and files.is_of_shard(one))]:
        raise DamagedError(f"{shown(path)} holds other files ({shown(others[0].name)}): move them elsewhere.")
    for one in found:
        one.unlink()
    path.rmdir()


def numbers(column: pa.ChunkedArray) -> np.ndarray:
    """The array of a column without nulls; fixed-size lists become (rows, list)."""
    array = column.combine_chunks()
    if pa.types.is_fixed_size_list(array.type):
        return array.flatten().to_numpy(zero_copy_only=False).reshape(len(array), -1)
    return array.to_numpy(zero_copy_only=False)


def shard_path(folder: Path, number: int) -> Path:
    return folder / files.SHARDS / f"{number:06d}"


def _read_table(path: Path, digest: str, columns: Sequence[str] | None) -> pa.Table:
    with _damaged(path):
        return pq.ParquetFile(pa.BufferReader(read_written(path, digest))).read(columns)


def _facts(path: Path, data: bytes) -> dict[str, Any]:
    """The facts of a shard in one of its tables."""
    with _damaged(path):
        facts = json.loads((pq.read_schema(pa.BufferReader(data)).metadata or {})[b"shard"])
        return {**facts}


@contextmanager
def _damaged(path: Path) -> Iterator[None]:
    """Context manager that turns errors of reading a table into DamagedError."""
    try:
        yield
    except DamagedError:
        raise
    except (OSError, ValueError, KeyError, TypeError, pa.ArrowException) as error:
        raise DamagedError(f"{shown(path)} is damaged ({cause(error)}): the same command counts it again.") from None
