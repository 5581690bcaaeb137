"""Files of plain text, compressed or not, read as a stream: the whole file, its lines, or the blocks between blank ones."""

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Callable, Iterator, Sized
from pathlib import Path
from typing import IO, Any

from attn_core.errors import InputError, TextError, cause
from attn_core.io.paths import shown
from attn_core.texts.documents import UTF16_MARKS, decode

Located = tuple[str, str | None, str | None, int]  # where in the file, text, problem, bytes read so far

COMPRESSED: dict[str, Callable[[Any], Any]] = {".xz": lzma.open, ".gz": gzip.open, ".bz2": bz2.open}
DAMAGE = (EOFError, OSError, lzma.LZMAError, zlib.error, UnicodeDecodeError)  # what a damaged file may raise
MAX_TEXT_BYTES = 64_000_000


def kind_of(file: Path) -> str:
    """The suffix that tells how a file is read, in lower case: that of compression does not."""
    suffix = file.suffix.lower()
    return Path(file.stem).suffix.lower() if suffix in COMPRESSED else suffix


def _decoded(data: bytes) -> tuple[str | None, str | None]:
    try:
        return decode(data)[0], None
    except TextError:
        return None, "undecodable: the bytes are no text"


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
            for number, line in enumerate(_utf8_lines(unpacked(raw, file)), start=1):
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
