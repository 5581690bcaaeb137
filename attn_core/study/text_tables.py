"""Tables with a column of texts (.jsonl, .csv, .parquet), read as a stream.

No row of JSON or CSV is longer than `MAX_ROW_BYTES`, and few rows of Parquet are in memory at a time.
"""

import csv
import json
import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from attn_core.errors import InputError, TextError
from attn_core.io.paths import printable
from attn_core.study.text_files import (
    COMPRESSED,
    MAX_TEXT_BYTES,
    SHORTEST,
    Entry,
    check_unpacked,
    decoded,
    kind_of,
    numbered_lines,
    opened,
)
from attn_core.texts.characters import ends_sentence

MAX_ROW_BYTES = 8_000_000
MAX_VALUES = 1_000_000  # of a row of JSON; in memory each takes up to a hundred times its bytes
TOO_LONG = f"too long: more than {MAX_TEXT_BYTES / 1e6:g} MB"
DEFAULT_COLUMN = "text"
SEPARATORS = ",;\t|^~"  # spreadsheets write a semicolon in languages with a decimal comma
FIRST_ROWS = 20  # of a table, from which its columns and its separator are found
MAX_SAMPLE = 100_000  # bytes of the rows from which the separator is found
ROWS = 4  # of a Parquet file that are in memory at a time, each of which may be as long as the file
TEXT_TYPES = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view, pa.types.is_null)
ONE_OBJECT = "a .jsonl file has one JSON object on each line"
QUOTES = "unreadable: a cell in quotes ends with its quote; write a quote inside it twice"
UNCLOSED = "unreadable: a quote is opened and never closed"
END = "unexpected end of data"  # as csv says of such a quote
csv.field_size_limit(MAX_TEXT_BYTES)

# A row's number from 1, the bytes of the file read so far, its cells or a problem, and the encoding if it was assumed.
Row = tuple[int, int, Mapping[str, Any] | str, str | None]


def is_table(file: Path) -> bool:
    """Whether a file is a table."""
    return kind_of(file) in READERS


def rows_of(file: Path, column: str | None, group: str | None) -> Iterator[Entry]:
    """The text of each row, with its value in the column `group`.

    Raises InputError if a column is missing, and TextError for a table that cannot be read to its end.
    """
    wanted = choose_column(file, columns_of(file), column)
    columns = list(dict.fromkeys([wanted, group or wanted]))
    for number, position, cells, encoding in READERS[kind_of(file)](file, columns):
        if isinstance(cells, str):
            yield Entry(f":{number}", position, None, cells)
        else:
            text, problem = _text(cells.get(wanted), wanted)
            yield Entry(f":{number}", position, text, problem, encoding, _name(cells.get(group or "")))


def columns_of(file: Path) -> dict[str, bool]:
    """The columns of a table, and whether each may hold texts, by its schema or its first rows.

    Raises TextError like `opened`, for two columns of one name, and for a file of JSON without objects.
    """
    if kind_of(file) == ".parquet":
        return _parquet_columns(file)
    columns: dict[str, bool] = {}
    rows = 0
    try:
        for _, _, cells, _ in islice(READERS[kind_of(file)](file, None), FIRST_ROWS):
            rows += 1
            for name, value in cells.items() if isinstance(cells, Mapping) else ():
                columns[name] = columns.get(name, False) or value is None or isinstance(value, str)
    except TextError:
        if not columns:
            raise
    if rows and not columns:
        raise TextError(f"{printable(file.name)} has no columns in its first {rows} rows: {ONE_OBJECT}.")
    return columns


def choose_column(file: Path, columns: Mapping[str, bool], column: str | None) -> str:
    """The column of texts: the given one, the only one, or "text". Raises InputError if there is none."""
    names = [name for name, holds_texts in columns.items() if holds_texts]
    if column is None and len(names) == 1:
        return names[0]
    wanted = column or DEFAULT_COLUMN
    if columns and wanted not in names:
        has = ", ".join(printable(name) for name in names[:12]) or "none"
        raise InputError(f"{printable(file.name)} has no column {wanted!r}: name its column of texts (it has {has}).")
    return wanted


def _jsonl(file: Path, _: Sequence[str] | None) -> Iterator[Row]:
    for number, line, position in numbered_lines(file, MAX_ROW_BYTES):
        if line.strip():
            text, problem, encoding = decoded(line)
            yield number, position, problem or _object(text or ""), encoding


def _object(line: str) -> Mapping[str, Any] | str:
    """The object on a line of JSON, or the problem with it."""
    if sum(map(line.count, ",[{")) > MAX_VALUES:
        return f"unreadable: more than {MAX_VALUES:,} values on a line"
    try:
        cells = json.loads(line, object_pairs_hook=_unique)
    except TextError as error:
        return f"unreadable: {error}"
    except (ValueError, RecursionError):
        cells = None
    return cells if isinstance(cells, dict) else f"unreadable: {ONE_OBJECT}"


def _unique(cells: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """The cells by name. Raises TextError if two have the same name."""
    by_name: dict[str, Any] = {}
    for name, cell in cells:
        if name and name in by_name:
            raise TextError(f"two columns have the name {printable(name)!r}: give each its own.")
        by_name[name] = cell
    return by_name


class _TableLines(Iterator[str]):
    """The lines of a table for `csv.reader`, and what is known of those of the current row.

    row: the lines, each with the bytes of the file read so far. waiting: those that are read again.
    """

    def __init__(self, file: Path) -> None:
        self.lines = numbered_lines(file, MAX_ROW_BYTES)
        self.waiting = deque[tuple[bytes, int]]()
        self.left = 10 * MAX_ROW_BYTES  # bytes that may be read again, so that reading takes linear time
        self.number = 0

    def begin_row(self) -> None:
        """Begin the next row."""
        self.number, self.size, self.row = self.number + 1, 0, list[tuple[bytes, int]]()
        self.problem: str | None = None
        self.encoding: str | None = None

    def __next__(self) -> str:
        line, self.position = self.waiting.popleft() if self.waiting else next(self.lines)[1:]
        self.row.append((line, self.position))
        self.size += max(len(line), SHORTEST)
        if self.size > MAX_ROW_BYTES:
            raise csv.Error(END)
        text, problem, encoding = decoded(line)
        self.problem, self.encoding = self.problem or problem, self.encoding or encoding
        return text or "\n"

    def end_row(self) -> bool:
        """End a row with its first line, and whether the other lines are read again, as rows of their own."""
        if self.left <= 0:
            return False
        self.left -= self.size
        self.waiting.extendleft(reversed(self.row[1:]))
        return True


def _csv(file: Path, _: Sequence[str] | None) -> Iterator[Row]:
    """The rows with the numbers that a spreadsheet shows."""
    lines, header = _TableLines(file), list[str]()
    rows = csv.reader(lines, delimiter=_separator(file), skipinitialspace=True, strict=True)
    goes_on = True
    while goes_on:
        lines.begin_row()
        try:
            if (values := next(rows, None)) is None:
                return
            problem = lines.problem
        except csv.Error as error:
            values, problem = [], QUOTES
            if END in str(error):
                goes_on = lines.end_row()
                problem = UNCLOSED if goes_on else f"{UNCLOSED}, so that no later row can be read"
        if problem and not header:
            raise TextError(f"{printable(file.name)} has no names of columns in row {lines.number}: {problem}.")
        if not header:
            header = [DEFAULT_COLUMN] if len(values) == 1 and _is_sentence(values[0]) else values
            _unique([(name, None) for name in header])
            values = [] if header is values else values
        if any(values[len(header) :]):
            problem = "unreadable: more cells than columns; put cells with separators in quotes"
        if problem or values:
            yield lines.number, lines.position, problem or dict(zip(header, values, strict=False)), lines.encoding


def _is_sentence(cell: str) -> bool:
    """Whether the only cell of a first row is no name of a column but a text, since it ends like a sentence."""
    end = re.search(r"\W+$", cell.strip())
    return " " in cell.strip() and end is not None and ends_sentence(end[0].strip(), "en")


def _separator(file: Path) -> str:
    """The separator with which most of the first rows have as many cells as the first, if that has two or more."""
    lines, size = list[str](), 0
    for _, line, _ in numbered_lines(file, MAX_ROW_BYTES):
        lines.append(decoded(line)[0] or "\n")
        size += len(line)
        if len(lines) == FIRST_ROWS or size > MAX_SAMPLE:
            break

    def agreement(separator: str) -> tuple[float, int]:
        cells = [len(row) for row in csv.reader(lines, delimiter=separator, skipinitialspace=True) if row]
        return (cells.count(cells[0]) / len(cells), cells[0]) if cells and cells[0] > 1 else (0, 0)

    return max(SEPARATORS, key=agreement)


@contextmanager
def _opened_parquet(file: Path) -> Iterator[pq.ParquetFile]:
    if file.suffix.lower() in COMPRESSED:
        raise TextError(f"{printable(file.name)} is compressed, as Parquet is already inside: unpack it.")
    with opened(file) as (raw, _):
        yield pq.ParquetFile(raw, pre_buffer=False)


def _parquet_columns(file: Path) -> dict[str, bool]:
    """The columns of a Parquet file that hold no lists or objects, and whether each may hold texts."""
    with _opened_parquet(file) as table:
        schema = table.schema_arrow
    _unique([(name, None) for name in schema.names])
    types = {one.name: getattr(one.type, "value_type", one.type) for one in schema if not pa.types.is_nested(one.type)}
    return {name: any(is_text(kind) for is_text in TEXT_TYPES) for name, kind in types.items()}


def _parquet(file: Path, columns: Sequence[str] | None) -> Iterator[Row]:
    with _opened_parquet(file) as table:
        number, size = 0, file.stat().st_size
        parts = [table.metadata.row_group(at) for at in range(table.num_row_groups)]
        chunks = [part.column(at) for part in parts for at in range(part.num_columns)]
        read = sum(one.total_uncompressed_size for one in chunks if columns is None or one.path_in_schema in columns)
        check_unpacked(read, file)
        for batch in table.iter_batches(ROWS, columns=columns):
            for at in range(len(batch)):
                number += 1
                cells = {name: batch.column(name)[at].as_py() for name in batch.schema.names}
                yield number, size * number // max(number, table.metadata.num_rows), cells, None


def _text(cell: object, column: str) -> tuple[str | None, str | None]:
    """The text of a cell and None, or None and the problem with it."""
    if not isinstance(cell, str):
        return None, f"empty: no text in the column {column!r}"
    data = cell.encode("utf-8", "replace")  # half an emoji of JSON becomes a question mark
    return (data.decode(), None) if len(data) <= MAX_TEXT_BYTES else (None, TOO_LONG)


def _name(cell: object) -> str | None:
    """The name of a group in a cell; None if it is empty."""
    return None if cell is None or not str(cell).strip() else str(cell)


READERS: dict[str, Callable[[Path, Sequence[str] | None], Iterator[Row]]] = {
    ".jsonl": _jsonl,
    ".csv": _csv,
    ".parquet": _parquet,
}
