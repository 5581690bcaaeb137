"""Files of texts, compressed or not, read as a stream: the whole file, its lines, or the blocks between blank lines.

At most `MAX_TEXT_BYTES` of a text are held, whatever a compressed file unpacks to.
"""

import bz2
import gzip
import lzma
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from attn_core.errors import TextError, cause
from attn_core.io.paths import shown
from attn_core.texts.annotated import AnnotatedText
from attn_core.texts.documents import UTF16_MARKS, decode

COMPRESSED: dict[str, Callable[[Any], Any]] = {".xz": lzma.open, ".gz": gzip.open, ".bz2": bz2.open}
DAMAGE = (EOFError, OSError, lzma.LZMAError, zlib.error, UnicodeDecodeError, pa.ArrowException)  # of a damaged file
MAX_TEXT_BYTES = 64_000_000
TOO_LONG = "too long: more than 64 MB"


class Entry(NamedTuple):
    """A text of a file, or the problem why there is none. where: in the file. position: bytes of the file read so far.

    annotated: the text with its words and their relations, where the file tells them.
    """

    where: str
    text: str | None
    problem: str | None
    position: int
    group: str | None = None
    annotated: AnnotatedText | None = None


def kind_of(file: Path) -> str:
    """The suffix that tells how a file is read, in lower case: that of compression does not."""
    suffix = file.suffix.lower()
    return Path(file.stem).suffix.lower() if suffix in COMPRESSED else suffix


@contextmanager
def opened(file: Path) -> Iterator[tuple[Any, Callable[[], int]]]:
    """The bytes of an open file as they were before it was compressed, and what tells how many of its own were read.

    Raises TextError, in one sentence, for one that is damaged, not to be read, or not there any more.
    """
    try:
        with file.open("rb") as raw:  # pyarrow opens no name that is no UTF-8
            yield COMPRESSED.get(file.suffix.lower(), lambda same: same)(raw), raw.tell
    except DAMAGE as error:
        if isinstance(error, OSError) and error.strerror:
            raise TextError(f"{shown(file.name)} cannot be read: {error.strerror}.") from None
        raise TextError(f"{shown(file.name)} is damaged or cut short ({cause(error)}): fetch it again.") from None


def refuse_no_lines(stream: Any, file: Path) -> None:
    """Raises TextError for a file that is UTF-16."""
    if stream.peek(2).startswith(UTF16_MARKS):
        raise TextError(f"{shown(file.name)} is UTF-16: save it as UTF-8.")


def numbered_lines(file: Path) -> Iterator[tuple[int, bytes | None, int]]:
    """(line number from 1, line as UTF-8, bytes of the file read so far); None in place of a line that is too long.

    Raises TextError for a file that cannot be read to its end, and as `refuse_no_lines`.
    """
    with opened(file) as (stream, position):
        refuse_no_lines(stream, file)
        number = 0
        while line := stream.readline(MAX_TEXT_BYTES + 1):
            number += 1
            too_long = len(line) > MAX_TEXT_BYTES
            yield number, None if too_long else line.removeprefix(BOM_UTF8), position()
            while too_long and line and not line.endswith(b"\n"):
                line = stream.readline(MAX_TEXT_BYTES)


def read_whole(file: Path) -> tuple[bytes | None, int]:
    """What a file holds, None where it is too long, and its size."""
    with opened(file) as (stream, position):
        data = stream.read(MAX_TEXT_BYTES + 1)
        return data if len(data) <= MAX_TEXT_BYTES else None, position()


def texts_of(file: Path, documents: str) -> Iterator[Entry]:
    """The texts of a text file: its lines, its blocks, or itself. Raises TextError as `numbered_lines`."""
    return {"file": _whole, "line": _lines, "blank-line": _blocks}[documents](file)


def _decoded(data: bytes | bytearray | None) -> tuple[str | None, str | None]:
    if data is None:
        return None, TOO_LONG
    try:
        return decode(bytes(data))[0], None
    except TextError as error:
        return None, f"undecodable: {error}"


def _whole(file: Path) -> Iterator[Entry]:
    data, size = read_whole(file)
    text, problem = _decoded(data)
    advice = "; say that its texts are lines, or blocks between blank lines" if data is None else ""
    yield Entry("", text, problem and problem + advice, size)


def _lines(file: Path) -> Iterator[Entry]:
    for number, line, position in numbered_lines(file):
        if not _is_blank(line):
            yield Entry(f":{number}", *_decoded(line), position)


def _blocks(file: Path) -> Iterator[Entry]:
    """Documents between blank lines, named by their first line."""
    for blank, lines in groupby(numbered_lines(file), lambda each: _is_blank(each[1])):
        block: bytearray | None = bytearray()
        first = position = 0
        for number, line, position in lines:  # noqa: B007
            first = first or number
            if block is None or line is None or len(block) + len(line) > MAX_TEXT_BYTES:
                block = None
            else:
                block += line
        if not blank:
            yield Entry(f":{first}", *_decoded(block), position)


def _is_blank(line: bytes | None) -> bool:
    return line is not None and not line.strip()
