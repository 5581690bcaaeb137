"""Shards: folders of Parquet tables, written completely or not at all.

shards/000000/*.parquet     its tables, each with what the shard is of in its metadata, see `Run.counted`
shards/000000/shard.json    its facts: the same, its numbers of texts, and the SHA-256 of its tables and of these facts
shards.json                 the SHA-256 of the facts of every shard

A shard that is not exactly what was written, or is of anything else, is counted again.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from attn_core.errors import cause
from attn_core.io.atomic_files import read_bytes
from attn_core.io.digests import TABLE, are_digests
from attn_core.io.paths import shown
from attn_core.io.tables import parquet
from attn_core.runs import folder as files
from attn_core.runs.folder import FACTS, RECORDED, DamagedError, read_written
from attn_core.runs.job import Counted, ModelJob

SHARD = re.compile(r"[0-9]{6,}")

J = TypeVar("J", bound=ModelJob)
Facts = Mapping[str, Any]


def count_to_bytes(job: J, count: Callable[[J], Counted], of: Facts) -> dict[str, bytes]:
    """The files of a shard by name, counted in this process: the task of a worker."""
    counted = count(job)
    made = {f"{name}.parquet": parquet(one, shard=of) for name, one in counted.tables.items()}
    digests = {name: sha256(data).hexdigest() for name, data in made.items()}
    facts = {"of": of, "texts": counted.texts, "windows": counted.windows, "bad": counted.bad, "files": digests}
    return made | {FACTS: files.to_json({**facts, "sha256": digest_of(facts)})}


def read_shard(path: Path, of: Facts | None, digest: str | None = None) -> Facts:
    """The facts of a shard. Raises DamagedError unless it is complete, unchanged, and of this (None: of anything)."""
    facts = _read_facts(path, digest)
    for name, own in facts["files"].items():
        read_written(path / name, own)
    if of is not None and facts["of"] != of:
        raise DamagedError(f"{shown(path)} has counts of something else: the same command counts it again.")
    return facts


def check_shards(folder: Path, of: Facts | None, digest: str | None) -> str:
    """The SHA-256 of a folder's record of shards, which is compared with the one that is known, if any.

    Raises DamagedError unless exactly the recorded shards are here, unchanged and of this.
    """
    for path, own in _recorded(folder, digest):
        read_shard(path, of and {**of, "number": int(path.name)}, own)
    return sha256(read_bytes(folder / RECORDED)).hexdigest()


def tables_named(folder: Path, name: str, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
    """A table, or some of its columns, of each recorded shard that has it, in order. Raises DamagedError."""
    for path, digest in _recorded(folder):
        file = path / f"{name}.parquet"
        if own := _read_facts(path, digest)["files"].get(file.name):
            try:
                yield pq.ParquetFile(pa.BufferReader(read_written(file, own))).read(columns)
            except (OSError, KeyError, pa.ArrowException) as error:
                raise DamagedError(f"{shown(file)} is damaged ({cause(error)}): make it again.") from None


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


def digest_of(value: object) -> str:
    """The SHA-256 of JSON data, without the paths of corpus and model."""
    if isinstance(value, Mapping):
        value = {name: one for name, one in value.items() if name not in files.PLACES}
    return sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def _recorded(folder: Path, digest: str | None = None) -> list[tuple[Path, str]]:
    """The recorded shards of a folder in order, and the SHA-256 of their facts."""
    digests = files.read_json(folder / RECORDED, digest)
    if digests is None or not are_digests(digests, SHARD):
        raise DamagedError(f"{shown(folder / RECORDED)} is missing or damaged: the same command makes it again.")
    return [(folder / files.SHARDS / name, own) for name, own in digests.items()]


def _read_facts(path: Path, digest: str | None) -> Facts:
    facts = files.read_json(path / FACTS, digest)
    if not facts or facts.pop("sha256", "") != digest_of(facts) or not are_digests(facts.get("files"), TABLE):
        raise DamagedError(f"{shown(path / FACTS)} is missing or damaged: the same command counts it again.")
    return facts
