"""Files of texts, read as a stream: text files, and tables (.jsonl, .csv, .parquet) with a column of texts.

No text is longer than `MAX_TEXT_BYTES`, whatever the size of an unpacked file.
"""

import bz2
import csv
import gzip
import json
import lzma
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from itertools import chain, dropwhile, groupby, islice
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from attn_core.errors import InputError, TextError, cause
from attn_core.io.atomic_files import open_file
from attn_core.io.paths import shown
from attn_core.texts.annotated import AnnotatedText
from attn_core.texts.documents import UTF16_MARKS, decode

COMPRESSED: dict[str, Callable[[Any], Any]] = {".xz": lzma.open, ".gz": gzip.open, ".bz2": bz2.open}
# Errors that libraries raise for a damaged file.
DAMAGE = (EOFError, OSError, lzma.LZMAError, zlib.error, UnicodeDecodeError, csv.Error, pa.ArrowException)
MAX_TEXT_BYTES = 64_000_000
TOO_LONG = "too long: more than 64 MB"
DEFAULT_COLUMN = "text"
SEPARATORS = ",;\t|^~"  # spreadsheets write a semicolon in languages with a decimal comma
FIRST_ROWS = 20  # of a table, from which its columns are found
ROWS = 64  # of a Parquet file that are read at a time
csv.field_size_limit(MAX_TEXT_BYTES)

Row = tuple[
    int, Mapping[str, Any] | str, int
]  # its number from 1, its cells or a problem, bytes of the file read so far


class Entry(NamedTuple):
    """A text of a file, or the problem with it.

    where: its place in the file, which ends its name. position: bytes of the file read so far. annotated: the text
    with its words and their relations, if it has any.
    """

    where: str
    text: str | None
    problem: str | None
    position: int
    group: str | None = None
    annotated: AnnotatedText | None = None


def kind_of(file: Path) -> str:
    """The suffix of a file in lower case, without that of its compression."""
    suffix = file.suffix.lower()
    return Path(file.stem).suffix.lower() if suffix in COMPRESSED else suffix


@contextmanager
def opened(file: Path, lines: bool = False) -> Iterator[tuple[Any, Callable[[], int]]]:
    """The uncompressed bytes of a file as a stream, and a function that returns how many of its own bytes were read.

    lines: whether it is read by lines. Raises TextError for a file that cannot be read, and, if it is read by lines,
    for UTF-16.
    """
    try:
        with open_file(file) as raw:  # pyarrow cannot open a name that is not UTF-8
            stream = COMPRESSED.get(file.suffix.lower(), lambda same: same)(raw)
            if lines and stream.peek(2).startswith(UTF16_MARKS):
                raise TextError(f"{shown(file.name)} is UTF-16: save it as UTF-8.")
            yield stream, raw.tell
    except DAMAGE as error:
        if isinstance(error, OSError) and error.strerror:
            raise TextError(f"{shown(file.name)} cannot be read: {error.strerror}.") from None
        raise TextError(
            f"{shown(file.name)} is damaged or cut short ({cause(error)}): mend it, or fetch it again."
        ) from None


def read_whole(file: Path) -> tuple[bytes, int]:
    """The uncompressed content of a file, and its size on the disk. Raises TextError like `opened`, or if too long."""
    with opened(file) as (stream, position):
        return _bounded(stream.read(MAX_TEXT_BYTES + 1), file), position()


def texts_of(file: Path, documents: str) -> Iterator[Entry]:
    """The texts of a text file: the file, its lines, or blocks between blank lines. Raises TextError like `opened`."""
    return {"file": _whole, "line": _lines, "blank-line": _blocks}[documents](file)


def _bounded(data: bytes, file: Path) -> bytes:
    if len(data) > MAX_TEXT_BYTES:
        raise TextError(f"{shown(file.name)} has a text of more than 64 MB: cut it, by --documents or by hand.")
    return data


def _decoded(data: bytes) -> tuple[str | None, str | None]:
    try:
        return decode(data)[0], None
    except TextError as error:
        return None, f"undecodable: {error}"


def _whole(file: Path) -> Iterator[Entry]:
    data, size = read_whole(file)
    yield Entry("", *_decoded(data), size)


def _numbered_lines(file: Path) -> Iterator[tuple[int, bytes, int]]:
    """Tuples (line number from 1, line, bytes of the file read so far)."""
    with opened(file, lines=True) as (stream, position):
        for number, line in enumerate(iter(lambda: stream.readline(MAX_TEXT_BYTES + 1), b""), start=1):
            yield number, _bounded(line, file).removeprefix(BOM_UTF8), position()


def _lines(file: Path) -> Iterator[Entry]:
    for number, line, position in _numbered_lines(file):
        if line.strip():
            yield Entry(f":{number}", *_decoded(line), position)


def _blocks(file: Path) -> Iterator[Entry]:
    """The blocks between blank lines, named by the number of their first line."""
    for blank, lines in groupby(_numbered_lines(file), key=lambda line: not line[1].strip()):
        if not blank:
            first, block, position = next(lines)
            for _, line, _ in lines:
                block = _bounded(block + line, file)
            yield Entry(f":{first}", *_decoded(block), position)


def is_table(file: Path) -> bool:
    """Whether a file is a table."""
    return kind_of(file) in READERS


def rows_of(file: Path, column: str | None, group: str | None) -> Iterator[Entry]:
    """The text of each row, with its value in the column `group`.

    Raises InputError if a column is missing, and TextError for a table that cannot be read to its end.
    """
    wanted = choose_column(file, columns_of(file), column)
    for number, cells, position in READERS[kind_of(file)](file, list(dict.fromkeys([wanted, group or wanted]))):
        if isinstance(cells, str):
            yield Entry(f":{number}", None, cells, position)
        else:
            yield Entry(f":{number}", *_text(cells.get(wanted), wanted), position, _name(cells.get(group or "")))


def columns_of(file: Path) -> dict[str, bool]:
    """The columns of a table, and whether each may hold texts, by its first rows. Raises TextError like `opened`."""
    columns: dict[str, bool] = {}
    try:
        for _, cells, _ in islice(READERS[kind_of(file)](file, None), FIRST_ROWS):
            for name, value in cells.items() if isinstance(cells, Mapping) else ():
                columns[name] = columns.get(name, False) or value is None or isinstance(value, str)
    except TextError:
        if not columns:
            raise
    return columns


def choose_column(file: Path, columns: Mapping[str, bool], column: str | None) -> str:
    """The column of texts: the given one, the only one, or "text". Raises InputError if there is none."""
    names = [name for name, holds_texts in columns.items() if holds_texts]
    if column is None and len(names) == 1:
        return names[0]
    wanted = column or DEFAULT_COLUMN
    if columns and wanted not in names:
        has = ", ".join(shown(name) for name in names[:12]) or "none"
        raise InputError(f"{shown(file.name)} has no text column {wanted!r}: name its column of texts (it has {has}).")
    return wanted


def _jsonl(file: Path, _: Sequence[str] | None) -> Iterator[Row]:
    for number, line, position in _numbered_lines(file):
        if line.strip():
            try:
                cells = json.loads(line)
            except (ValueError, RecursionError):
                yield number, "unreadable: the line is no JSON", position
            else:
                yield number, cells if isinstance(cells, dict) else {}, position


def _csv(file: Path, _: Sequence[str] | None) -> Iterator[Row]:
    """The rows with the numbers that a spreadsheet shows; the header is row 1."""
    with opened(file, lines=True) as (stream, position):
        text = TextIOWrapper(stream, "utf-8-sig", "surrogateescape", newline="")  # `_text` finds cells of other bytes
        first = next(dropwhile(str.isspace, text), "")
        rows = csv.reader(chain([first], text), delimiter=max(SEPARATORS, key=first.count), strict=True)
        header = next(rows, [])
        for number, values in enumerate(rows, start=2):
            if any(values[len(header) :]):
                yield number, "unreadable: more cells than columns; put cells with separators in quotes", position()
            elif values:
                yield number, dict(zip(header, values, strict=False)), position()


def _parquet(file: Path, columns: Sequence[str] | None) -> Iterator[Row]:
    with opened(file) as (raw, _):
        table, number = pq.ParquetFile(raw, pre_buffer=False), 0
        for batch in table.iter_batches(ROWS, columns=columns):
            for cells in batch.to_pylist():
                number += 1
                yield number, cells, file.stat().st_size * number // table.metadata.num_rows


def _text(cell: object, column: str) -> tuple[str | None, str | None]:
    """The text of a cell and None, or None and the problem with it."""
    if not isinstance(cell, str):
        return None, f"empty: no text in the column {column!r}"
    try:
        return (cell, None) if len(cell.encode()) <= MAX_TEXT_BYTES else (None, TOO_LONG)
    except UnicodeError:  # a lone surrogate, or bytes of another encoding
        return None, "undecodable: the bytes are no text"


def _name(cell: object) -> str | None:
    """The name of a group in a cell; None if it is empty."""
    return None if cell is None or not str(cell).strip() else str(cell)


READERS: dict[str, Callable[[Path, Sequence[str] | None], Iterator[Row]]] = {
    ".jsonl": _jsonl,
    ".csv": _csv,
    ".parquet": _parquet,
}
