"""Export of tables with provenance as CSV, Parquet or a ZIP archive, as Markdown, and as a folder.

A folder has the SHA-256 of each file in provenance.json. Tables are written into a new or empty folder, or into one
that holds only exported tables.
"""

import io
import json
import os
import platform
import zipfile
from codecs import BOM_UTF8
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pcsv
import pyarrow.parquet as pq

from attn_core import __version__
from attn_core.errors import InputError
from attn_core.io.atomic_files import TABLE, are_digests, read_json, read_written, write_file
from attn_core.io.paths import printable, without_places

# A spreadsheet evaluates a cell that begins like this; an apostrophe in front makes it text.
RISKY = r"^ *[=+\-@\t\r\n|%＝＋－＠]"
PROGRAM = "attn-core"
PACKAGES = ("torch", "transformers", "tokenizers", "numpy", "scipy", "pandas", "scikit-learn", "sentencex", "pycld2")

PROVENANCE = "provenance.json"
UNFINISHED = ".unfinished-"  # prefix of a temporary folder, which a killed process leaves behind

CSV = pcsv.WriteOptions(eol="\r\n")
Provenance = Mapping[str, object]


def to_csv(table: pd.DataFrame, provenance: Provenance = MappingProxyType({})) -> bytes:
    """A table as CSV (RFC 4180, UTF-8, with a byte order mark, by which spreadsheets know it, unless it is ASCII).

    provenance: appended as columns, named provenance_x if the table has x.

    Strings and column names that a spreadsheet would evaluate get an apostrophe in front. Tokens like "null" are
    strings: read the file with `pandas.read_csv(..., keep_default_na=False)`.
    """
    buffer = io.BytesIO()
    pcsv.write_csv(_for_a_spreadsheet(pa.Table.from_pandas(table, preserve_index=False), provenance), buffer, CSV)
    data = buffer.getvalue()
    return data if data.isascii() else BOM_UTF8 + data


def to_parquet(table: pd.DataFrame, provenance: Provenance) -> bytes:
    """A table as Parquet, with strings unchanged and the provenance in the file's metadata under "provenance"."""
    rows = pa.Table.from_pandas(table, preserve_index=False)
    about = {**(rows.schema.metadata or {}), "provenance": json.dumps(dict(provenance), default=str)}
    return parquet(rows.replace_schema_metadata(about))


def parquet(table: pa.Table) -> bytes:
    """An Arrow table as Parquet, the same bytes for the same table."""
    buffer = io.BytesIO()
    pq.write_table(table, buffer, compression="zstd")
    return buffer.getvalue()


def table_files(tables: Mapping[str, pd.DataFrame], provenance: Provenance) -> dict[str, bytes]:
    """The exported files by name: each table as CSV and Parquet, and provenance.json with the software versions."""
    about = {**provenance, "program": PROGRAM, "program_version": __version__, "software": software()}
    files = {PROVENANCE: json.dumps(about, indent=2, default=str).encode()}
    for name, table in tables.items():
        files[f"{name}.csv"] = to_csv(table)
        files[f"{name}.parquet"] = to_parquet(table, provenance)
    return files


def to_zip(files: Mapping[str, bytes]) -> bytes:
    """A ZIP archive of files, the same bytes for the same files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


@cache  # since each call reads files of the packages
def software() -> dict[str, str]:
    """The versions of Python and of the packages that the numbers depend on."""
    return {"python": platform.python_version()} | {package: version(package) for package in PACKAGES}


def _for_a_spreadsheet(table: pa.Table, provenance: Provenance) -> pa.Table:
    """The table as it is written to CSV; see `to_csv`."""
    columns = dict(zip(table.column_names, table.columns, strict=True))
    for name, value in provenance.items():
        free = name if name not in columns else f"provenance_{name}"
        columns[free] = pa.repeat(pa.scalar(_cell(value)), len(table))
    names = _neutral(pa.array(columns.keys(), pa.string())).to_pylist()
    return pa.table([_neutral(values) for values in columns.values()], names)


def _cell(value: object) -> str | bool | float | None:
    """A provenance value as a cell, lists and objects as JSON."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    return json.dumps(value, default=str)


def _neutral(values: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """The values of a column, with an apostrophe before strings that a spreadsheet would evaluate."""
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    if not (pa.types.is_string(values.type) or pa.types.is_large_string(values.type)):
        return values
    quoted = pc.binary_join_element_wise(pa.scalar("'", values.type), values, pa.scalar("", values.type))
    return pc.if_else(pc.match_substring_regex(values, RISKY), quoted, values)


def markdown(head: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    """A table in Markdown; a `|` in a cell is escaped."""
    return "\n".join([_row(head), "|---" * len(head) + "|", *map(_row, rows)])


def _row(cells: Iterable[object]) -> str:
    escaped = (str(cell).replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(escaped)} |"


def check_folder(folder: Path, overwrite: bool = False) -> None:
    """Raise InputError for a folder with other files, or with tables and no permission to overwrite them."""
    if os.path.lexists(folder) and not folder.is_dir():
        raise InputError(f"{printable(folder)} is no folder, or a link to nothing: choose a new folder.")
    found = [path for path in folder.iterdir() if not path.name.startswith(UNFINISHED)] if folder.is_dir() else []
    about = read_provenance(folder)
    ours = {PROVENANCE, *about["files"]} if about else set()
    if others := sorted(path.name for path in found if path.name not in ours or path.is_symlink() or path.is_dir()):
        raise InputError(f"{printable(folder)} holds other files ({printable(others[0])}): choose an empty folder.")
    if found and not overwrite:
        raise InputError(f"{printable(folder)} holds tables: choose a new folder, or overwrite them with --overwrite.")


def write_tables(
    files: Mapping[str, bytes], folder: Path, overwrite: bool = False, argv: Sequence[str] | None = None
) -> None:
    """Write tables and provenance.json into a folder, all or none of them. Raises InputError as in `check_folder`.

    If the process is killed in between, the tables are not taken for whole, and can be overwritten. argv: the command
    that made them; provenance.json records it with paths reduced to their last part.
    """
    check_folder(folder, overwrite)
    folder.mkdir(parents=True, exist_ok=True)
    old = read_provenance(folder).get("files", {})
    tables = {name: data for name, data in files.items() if name != PROVENANCE}
    about = json.loads(files[PROVENANCE]) | {"argv": None if argv is None else without_places(argv)}
    about["files"] = {name: sha256(data).hexdigest() for name, data in tables.items()}
    tables[PROVENANCE] = json.dumps(about, indent=2).encode()  # renamed last
    with TemporaryDirectory(prefix=UNFINISHED, dir=folder) as place:
        for name, data in tables.items():
            Path(place, name).write_bytes(data)
        write_file(folder / PROVENANCE, json.dumps(about | {"files": {**old, **about["files"]}}).encode())
        for name in old.keys() - files:
            (folder / name).unlink(missing_ok=True)
        for name in tables:
            Path(place, name).replace(folder / name)


def read_provenance(folder: Path) -> dict[str, Any]:
    """The provenance of exported tables; empty for any other folder."""
    about = read_json(folder / PROVENANCE) or {}
    return about if about.get("program") == PROGRAM and are_digests(about.get("files"), TABLE) else {}


def checked_provenance(folder: Path) -> dict[str, Any]:
    """The provenance of exported tables. Raises DamagedError if a table is missing or was changed."""
    about = read_provenance(folder)
    for name, digest in about.get("files", {}).items():
        read_written(folder / name, digest)
    return about
