"""Where the texts of a study come from: a folder, a glob, or a file, read as a stream.

Nothing here holds more than one text (and one Parquet batch) at a time. A text that cannot be read is not an error: it
comes out with its `problem`, and the study lists it.
"""

import bz2
import csv
import gzip
import io
import json
import lzma
import os
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cached_property
from glob import has_magic
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import IO, Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq

from attn_core.errors import InputError, TextError, cause
from attn_core.paths import shown, typed_path
from attn_core.texts import UTF16_MARKS, decode

Documents = Literal["file", "blank-line", "line"]
Located = tuple[str, str | None, str | None, int]  # where in the file, text, problem, bytes read so far

COMPRESSED: dict[str, Callable[[Any], Any]] = {".xz": lzma.open, ".gz": gzip.open, ".bz2": bz2.open}
TABLES = (".jsonl", ".csv", ".parquet")
KINDS = (".txt", ".md", *TABLES)
FIRST_ROWS = 20  # of a .jsonl, whose columns are told by its rows
DAMAGE = (EOFError, OSError, lzma.LZMAError, zlib.error, UnicodeDecodeError)  # what a damaged file may raise
MAX_TEXT_BYTES = 64_000_000
MAX_ENTRIES = 200_000  # files and folders that a search for texts looks at: some seconds, not the whole disk
DEFAULT_COLUMN = "text"


@dataclass(frozen=True)
class Text:
    """A text of a corpus, or the reason why it cannot be read. `done` is the share of the corpus up to its end."""

    number: int
    name: str
    text: str | None
    problem: str | None
    done: float


@dataclass(frozen=True)
class Corpus:
    """Texts in a fixed order.

    source: a folder (every .txt, .md, .jsonl, .csv and .parquet below it), a glob, or one such file; text files and
    .jsonl may be compressed (.xz, .gz, .bz2). Hidden files and folders are left out, and links to folders are not
    followed from folder to folder. column: the column of tables that holds the texts ("text" where there is one).
    documents: what one text of a text file is: the whole file, a block between blank lines, or a line.
    """

    source: str
    column: str | None = None
    documents: Documents = "file"
    limit: int | None = None

    @cached_property
    def files(self) -> tuple[Path, ...]:
        """Raises InputError where there is no file to read, and where there are too many to look at."""
        try:
            path = typed_path(self.source)
            if path.is_dir():
                found = [file for file in _search(path, ("**", "*"), _Looked(self.source)) if _kind(file) in KINDS]
            elif path.is_file():
                found = [path]
            else:
                found = list(_search(Path(path.anchor), path.relative_to(path.anchor).parts, _Looked(self.source)))
        except OSError as error:
            raise InputError(f"{shown(error.filename or self.source)} cannot be read: {error.strerror}.") from None
        if not self.source.strip() or not found:
            raise InputError(
                f"There is no text at {shown(self.source)!r}: give a folder, a glob or a file ({', '.join(KINDS)})."
            )
        if unknown := next((file for file in found if _kind(file) not in KINDS), None):
            raise InputError(f"{shown(unknown.name)} cannot be read as texts: a study reads {', '.join(KINDS)}.")
        return tuple(sorted(found))

    @property
    def size(self) -> int:
        """Bytes of all files, as they lie on the disk."""
        return sum(file.stat().st_size for file in self.files)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns of texts that every table among the files has; none where there is no table.

        Raises InputError for a table that cannot be read.
        """
        found = [_columns(file) for file in self.files if is_table(file)]
        return tuple(name for name in dict.fromkeys(found[0]) if all(name in names for names in found)) if found else ()

    def check(self) -> None:
        """Raises InputError where a table lacks the column, so that a study need not find it out at its end."""
        for file in self.files:
            if is_table(file) and (names := _columns(file)):
                _choose_column(file, names, self.column)

    def fingerprint(self) -> str:
        """SHA-256 over names, contents, and how they are read."""
        digest = sha256(f"{self.column}|{self.documents}|{self.limit}".encode())
        for file in self.files:
            name = self._name(file).encode("utf-8", "surrogateescape")
            digest.update(name + b"\0" + _digest(file))
        return digest.hexdigest()

    def texts(self) -> Iterator[Text]:
        """Every text, numbered from 0. Raises InputError for a table without the column."""
        total = self.size or 1
        before = number = 0
        for file in self.files:
            for where, text, problem, position in self._read(file):
                if self.limit is not None and number >= self.limit:
                    return
                done = (before + position) / total if self.limit is None else (number + 1) / self.limit
                yield Text(number, shown(self._name(file)) + where, text, problem, min(done, 1.0))
                number += 1
            before += file.stat().st_size

    def _name(self, file: Path) -> str:
        folder = typed_path(self.source)
        return file.relative_to(folder).as_posix() if folder.is_dir() else file.name

    def _read(self, file: Path) -> Iterator[Located]:
        kind = _kind(file)
        if kind == ".parquet":
            return _parquet(file, self.column)
        if kind == ".csv":
            return _csv(file, self.column)
        if kind == ".jsonl":
            return _jsonl(file, self.column)
        if self.documents == "file":
            return _whole(file)
        return _lines(file) if self.documents == "line" else _blocks(file)


class _Looked:
    """Counts what a search has looked at, so that it ends."""

    def __init__(self, source: str) -> None:
        self._source, self._number = source, 0

    def entries(self, folder: Path) -> list[os.DirEntry[str]]:
        """What lies in a folder, hidden things left out. Raises InputError once the search goes too far."""
        found = []
        with os.scandir(folder) as entries:
            for entry in entries:
                self._number += 1
                if self._number > MAX_ENTRIES:
                    raise InputError(
                        f"There are more than {MAX_ENTRIES:,} files and folders at {shown(self._source)}: "
                        "name a folder closer to the texts."
                    )
                if not entry.name.startswith("."):
                    found.append(entry)
        return found


def _search(folder: Path, pattern: Sequence[str], looked: _Looked) -> Iterator[Path]:
    """The files below a folder that match the parts of a glob, `**` being any number of folders."""
    part, rest = (pattern[0], pattern[1:]) if pattern else ("", ())
    if part == "**":
        yield from _search(folder, rest or ("*",), looked)
        for entry in looked.entries(folder):
            if entry.is_dir(follow_symlinks=False):
                yield from _search(Path(entry.path), pattern, looked)
    elif not has_magic(part):
        if rest and (folder / part).is_dir():
            yield from _search(folder / part, rest, looked)
        elif part and not rest and (folder / part).is_file():
            yield folder / part
    else:
        for entry in looked.entries(folder):
            if not fnmatch(entry.name, part):
                continue
            if rest and entry.is_dir():
                yield from _search(Path(entry.path), rest, looked)
            elif not rest and entry.is_file():
                yield Path(entry.path)


def is_table(file: Path) -> bool:
    """Whether a file of a corpus has columns."""
    return _kind(file) in TABLES


def _kind(file: Path) -> str:
    suffix = file.suffix.lower()
    return Path(file.stem).suffix.lower() if suffix in COMPRESSED else suffix


def _digest(file: Path) -> bytes:
    with file.open("rb") as stream:
        digest = sha256()
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.digest()


def _decoded(data: bytes) -> tuple[str | None, str | None]:
    try:
        return decode(data)[0], None
    except TextError:
        return None, "undecodable: the bytes are no text"


def _stream(raw: IO[bytes], file: Path) -> IO[bytes]:
    opener = COMPRESSED.get(file.suffix.lower())
    return opener(raw) if opener else raw


def _whole(file: Path) -> Iterator[Located]:
    with file.open("rb") as raw:
        try:
            data = _stream(raw, file).read(MAX_TEXT_BYTES + 1)
        except DAMAGE as error:
            yield "", None, f"unreadable: {cause(error)}", file.stat().st_size
            return
    if len(data) > MAX_TEXT_BYTES:
        yield "", None, "too long: more than 64 MB; tell the study where documents end", file.stat().st_size
        return
    yield "", *_decoded(data), file.stat().st_size


def _numbered_lines(file: Path) -> Iterator[tuple[int, bytes, int]]:
    """(line number from 1, line, bytes of the file read so far). A damaged file ends the run with a sentence."""
    with file.open("rb") as raw:
        try:
            for number, line in enumerate(_utf8_lines(_stream(raw, file)), start=1):
                yield number, line, raw.tell()
        except DAMAGE as error:
            raise _damaged(file, error) from None


def _utf8_lines(stream: IO[bytes]) -> Iterator[bytes]:
    """Lines of bytes; those of UTF-16, where a line end is no byte, as UTF-8."""
    if not _begins_as_utf16(stream):
        yield from stream
        return
    with io.TextIOWrapper(stream, "utf-16", newline="\n") as text:
        for line in text:
            yield line.encode()


def _begins_as_utf16(stream: Any) -> bool:
    return stream.peek(2)[:2] in UTF16_MARKS


def _damaged(file: Path, error: Exception) -> InputError:
    return InputError(f"{shown(file.name)} is damaged or cut short ({cause(error)}): fetch it again.")


def _lines(file: Path) -> Iterator[Located]:
    for number, line, position in _numbered_lines(file):
        if line.strip():
            yield f":{number}", *_decoded(line), position


def _blocks(file: Path) -> Iterator[Located]:
    """Documents between blank lines, named by their first line."""
    block: list[bytes] = []
    first = position = 0
    for number, line, position in _numbered_lines(file):
        if line.strip():
            first = first if block else number
            block.append(line)
        elif block:
            yield f":{first}", *_decoded(b"".join(block)), position
            block = []
    if block:
        yield f":{first}", *_decoded(b"".join(block)), position


def _jsonl(file: Path, column: str | None) -> Iterator[Located]:
    wanted = column
    for number, line, position in _numbered_lines(file):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            yield f":{number}", None, "unreadable: the line is no JSON", position
            continue
        if wanted is None and isinstance(row, dict):
            wanted = _choose_column(file, [name for name, value in row.items() if isinstance(value, str)], None)
        yield f":{number}", *_cell(row.get(wanted) if isinstance(row, dict) else None, wanted), position


def _csv(file: Path, column: str | None) -> Iterator[Located]:
    with _csv_reader(file) as (reader, raw):
        wanted = _choose_column(file, list(reader.fieldnames or []), column)
        for row in reader:
            yield f":{reader.line_num}", *_cell(row[wanted], wanted), raw.tell()


@contextmanager
def _csv_reader(file: Path) -> Iterator[tuple[csv.DictReader, IO[bytes]]]:
    """The rows of a .csv, and the file below; what goes wrong as they are read is told in one sentence."""
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    with file.open("rb") as raw:
        encoding, errors = ("utf-16", "strict") if _begins_as_utf16(raw) else ("utf-8-sig", "surrogateescape")
        try:
            yield csv.DictReader(io.TextIOWrapper(raw, encoding, errors, newline="")), raw
        except csv.Error as error:
            raise InputError(f"{shown(file.name)} cannot be read as a table ({cause(error)}).") from None
        except UnicodeDecodeError as error:
            raise _damaged(file, error) from None


def _parquet(file: Path, column: str | None) -> Iterator[Located]:
    try:
        table = pq.ParquetFile(file)
        wanted = _choose_column(file, [field.name for field in table.schema_arrow if _is_text(field.type)], column)
        rows, size, number = max(table.metadata.num_rows, 1), file.stat().st_size, 0
        for batch in table.iter_batches(batch_size=64, columns=[wanted]):
            for value in _bytes(batch.column(0)).to_pylist():
                number += 1
                yield f":{number}", *_cell(value, wanted), size * number // rows
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{shown(file.name)} cannot be read as Parquet ({cause(error)}).") from None


def _columns(file: Path) -> list[str]:
    """The columns of a table that may hold texts: of a .jsonl those that its first rows fill, else by the header."""
    kind = _kind(file)
    if kind == ".jsonl":
        names: dict[str, None] = {}
        for _, line, _ in islice(_numbered_lines(file), FIRST_ROWS):
            with suppress(ValueError, RecursionError):
                row = json.loads(line)
                names |= (
                    {name: None for name, value in row.items() if isinstance(value, str)}
                    if isinstance(row, dict)
                    else {}
                )
        return list(names)
    if kind == ".csv":
        with _csv_reader(file) as (reader, _):
            return [name for name in reader.fieldnames or [] if name]
    try:
        schema = pq.read_schema(file)
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{shown(file.name)} cannot be read as Parquet ({cause(error)}).") from None
    return [field.name for field in schema if _is_text(field.type)]


def _is_text(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        return _is_text(kind.value_type)
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)


def _bytes(texts: pa.Array) -> pa.Array:
    """A column of texts as bytes, since a file may call bytes a text that are none."""
    if pa.types.is_dictionary(texts.type):
        texts = texts.cast(texts.type.value_type)
    return texts.cast(pa.large_binary())


def _choose_column(file: Path, names: list[str], column: str | None) -> str:
    if column is None and len(names) == 1:
        return names[0]
    wanted = column or DEFAULT_COLUMN
    if wanted not in names:
        has = ", ".join(shown(name) for name in names[:12]) or "none"
        raise InputError(f"{shown(file.name)} has no text column {wanted!r}: name its column of texts (it has {has}).")
    return wanted


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
