"""Tables on their way out: CSV, Parquet, or all of them in a ZIP, each with where it came from."""

import io
import json
import platform
import zipfile
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

# A spreadsheet runs a cell that begins with one of these; a quote in front makes it text.
RISKY = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%", "＝", "＋", "－", "＠")
PACKAGES = ("torch", "transformers", "numpy", "pandas", "scikit-learn", "sentencex")

Provenance = Mapping[str, object]


def to_csv(table: pd.DataFrame, provenance: Provenance) -> bytes:
    """RFC 4180 in UTF-8, the provenance in columns at the end.

    A string that a spreadsheet would run gets an apostrophe in front; the token's id tells which token it was.
    """
    stamped = table.assign(**{name: "" if value is None else value for name, value in provenance.items()})
    strings = stamped.select_dtypes(exclude=["number", "bool"]).columns
    safe = stamped.assign(**{name: stamped[name].map(_neutral) for name in strings})
    return safe.to_csv(index=False, lineterminator="\r\n").encode("utf-8")


def to_parquet(table: pd.DataFrame, provenance: Provenance) -> bytes:
    """Parquet with the strings as they are; the provenance lies in the file's metadata under "provenance"."""
    arrow = pa.Table.from_pandas(table, preserve_index=False)
    metadata = {**(arrow.schema.metadata or {}), b"provenance": json.dumps(dict(provenance), default=str).encode()}
    buffer = io.BytesIO()
    pq.write_table(arrow.replace_schema_metadata(metadata), buffer, compression="zstd")
    return buffer.getvalue()


def table_files(tables: Mapping[str, pd.DataFrame], provenance: Provenance) -> dict[str, bytes]:
    """File name -> bytes: every table as CSV and Parquet, and provenance.json with the versions of the software."""
    files = {"provenance.json": json.dumps({**provenance, "software": software()}, indent=2, default=str).encode()}
    for name, table in tables.items():
        files[f"{name}.csv"] = to_csv(table, provenance)
        files[f"{name}.parquet"] = to_parquet(table, provenance)
    return files


def to_zip(files: Mapping[str, bytes]) -> bytes:
    """A ZIP archive of the files, the same bytes for the same files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def write_files(files: Mapping[str, bytes], folder: Path) -> None:
    """Write the files into a folder, which is made if need be."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)


def software() -> dict[str, str]:
    """The versions that the numbers depend on."""
    return {"python": platform.python_version(), **{package: version(package) for package in PACKAGES}}


def _neutral(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(RISKY) else value
