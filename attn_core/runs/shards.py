"""Shards: folders of Parquet tables, written completely or not at all.

shards/000000/*.parquet     its tables
shards/000000/shard.json    its facts: what it is of, its numbers of texts, the SHA-256 of its tables and of these facts
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
from attn_core.io.atomic_files import TABLE, DamagedError, are_digests, read_json, read_written
from attn_core.io.exports import parquet
from attn_core.io.paths import printable
from attn_core.runs import folder as run_folder
from attn_core.runs.folder import FACTS, RECORDED
from attn_core.runs.job import ModelJob, ShardResult

SHARD = re.compile(r"[0-9]{6,}")
EVERY = slice(None)

J = TypeVar("J", bound=ModelJob)
Facts = Mapping[str, Any]


def count_to_bytes(job: J, count: Callable[[J], ShardResult], of: Facts) -> dict[str, bytes]:
    """The files of a shard by name, counted in this process: the task of a worker."""
    counted = count(job)
    made = {f"{name}.parquet": parquet(one) for name, one in counted.tables.items()}
    digests = {name: sha256(data).hexdigest() for name, data in made.items()}
    about = {**of, "number": job.shard.number}
    facts = {"of": about, "texts": counted.texts, "windows": counted.windows, "bad": counted.bad, "files": digests}
    return made | {FACTS: run_folder.to_json({**facts, "sha256": digest_of(facts)})}


def read_shard(path: Path, of: Facts | None, digest: str | None = None) -> Facts:
    """The facts of a shard. Raises DamagedError unless it is complete, unchanged, and of this (None: of anything)."""
    facts = _read_facts(path, digest)
    for name, own in facts["files"].items():
        read_written(path / name, own)
    if of is not None and facts["of"] != {**of, "number": int(path.name)}:
        raise DamagedError(f"{printable(path)} has counts of something else: the same command counts it again.")
    return facts


def check_shards(folder: Path, of: Facts | None, digest: str | None = None) -> str:
    """The digest of a folder's record of shards, which is compared with the one that is known, if any.

    Raises DamagedError unless exactly the recorded shards are here, unchanged and of this.
    """
    recorded = _recorded(folder)
    if digest not in (None, digest_of(recorded)):
        raise DamagedError(f"{printable(folder / RECORDED)} is of other shards: the same command makes it again.")
    for name, own in recorded.items():
        read_shard(folder / run_folder.SHARDS / name, of, own)
    return digest_of(recorded)


def tables_named(
    folder: Path, name: str, columns: Sequence[str] | None = None, shards: slice = EVERY
) -> Iterator[pa.Table]:
    """A table, or some of its columns, of each recorded shard that has it, in order. Raises DamagedError.

    shards: which of them, in their order.
    """
    for number, digest in [*_recorded(folder).items()][shards]:
        file = folder / run_folder.SHARDS / number / f"{name}.parquet"
        if own := _read_facts(file.parent, digest)["files"].get(file.name):
            try:
                yield pq.ParquetFile(pa.BufferReader(read_written(file, own))).read(columns)
            except (OSError, KeyError, pa.ArrowException) as error:
                raise DamagedError(f"{printable(file)} is damaged ({cause(error)}): make it again.") from None


def clear_shard(path: Path) -> None:
    """Remove a damaged shard. Raises DamagedError if its folder has files that no run writes."""
    if path.is_symlink() or not path.is_dir():
        path.unlink(missing_ok=True)
        return
    found = sorted(path.iterdir())
    if others := [one for one in found if not (one.is_file() and run_folder.is_of_shard(one))]:
        raise DamagedError(f"{printable(path)} holds other files ({printable(others[0].name)}): move them elsewhere.")
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
    return folder / run_folder.SHARDS / f"{number:06d}"


def digest_of(value: object) -> str:
    """The SHA-256 of JSON data, without the paths of corpus and model."""
    if isinstance(value, Mapping):
        value = {name: one for name, one in value.items() if name not in run_folder.PLACES}
    return sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def _recorded(folder: Path) -> dict[str, str]:
    """The SHA-256 of the facts of the recorded shards of a folder, by their names in order."""
    digests = read_json(folder / RECORDED)
    if digests is None or not are_digests(digests, SHARD):
        raise DamagedError(f"{printable(folder / RECORDED)} is missing or damaged: the same command makes it again.")
    return dict(sorted(digests.items(), key=lambda one: int(one[0])))


def _read_facts(path: Path, digest: str | None) -> Facts:
    facts = read_json(path / FACTS) or {}
    own = facts.pop("sha256", None)
    if own != digest_of(facts) or digest not in (None, own) or not are_digests(facts.get("files"), TABLE):
        raise DamagedError(f"{printable(path / FACTS)} is missing or damaged: the same command counts it again.")
    return {**facts, "sha256": own}
