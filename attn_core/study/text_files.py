"""Files of texts, read as a stream: compressed or not, whole, by lines, or by blocks between blank lines.

No text is longer than `MAX_TEXT_BYTES`, whatever the size of an unpacked file.
"""

import bz2
import gzip
import lzma
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from attn_core.errors import TextError, cause
from attn_core.io.atomic_files import open_file
from attn_core.io.paths import printable
from attn_core.texts.annotated import AnnotatedText
from attn_core.texts.documents import ASSUMED, UTF16_MARKS, decode

COMPRESSED: dict[str, Callable[[Any], Any]] = {".xz": lzma.open, ".gz": gzip.open, ".bz2": bz2.open}
# Errors that libraries raise for a damaged file.
DAMAGE = (EOFError, OSError, lzma.LZMAError, zlib.error, pa.ArrowException)
MAX_TEXT_BYTES = 20_000_000
EXPANSION = 20  # times its own size that a compressed file may unpack to, if that is more than `MAX_TEXT_BYTES`
SHORTEST = 16  # bytes that a line counts for, as every line takes time


class Entry(NamedTuple):
    """A text of a file, or the problem with it.

    where: its place in the file, which ends its name. position: bytes of the file read so far. encoding: if it was
    assumed. annotated: the text with its words and their relations, if it has any.
    """

    where: str
    position: int
    text: str | None
    problem: str | None
    encoding: str | None = None
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
                raise TextError(f"{printable(file.name)} is UTF-16: save it as UTF-8.")
            yield stream, raw.tell
    except DAMAGE as error:
        if isinstance(error, OSError) and error.strerror:
            raise TextError(f"{printable(file.name)} cannot be read: {error.strerror}.") from None
        raise TextError(
            f"{printable(file.name)} is damaged or cut short ({cause(error)}): mend it, or fetch it again."
        ) from None


def read_whole(file: Path) -> tuple[bytes, int]:
    """The uncompressed content of a file, and its size on the disk. Raises TextError like `opened`, or if too long."""
    with opened(file) as (stream, position):
        data = stream.read(MAX_TEXT_BYTES + 1)
        check_size(len(data), file, MAX_TEXT_BYTES)
        return data, position()


def numbered_lines(file: Path, most: int) -> Iterator[tuple[int, bytes, int]]:
    """Tuples (line number from 1, line, bytes of the file read so far); a carriage return alone ends a line too.

    Raises TextError like `opened`, for a line of more than `most` bytes, and for a file that unpacks to much more than
    its size.
    """
    with opened(file, lines=True) as (stream, position):
        lines = TextIOWrapper(stream, "latin-1", newline="")  # a character for each byte
        unpacked = 0
        for number, line in enumerate(iter(lambda: lines.readline(most + 1), ""), start=1):
            check_size(len(line), file, most, f" in line {number:,}")
            unpacked += max(len(line), SHORTEST)
            if file.suffix.lower() in COMPRESSED:
                check_unpacked(unpacked, file)
            yield number, line.encode("latin-1").removeprefix(BOM_UTF8), position()


def check_size(size: int, file: Path, most: int, where: str = "") -> None:
    """Raise TextError if a text has more than `most` bytes."""
    if size > most:
        raise TextError(f"{printable(file.name)} has a text of more than {most / 1e6:g} MB{where}: cut it into parts.")


def check_unpacked(size: int, file: Path) -> None:
    """Raise TextError if a compressed file unpacks to more bytes than it may."""
    if size > max(MAX_TEXT_BYTES, EXPANSION * file.stat().st_size):
        raise TextError(
            f"{printable(file.name)} unpacks to more than {EXPANSION} times its size: unpack it, if you trust it."
        )


def decoded(data: bytes) -> tuple[str | None, str | None, str | None]:
    """(text, problem, encoding if it was assumed) of the bytes of a text."""
    try:
        text, encoding = decode(data)
    except TextError as error:
        return None, f"undecodable: {error}", None
    return text, None, encoding if encoding == ASSUMED else None


def texts_of(file: Path, documents: str) -> Iterator[Entry]:
    """The texts of a text file: the file, its lines, or blocks between blank lines. Raises TextError like `opened`."""
    return {"file": _whole, "line": _lines, "blank-line": _blocks}[documents](file)


def _whole(file: Path) -> Iterator[Entry]:
    data, size = read_whole(file)
    yield Entry("", size, *decoded(data))


def _lines(file: Path) -> Iterator[Entry]:
    for number, line, position in numbered_lines(file, MAX_TEXT_BYTES):
        if line.strip():
            yield Entry(f":{number}", position, *decoded(line))


def _blocks(file: Path) -> Iterator[Entry]:
    """The blocks between blank lines, named by the number of their first line."""
    for blank, lines in groupby(numbered_lines(file, MAX_TEXT_BYTES), key=lambda line: not line[1].strip()):
        if not blank:
            first, line, position = next(lines)
            block, size = [line], len(line)
            for _, line, position in lines:  # noqa: B007, of the last line
                block.append(line)
                size += len(line)
                check_size(size, file, MAX_TEXT_BYTES, f" in line {first:,}")
            yield Entry(f":{first}", position, *decoded(b"".join(block)))
