"""Files of texts, compressed or not, read as a stream: plain text as the whole file, its lines, or the blocks between blank ones;
tables (.jsonl, .csv, .parquet) by a column of texts.
"""

import bz2
import gzip
import io
import json
import lzma
import zlib
from collections.abc import Callable, Iterator, Sized
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import IO, Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from attn_core.errors import InputError, TextError, cause
from attn_core.io.csv_tables import read_csv, separator
from attn_core.io.paths import shown
from attn_core.texts.documents import UTF16_MARKS, decode, refuse_document

Located = tuple[str, str | None, str | None, int]  # where in the file, text, problem, bytes read so far

COMPRESSED: dict[str, Callable[[Any], Any]] = {".xz": lzma.open, ".gz": gzip.open, ".bz2": bz2.open}
DAMAGE = (EOFError, OSError, lzma.LZMAError, zlib.error, UnicodeDecodeError)  # what a damaged file may raise
MAX_TEXT_BYTES = 64_000_000
FIRST_ROWS = 20  # of a .jsonl, whose columns are told by its rows
DEFAULT_COLUMN = "text"


def kind_of(file: Path) -> str:
    """The suffix that tells how a file is read, in lower case: that of compression does not."""
    suffix = file.suffix.lower()
    return Path(file.stem).suffix.lower() if suffix in COMPRESSED else suffix


def _decoded(data: bytes) -> tuple[str | None, str | None]:
    try:
        return decode(data)[0], None
    except TextError as error:
        return None, f"undecodable: {error}"


def unpacked(raw: IO[bytes], file: Path) -> IO[bytes]:
    """The bytes of an open file as they were before it was compressed."""
    opener = COMPRESSED.get(file.suffix.lower())
    return opener(raw) if opener else raw


def whole(file: Path) -> Iterator[Located]:
    """The file as one text."""
    with file.open("rb") as raw:
        try:
            data = unpacked(raw, file).read(MAX_TEXT_BYTES + 1)
        except DAMAGE as error:
            yield "", None, f"unreadable: {cause(error)}", file.stat().st_size
            return
    if len(data) > MAX_TEXT_BYTES:
        yield "", None, "too long: more than 64 MB; tell the study where documents end", file.stat().st_size
        return
    yield "", *_decoded(data), file.stat().st_size


def numbered_lines(file: Path) -> Iterator[tuple[int, bytes, int]]:
    """(line number from 1, line, bytes of the file read so far). A damaged file ends the run with a sentence."""
    with file.open("rb") as raw:
        try:
            stream: Any = unpacked(raw, file)
            refuse_document(stream.peek(64), shown(file.name))
            for number, line in enumerate(_utf8_lines(stream), start=1):
                _check_length(line, file, number)
                yield number, line, raw.tell()
        except DAMAGE as error:
            raise damaged(file, error) from None


def _utf8_lines(stream: IO[bytes]) -> Iterator[bytes]:
    """Lines of bytes, or the beginning of one that is too long; those of UTF-16, where a line end is no byte, as UTF-8."""
    if not begins_as_utf16(stream):
        yield from iter(lambda: stream.readline(MAX_TEXT_BYTES + 1), b"")
        return
    with io.TextIOWrapper(stream, "utf-16", newline="\n") as text:
        for line in iter(lambda: text.readline(MAX_TEXT_BYTES + 1), ""):
            yield line.encode()


def _check_length(text: Sized, file: Path, number: int) -> None:
    if len(text) > MAX_TEXT_BYTES:
        raise InputError(
            f"The text at line {number} of {shown(file.name)} is longer than 64 MB: break it into shorter ones."
        )


def begins_as_utf16(stream: Any) -> bool:
    """Whether a stream that can peek begins with the mark of UTF-16."""
    return stream.peek(2)[:2] in UTF16_MARKS


def damaged(file: Path, error: Exception) -> InputError:
    """What to say of a file that cannot be read to its end."""
    return InputError(f"{shown(file.name)} is damaged or cut short ({cause(error)}): fetch it again.")


def lines(file: Path) -> Iterator[Located]:
    """Each line that is not blank as a text. Raises InputError for a damaged file."""
    for number, line, position in numbered_lines(file):
        if line.strip():
            yield f":{number}", *_decoded(line), position


def blocks(file: Path) -> Iterator[Located]:
    """Documents between blank lines, named by their first line. Raises InputError for a damaged file."""
    block = bytearray()
    first = position = 0
    for number, line, position in numbered_lines(file):
        if line.strip():
            first = first if block else number
            block += line
            _check_length(block, file, first)
        elif block:
            yield f":{first}", *_decoded(bytes(block)), position
            block.clear()
    if block:
        yield f":{first}", *_decoded(bytes(block)), position


def is_table(file: Path) -> bool:
    """Whether a file of a corpus has columns."""
    return kind_of(file) in READERS


def rows_of(file: Path, column: str | None) -> Iterator[Located]:
    """Each row's text. Raises InputError for a table that cannot be read, or that lacks the column."""
    return READERS[kind_of(file)](file, column)


def columns_of(file: Path) -> list[str]:
    """The columns of a table that may hold texts: of a .jsonl those of its first rows, filled or null, else by the header."""
    kind = kind_of(file)
    if kind == ".jsonl":
        names: dict[str, None] = {}
        for _, line, _ in islice(numbered_lines(file), FIRST_ROWS):
            with suppress(ValueError, RecursionError):
                if isinstance(row := json.loads(line), dict):
                    names |= {name: None for name, value in row.items() if value is None or isinstance(value, str)}
        return list(names)
    if kind == ".csv":
        return [name for name in next(csv_rows(file))[0] if not name.startswith("Unnamed: ")]
    try:
        with file.open("rb") as raw:  # pyarrow opens no name that is no UTF-8
            schema = pq.read_schema(raw)
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{shown(file.name)} cannot be read as Parquet ({cause(error)}).") from None
    return [field.name for field in schema if _is_text(field.type)]


def choose_column(file: Path, names: list[str], column: str | None) -> str:
    """The column of texts: the one that is asked for, the only one, or "text". Raises InputError where there is none."""
    if column is None and len(names) == 1:
        return names[0]
    wanted = column or DEFAULT_COLUMN
    if wanted not in names:
        has = ", ".join(shown(name) for name in names[:12]) or "none"
        raise InputError(f"{shown(file.name)} has no text column {wanted!r}: name its column of texts (it has {has}).")
    return wanted


def _jsonl(file: Path, column: str | None) -> Iterator[Located]:
    names = columns_of(file)
    wanted = column or (choose_column(file, names, None) if names else DEFAULT_COLUMN)
    for number, line, position in numbered_lines(file):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            yield f":{number}", None, "unreadable: the line is no JSON", position
            continue
        yield f":{number}", *_cell(row.get(wanted) if isinstance(row, dict) else None, wanted), position


def _csv(file: Path, column: str | None) -> Iterator[Located]:
    wanted = choose_column(file, columns_of(file), column)
    for rows, position in csv_rows(file):
        for number, cell in enumerate(rows[wanted], start=rows.index.start + 2):  # as a spreadsheet counts
            yield f":{number}", *_cell(cell, wanted), position


def csv_rows(file: Path) -> Iterator[tuple[pd.DataFrame, int]]:
    """The rows of a .csv, some at a time, and the bytes of the file read so far. Raises InputError for a damaged one."""
    with file.open("rb") as raw:
        try:
            stream: Any = unpacked(raw, file)
            refuse_document(stream.peek(64), shown(file.name))
            encoding = "utf-16" if begins_as_utf16(stream) else "utf-8-sig"
            header = stream.peek(8192).decode(encoding, "replace").partition("\n")[0]
            how = {"sep": separator(header), "encoding": encoding, "encoding_errors": "surrogateescape"}
            for rows in read_csv(stream, shown(file.name), **how):
                yield rows, raw.tell()
        except DAMAGE as error:
            raise damaged(file, error) from None


def _parquet(file: Path, column: str | None) -> Iterator[Located]:
    try:
        with file.open("rb") as raw:
            yield from _rows_of_parquet(raw, file, column)
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{shown(file.name)} cannot be read as Parquet ({cause(error)}).") from None


def _rows_of_parquet(raw: IO[bytes], file: Path, column: str | None) -> Iterator[Located]:
    table = pq.ParquetFile(raw)
    wanted = choose_column(file, [field.name for field in table.schema_arrow if _is_text(field.type)], column)
    rows, size, number = max(table.metadata.num_rows, 1), file.stat().st_size, 0
    for batch in table.iter_batches(batch_size=64, columns=[wanted]):
        for value in _bytes(batch.column(0)).to_pylist():
            number += 1
            yield f":{number}", *_cell(value, wanted), size * number // rows


def _is_text(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        return _is_text(kind.value_type)
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)


def _bytes(texts: pa.Array) -> pa.Array:
    """A column of texts as bytes, since a file may call bytes a text that are none."""
    if pa.types.is_dictionary(texts.type):
        texts = texts.cast(texts.type.value_type)
    return texts.cast(pa.large_binary())


def _cell(value: object, column: str | None) -> tuple[str | None, str | None]:
    """A cell as a text, or why it is none. Bytes are UTF-8, as everywhere in Parquet."""
    if not isinstance(value, str | bytes):
        return None, f"empty: no text in the column {column!r}"
    try:
        value = value.decode() if isinstance(value, bytes) else value
        value.encode()
    except UnicodeError:  # half a surrogate pair, or bytes of another encoding
        return None, "undecodable: the bytes are no text"
    return value, None


READERS: dict[str, Callable[[Path, str | None], Iterator[Located]]] = {
    ".jsonl": _jsonl,
    ".csv": _csv,
    ".parquet": _parquet,
}
