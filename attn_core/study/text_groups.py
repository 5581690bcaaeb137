"""Which texts of a corpus belong together: excerpts of one book say less than as many books, and are left out together."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq

from attn_core.errors import InputError
from attn_core.io.paths import shown
from attn_core.study.text_files import csv_rows, is_table, kind_of, numbered_lines
from attn_core.texts.expressions import first_group

FOLDER = "folder"
DIGITS = re.compile(r"\d+")


def name_of_file(file: Path, groups: str) -> str:
    """The group that a file's place or name tells: its folder, or the first group of a regular expression.

    Raises InputError where RE2 does not take the expression, and where it finds nothing in the name.
    """
    if groups == FOLDER:
        return str(file.parent)
    name = first_group(groups, file.name.encode("utf-8", "replace").decode())  # a name may have bytes that are no text
    if name is None:
        raise InputError(
            f"{groups[:80]!r} tells no group of {shown(file.name)}: give a column of its table, folder, or a regular expression "
            r"whose first group is found in every file's name, such as '(.*?)[ _-]*\d+'."
        )
    return name


def has_column(file: Path, name: str) -> bool:
    """Whether a table has a column, of whatever kind; of a .jsonl the first row tells."""
    kind = kind_of(file)
    if kind == ".jsonl":
        return next(((name in row) for row in _json_rows(file)), False)
    if kind == ".csv":
        return name in next(csv_rows(file))[0]
    with file.open("rb") as raw:
        return name in pq.read_schema(raw).names


def cells_of(file: Path, name: str) -> Iterator[str | None]:
    """The column of groups, row by row as texts are read; None where a row says nothing."""
    kind = kind_of(file)
    if kind == ".jsonl":
        values: Iterator[object] = (row.get(name) for row in _json_rows(file))
        yield from map(_told, values)
    elif kind == ".csv":
        for rows, _ in csv_rows(file):
            yield from map(_told, rows[name])
    else:
        with file.open("rb") as raw:
            for batch in pq.ParquetFile(raw).iter_batches(batch_size=64, columns=[name]):
                yield from map(_told, batch.column(0).to_pylist())


def question(files: tuple[Path, ...]) -> str:
    """Asks for groups where files share a name but for a number; empty where none do, or where a number is all of their names."""
    known: dict[tuple[Path, str], Path] = {}
    for file in files:
        if is_table(file) or not DIGITS.sub("", file.name.partition(".")[0]):
            continue
        key = file.parent, DIGITS.sub("#", file.name)
        if (other := known.setdefault(key, file)) is not file:
            return (
                f"{shown(other.name)} and {shown(file.name)} differ by a number alone: if they are parts of one work, their "
                "group makes the intervals right (--groups folder, or a regular expression on the name)."
            )
    return ""


def _json_rows(file: Path) -> Iterator[dict[str, object]]:
    """Every line that is not blank; one that is no object says nothing."""
    for _, line, _ in numbered_lines(file):
        if line.strip():
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                row = None
            yield row if isinstance(row, dict) else {}


def _told(value: object) -> str | None:
    return None if value is None or str(value).strip() == "" else str(value)
