"""Export of tables with provenance as CSV, Parquet or a ZIP archive, and as Markdown."""

import io
import json
import platform
import zipfile
from codecs import BOM_UTF8
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.metadata import version
from types import MappingProxyType

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pcsv
import pyarrow.parquet as pq

from attn_core import __version__

# A spreadsheet evaluates a cell that begins like this; an apostrophe in front makes it text.
RISKY = r"^ *[=+\-@\t\r\n|%＝＋－＠]"
PROGRAM = "attn-core"
PACKAGES = ("torch", "transformers", "tokenizers", "numpy", "scipy", "pandas", "scikit-learn", "sentencex", "pycld2")

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
    files = {"provenance.json": json.dumps(about, indent=2, default=str).encode()}
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
