"""Tables with a column of texts (.jsonl, .csv, .parquet), read row by row."""

import csv
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from io import TextIOWrapper
from itertools import chain, dropwhile, islice, takewhile, zip_longest
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from attn_core.errors import InputError
from attn_core.io.csv_tables import separator
from attn_core.io.paths import shown
from attn_core.study.text_files import MAX_TEXT_BYTES, TOO_LONG, Entry, kind_of, numbered_lines, opened, refuse_no_lines

FIRST_ROWS = 20  # of a .jsonl, whose columns are those of its rows
DEFAULT_COLUMN = "text"
MAX_VALUES = 4_000_000  # of a line of JSON, each of which takes far more memory than its characters
ROWS, ROWS_BYTES = 512, 16_000_000  # of a Parquet file at a time, whichever is less
# Rows of Parquet that unpack to more bytes than this, and to so many times what they take, are refused: prose to thrice.
BOMB_BYTES, BOMB_RATIO = MAX_TEXT_BYTES, 30
csv.field_size_limit(MAX_TEXT_BYTES)

# Its number from 1, its cells or its problem, and the bytes of the file read so far.
Row = tuple[int, Mapping[str, Any] | str, int]


def is_table(file: Path) -> bool:
    """Whether a file of a corpus has columns."""
    return kind_of(file) in READERS


def rows_of(file: Path, column: str | None, group: str | None) -> Iterator[Entry]:
    """Each row's text, and what the column `group` says of it.

    Raises InputError where there is no such column, and TextError for a table that cannot be read to its end.
    """
    wanted = choose_column(file, columns_of(file), column)
    for number, cells, position in READERS[kind_of(file)](file, list(dict.fromkeys([wanted, group or wanted]))):
        if isinstance(cells, str):
            yield Entry(f":{number}", None, cells, position)
        else:
            yield Entry(f":{number}", *_text(cells.get(wanted), wanted), position, _name(cells.get(group or "")))


def columns_of(file: Path) -> dict[str, bool]:
    """The columns of a table, and which may hold texts: those of its first rows, filled or null; of a Parquet file by its kind.

    No row is looked at behind one that is too long, whose end may be far. Raises TextError for a table that cannot be read.
    """
    if kind_of(file) == ".parquet":
        with opened(file) as (raw, _):
            return {field.name: _holds_texts(field.type) for field in pq.read_schema(raw)}
    columns: dict[str, bool] = {}
    rows = islice(READERS[kind_of(file)](file, ()), FIRST_ROWS)
    for _, cells, _ in takewhile(lambda row: row[1] != TOO_LONG, rows):
        for name, value in cells.items() if isinstance(cells, Mapping) else ():
            columns[name] = columns.get(name, False) or value is None or isinstance(value, str)
    return columns


def choose_column(file: Path, columns: Mapping[str, bool], column: str | None) -> str:
    """The column of texts: the one that is asked for, the only one, or "text". Raises InputError where there is none."""
    names = [name for name, holds_texts in columns.items() if holds_texts]
    if column is None and len(names) == 1:
        return names[0]
    wanted = column or DEFAULT_COLUMN
    if columns and wanted not in names:
        has = ", ".join(shown(name) for name in names[:12]) or "none"
        raise InputError(f"{shown(file.name)} has no text column {wanted!r}: name its column of texts (it has {has}).")
    return wanted


def _jsonl(file: Path, _: Sequence[str]) -> Iterator[Row]:
    for number, line, position in numbered_lines(file):
        if line is None:
            yield number, TOO_LONG, position
        elif line.count(b",") > MAX_VALUES:
            yield number, f"too long: more than {MAX_VALUES:,} values on a line", position
        elif line.strip():
            try:
                cells = json.loads(line)
            except (ValueError, RecursionError):
                yield number, "unreadable: the line is no JSON", position
            else:
                yield number, cells if isinstance(cells, dict) else {}, position


def _csv(file: Path, columns: Sequence[str]) -> Iterator[Row]:
    """A row that does not end, or is too long, is the last. Where no columns are asked for, the header is a row too."""
    number = size = 0  # rows read, and characters of the row that is being read
    header: list[str] = []
    with opened(file) as (stream, position):
        refuse_no_lines(stream, file)
        text = TextIOWrapper(stream, "utf-8-sig", "surrogateescape", newline="")  # each cell is found undecodable alone

        def bounded() -> Iterator[str]:
            nonlocal size
            while line := text.readline(MAX_TEXT_BYTES + 1):
                size += len(line)
                if size > MAX_TEXT_BYTES:
                    raise csv.Error(f"{TOO_LONG} in a row; the rows after it are not read")
                yield line
            if size:
                raise csv.Error("unreadable: a quotation mark is not closed in this row and those after it")

        lines = bounded()
        try:
            first = next(dropwhile(str.isspace, lines), "")
            for values in csv.reader(chain([first], lines), delimiter=separator(first)):
                number, size = number + 1, 0  # as a spreadsheet counts
                if number == 1:
                    header = values
                    if not columns:
                        yield number, dict.fromkeys(filter(None, header)), position()
                elif any(values[len(header) :]):
                    yield number, "unreadable: more cells than columns; put cells with separators in quotes", position()
                elif values:
                    yield number, {name: value for name, value in zip_longest(header, values) if name}, position()
        except csv.Error as error:
            yield number + 1, str(error), position()


def _parquet(file: Path, columns: Sequence[str]) -> Iterator[Row]:
    with opened(file) as (raw, _):
        # Texts as a dictionary, so that one that many rows repeat is unpacked once.
        table = pq.ParquetFile(raw, read_dictionary=columns, pre_buffer=False, buffer_size=1 << 20)
        step, number = file.stat().st_size / max(table.metadata.num_rows, 1), 0
        for at in range(table.num_row_groups):
            rows = table.metadata.row_group(at)
            chunks = [chunk for chunk in map(rows.column, range(rows.num_columns)) if chunk.path_in_schema in columns]
            packed = sum(chunk.total_compressed_size for chunk in chunks)
            unpacked = sum(chunk.total_uncompressed_size for chunk in chunks)
            if unpacked > max(BOMB_BYTES, BOMB_RATIO * packed):
                problem = (
                    f"too long: rows {number + 1:,} to {number + rows.num_rows:,} unpack to {unpacked / 1e6:,.0f} MB"
                )
                yield number + 1, problem, int(number * step)
                number += rows.num_rows
                continue
            some = min(ROWS, max(1, ROWS_BYTES * rows.num_rows // max(unpacked, 1)))
            for batch in table.iter_batches(some, row_groups=[at], columns=columns):
                names = batch.schema.names
                for cells in zip(*batch.columns, strict=True):
                    number += 1
                    yield number, dict(zip(names, map(_value, cells), strict=True)), int(number * step)


def _holds_texts(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        return _holds_texts(kind.value_type)
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)


def _value(cell: pa.Scalar) -> Any:
    """A cell of Parquet; a text as its bytes, where they lie, since a file may call bytes a text that are none."""
    return cell.value.as_buffer() if cell.is_valid and isinstance(cell, pa.DictionaryScalar) else cell.as_py()


def _text(cell: object, column: str) -> tuple[str | None, str | None]:
    """A cell as a text, or why it is none."""
    if not isinstance(cell, str | pa.Buffer):
        return None, f"empty: no text in the column {column!r}"
    with suppress(UnicodeError):  # half a surrogate pair, or bytes of another encoding
        data = cell.encode() if isinstance(cell, str) else cell
        return (None, TOO_LONG) if len(data) > MAX_TEXT_BYTES else (bytes(data).decode(), None)
    return None, "undecodable: the bytes are no text"


def _name(cell: object) -> str | None:
    """A cell as the name of a group; None where it says nothing."""
    name = bytes(cell).decode("utf-8", "replace") if isinstance(cell, pa.Buffer) else str(cell)
    return None if cell is None or not name.strip() else name


READERS: dict[str, Callable[[Path, Sequence[str]], Iterator[Row]]] = {
    ".jsonl": _jsonl,
    ".csv": _csv,
    ".parquet": _parquet,
}
