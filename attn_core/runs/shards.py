"""Shards: folders of Parquet tables with page checksums, that appear whole or not at all.

Each table says in its metadata what it answers: the run and its settings, model, subject, number of the shard. A shard that
answers something else, or of which a table is damaged or missing, is counted again.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from attn_core.errors import RunError, cause
from attn_core.io.paths import shown
from attn_core.io.tables import parquet
from attn_core.runs import folder as files
from attn_core.runs.job import Counted, ModelFacts, ModelJob

SHARD = re.compile(r"\d{6,}")
FACTS, SCHEMA = b"shard", b"schema_sha256"  # in the metadata of a table

J = TypeVar("J", bound=ModelJob)


@dataclass(frozen=True)
class Stored:
    """The files of a shard by name, and what it tells of itself: answers, tables, texts, windows, bad."""

    files: Mapping[str, bytes]
    facts: Mapping[str, Any]


def answers(manifest: Mapping[str, Any], model: ModelFacts, place: str, number: int) -> str:
    """What a shard answers, as JSON. place: its folder within that of the run, which names subject, layout or phase."""
    corpus = {name: value for name, value in manifest["corpus"].items() if name not in files.PLACES}
    facts = {name: value for name, value in asdict(model).items() if name not in files.PLACES}
    run = {"run": manifest["kind"], "corpus": corpus, "settings": manifest["settings"]}
    return json.dumps({**run, "model": facts, "place": place, "shard": number}, sort_keys=True)


def counted_and_stored(job: J, count: Callable[[J], Counted], answered: str) -> Stored:
    """What a worker does: count a shard, and make its files."""
    counted = count(job)
    facts = {
        "answers": answered, "tables": sorted(counted.tables),
        "texts": counted.texts, "windows": counted.windows, "bad": counted.bad,
    }  # fmt: skip
    return Stored({f"{name}.parquet": _to_bytes(table, facts) for name, table in counted.tables.items()}, facts)


def write_shard(path: Path, stored: Stored) -> None:
    """Put a shard in its place, whatever other one is there. Raises RunError where somebody else's files are in that."""
    remove_shard(path)
    files.write_folder(path, stored.files)


def read_shard(path: Path, answered: str) -> Mapping[str, Any] | None:
    """What a shard tells of itself; None where it is not whole, or answers something else."""
    try:
        facts = facts_of(path)
        tables = [read_table(path, name) for name in facts["tables"]]
    except (files.DamagedError, KeyError):
        return None
    alike = all(_facts(table.schema) == facts for table in tables)
    return facts if alike and facts["answers"] == answered else None


def facts_of(path: Path) -> dict[str, Any]:
    """What the first table of a shard tells of the shard. Raises DamagedError where there is none."""
    try:
        with min(path.glob("*.parquet")).open("rb") as file:
            return _facts(pq.read_schema(file))
    except (OSError, ValueError, KeyError, pa.ArrowException) as error:
        raise files.DamagedError(f"{shown(path)} is damaged ({cause(error)}).") from None


def read_table(path: Path, name: str, columns: Sequence[str] | None = None) -> pa.Table:
    """A table of a shard. Raises DamagedError where it is not what was written."""
    file = path / f"{name}.parquet"
    try:
        with file.open("rb") as data:  # pyarrow knows no names that are not UTF-8
            opened = pq.ParquetFile(data, page_checksum_verification=True)
            if _digest(opened.schema_arrow, opened.metadata.num_rows) != (opened.schema_arrow.metadata or {})[SCHEMA]:
                raise ValueError("its columns have changed")
            return opened.read(columns)
    except (OSError, ValueError, KeyError, pa.ArrowException) as error:
        raise files.DamagedError(
            f"{shown(file)} is damaged ({cause(error)}): give the same command again, and it is counted again."
        ) from None


def tables_named(folder: Path, name: str, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
    """One table, or some columns of it, of every shard below a folder that has it, in their order. Raises DamagedError."""
    for path in shard_paths(folder):
        if name in facts_of(path)["tables"]:
            yield read_table(path, name, columns)


def shard_path(folder: Path, number: int) -> Path:
    return folder / files.SHARDS / f"{number:06d}"


def shard_paths(folder: Path) -> list[Path]:
    """The shards in their order, whole or damaged."""
    found = (folder / files.SHARDS).glob("[0-9]*")
    return sorted(
        (path for path in found if SHARD.fullmatch(path.name) and path.is_dir()), key=lambda path: int(path.name)
    )


def remove_shard(path: Path) -> None:
    """Remove a shard, or a link in its place. Raises RunError where somebody else's files are in it."""
    inside = path.iterdir() if path.is_dir() and not path.is_symlink() else ()
    if others := [one.name for one in inside if one.suffix != ".parquet"]:
        raise RunError(f"{shown(path)} holds other files ({shown(others[0])}): move them elsewhere, and start again.")
    files.remove(path)


def _to_bytes(table: pa.Table, facts: Mapping[str, Any]) -> bytes:
    metadata = {**(table.schema.metadata or {}), FACTS: json.dumps(facts), SCHEMA: _digest(table.schema, len(table))}
    return parquet(table.replace_schema_metadata(metadata), page_checksums=True)


def _digest(schema: pa.Schema, rows: int) -> bytes:
    """Of what no page checksum is taken of: names and types of the columns, and how many rows there are."""
    kinds = [(getattr(field.type, "value_type", field.type), getattr(field.type, "list_size", 1)) for field in schema]
    columns = [f"{name} {kind} {size}" for name, (kind, size) in zip(schema.names, kinds, strict=True)]
    return sha256(f"{rows} {columns}".encode()).hexdigest().encode()


def _facts(schema: pa.Schema) -> dict[str, Any]:
    return json.loads((schema.metadata or {})[FACTS])
