"""Texts and their sentences: decoding, sentence boundaries, gold boundaries, sample texts."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np

from attn_core.errors import TextError, check_type
from attn_core.io.atomic_files import open_file
from attn_core.io.paths import PROJECT, printable
from attn_core.texts.languages import AUTO, checked_language
from attn_core.texts.sentences import Span, line_spans, prose_spans

MAX_CHARACTERS = 2_000_000
_PACKED = Path(__file__).parents[1] / "sample_texts"  # their folder in a wheel; in the repository it is at the top
SAMPLES_FOLDER = _PACKED if _PACKED.is_dir() else PROJECT / "sample_texts"
GOLD_MARK = "=" * 10
GOLD_LINE = re.compile(rf"\n?^{GOLD_MARK}=*[ \t]*$\n?", re.MULTILINE)
LINE_END = re.compile(r"(?<!\n)\n(?!\n)")
WRAPPED_AT = range(50, 100)  # characters, the usual length of a line of wrapped prose; verse has shorter lines
LETTER_OR_DIGIT = re.compile(r"[^\W_]")
MAX_BYTES = 4 * MAX_CHARACTERS + 4  # as UTF-8 or UTF-16, with its mark
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
ASSUMED = "Windows-1252 (assumed: the bytes are not UTF-8)"
CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")  # not in any text, unlike tabs, line ends and ESC


@dataclass(frozen=True, repr=False)
class Document:
    """A text with its sentences.

    >>> document = attn_core.read_document("The tide rose. The boats rose with it.")
    >>> document.sentence(1)
    'The boats rose with it.'

    `text` is cleaned (no NUL, no byte order mark, ``\\n`` line ends, no gold lines); every character offset in the
    project refers to it. `sentences` are half-open character spans without surrounding blanks. `gold` has the index of
    the first sentence of every gold segment but the first; None without gold lines. `language` is the code by which
    sentences were split. Raises TextError for a text that is not a string, and for a sentence outside the text.
    """

    text: str
    sentences: tuple[Span, ...]
    gold: tuple[int, ...] | None = None
    language: str = "en"

    def __post_init__(self) -> None:
        check_type(self.text, str, "A text")
        if any(not 0 <= start < end <= len(self.text) for start, end in self.sentences):
            raise TextError("A document's sentences are spans (start, end) of characters in its text.")

    def __repr__(self) -> str:
        return f"Document({self.text[:60]!r}, {len(self.sentences)} sentences)"

    def sentence(self, index: int) -> str:
        """The text of one sentence."""
        start, end = self.sentences[index]
        return self.text[start:end]

    @cached_property
    def shown(self) -> str:
        """The text as pages show it, of the same length: in wrapped prose a single line end is a blank."""
        breaks = np.array([match.start() for match in LINE_END.finditer(self.text)])
        starts, ends = np.array(self.sentences).reshape(-1, 2).T
        inside = np.searchsorted(starts, breaks) > np.searchsorted(ends, breaks, side="right")
        wrapped = len(breaks) > 1 and inside.mean() > 0.5 and np.median(np.diff(breaks)) in WRAPPED_AT
        return LINE_END.sub(" ", self.text) if wrapped else self.text


def check_length(text: str) -> None:
    """Raise TextError for a text of more than 2,000,000 characters."""
    if len(text) > MAX_CHARACTERS:
        raise TextError(
            f"The text has {len(text):,} characters, at most {MAX_CHARACTERS:,} are read: cut it into parts."
        )


def read_document(text: str, language: str = AUTO) -> Document:
    """The document of a text: its sentences, and its gold boundaries from lines of ``==========``.

    >>> attn_core.read_document("The tide rose. It fell.").sentences
    ((0, 14), (15, 23))

    language: a code such as "en", or "auto" to detect it. sentencex splits the text, but each line is a sentence if
    the text has gold lines and two of three sentences end with a line (Choi's format).

    Raises TextError unless the text is a string with a word and at most 2,000,000 characters.
    """
    check_type(text, str, "A text")
    check_length(text)
    text = text.encode("utf-8", errors="replace").decode("utf-8")  # replaces lone surrogates
    text = text.removeprefix("\ufeff").replace("\0", "").replace("\r\n", "\n").replace("\r", "\n")
    blocks = [block for block in GOLD_LINE.split(text) if block.strip()] or [text]
    body = "\n".join(blocks)
    language = checked_language(language, body)
    if not LETTER_OR_DIGIT.search(body):
        raise TextError("There is no word in this text: type or paste at least one sentence.")
    by_line = len(blocks) > 1 and _sentences_end_with_lines(body, language)
    spans: list[Span] = []
    firsts: list[int] = []
    offset = 0
    for block in blocks:
        of_block = line_spans(block) if by_line else prose_spans(block, language)
        if of_block and spans:
            firsts.append(len(spans))
        spans += [(start + offset, end + offset) for start, end in of_block]
        offset += len(block) + 1
    return Document(body, tuple(spans), tuple(firsts) if len(blocks) > 1 else None, language)


def read_file(path: Path) -> tuple[str, str]:
    """(text, name of the encoding) of a file, see `decode`. Raises TextError for a file that is too large."""
    with open_file(path) as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise TextError(f"{printable(path.name)} has more than {MAX_BYTES:,} bytes, too many to be read at once.")
    return decode(data, printable(path.name))


def decode(data: bytes, name: str = "This file") -> tuple[str, str]:
    """(text, name of the encoding) of the bytes of a text file.

    UTF-8, and UTF-16 with a byte order mark, are recognised. Any other text is read as Windows-1252, which never fails;
    the name says that this is an assumption. Raises TextError for a binary file.
    """
    if data.startswith(UTF16_MARKS):
        try:
            return data.decode("utf-16"), "UTF-16"
        except UnicodeDecodeError:
            pass
    binary = TextError(f"{name} looks like a binary file: give plain text (.txt, .md) or a .csv table.")
    if b"\0" in data[:8192]:
        raise binary
    try:
        return data.decode("utf-8-sig"), "UTF-8"
    except UnicodeDecodeError:
        if CONTROL.search(data):
            raise binary from None
        return data.decode("cp1252", errors="replace"), ASSUMED


@dataclass(frozen=True)
class Sample:
    """A sample text of the project."""

    file: str
    title: str
    language: str

    @property
    def text(self) -> str:
        return (SAMPLES_FOLDER / self.file).read_text(encoding="utf-8")


@cache
def samples() -> tuple[Sample, ...]:
    """The sample texts, in the order of the menu."""
    index = tomllib.loads((SAMPLES_FOLDER / "index.toml").read_text(encoding="utf-8"))
    return tuple(Sample(**entry) for entry in index["text"])


def _sentences_end_with_lines(text: str, language: str) -> bool:
    """Whether two of three sentences end with a line, unlike in wrapped prose and in lines that are paragraphs."""
    line_ends = {end for _, end in line_spans(text)}
    ends = [end for _, end in prose_spans(text, language)]
    return 3 * len(line_ends.intersection(ends)) >= 2 * len(ends)
