"""The texts of a study: a folder, a glob, or a file, read as a stream and cut into shards.

One text is in memory at a time. A text that cannot be read is returned with its `problem`, which the study lists.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from glob import has_magic
from hashlib import file_digest, sha256
from itertools import pairwise, takewhile
from math import ceil
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from attn_core.errors import InputError, TextError, check_choice, check_integer, check_type
from attn_core.io.atomic_files import open_file
from attn_core.io.paths import found_files, other_kinds, printable, typed_path
from attn_core.patterns.conllu import read_conllu
from attn_core.patterns.gap import read_gap
from attn_core.runs.job import Piece, Shard
from attn_core.study.text_files import Entry, kind_of, read_whole, texts_of
from attn_core.study.text_tables import READERS, choose_column, columns_of, is_table, rows_of
from attn_core.texts.documents import ASSUMED, decode
from attn_core.texts.expressions import first_group

Documents = Literal["file", "blank-line", "line"]
DOCUMENTS: tuple[Documents, ...] = get_args(Documents)
KINDS = (".txt", ".md", *READERS)  # of files that are read from a folder
ANNOTATED = {".conllu": read_conllu, ".tsv": read_gap}  # files whose texts have relations between their words
NAMED = (*KINDS, *ANNOTATED)
FOLDER = "folder"
OVERHEAD = 64  # the least characters that a text counts for, so that a shard of empty texts ends too
SMALLEST, LARGEST = 24_000, 128_000  # characters of a shard, at least a dozen windows
STEPS = 20  # shards of a small corpus, so that its progress can be seen
CHARACTERS = 4096  # read of a text for each of its windows, if only some are read: twice what prose needs
LEAST = 20_000  # characters read of a text, by which its language is detected


class Found(NamedTuple):
    """The files of a corpus in order, and a sentence on those that are left out."""

    files: tuple[Path, ...]
    left_out: str = ""


@dataclass(frozen=True)
class Corpus:
    """The texts of a study in a fixed order.

    >>> attn_core.Corpus("novels/*.txt.xz", documents="blank-line", limit=100)
    Corpus(source='novels/*.txt.xz', column=None, documents='blank-line', limit=100, groups=None)

    Attributes
    ----------
    source: a folder, a glob, or a file; see below.
    column: of tables, with the texts; by default "text" or the only one.
    documents: what a text of a text file is: the "file", a block between blank lines ("blank-line"), or a "line".
    limit: the largest number of texts; None for all.
    groups: the works of texts, which intervals leave out as a whole: a column of tables, "folder", or a regular
        expression whose first group is found in every file's name.
    found: the files, if they were looked for before.

    A folder is read with every .txt, .md, .jsonl, .csv and .parquet below it, or, if it has none of them, with its
    annotated texts (CoNLL-U, .conllu, or GAP's .tsv). All but Parquet may be compressed (.xz, .gz, .bz2). Hidden files
    and links to folders are left out. Raises InputError for an invalid value.
    """

    source: str
    column: str | None = None
    documents: Documents = "file"
    limit: int | None = None
    groups: str | None = None
    found: Found | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        check_type(self.source, str, "Where the texts of a corpus are, a folder, a glob or a file,")
        if self.column is not None:
            check_type(self.column, str, "The column of a table that holds its texts")
        check_choice(self.documents, DOCUMENTS, "One text of a text file")
        if self.limit is not None:
            check_integer(self.limit, 1, "The number of texts to read at most")
        if self.groups is not None:
            check_type(self.groups, str, "The group of a text")

    @cached_property
    def _found(self) -> Found:
        return self.found or files_at(self.source)

    @property
    def files(self) -> tuple[Path, ...]:
        """The files in order. Raises InputError if there is none."""
        return self._found.files

    @property
    def left_out(self) -> str:
        """A sentence on the files of other kinds; empty if there is none."""
        return self._found.left_out

    @property
    def size(self) -> int:
        """The size of all files on the disk in bytes."""
        return sum(map(_size, self.files))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that all tables among the files have and that may hold texts."""
        tables = [[name for name, is_text in names.items() if is_text] for names in self._columns.values()]
        return tuple(name for name in tables[0] if all(name in names for names in tables)) if tables else ()

    @cached_property
    def _columns(self) -> dict[Path, dict[str, bool]]:
        """The columns of every table that can be read. Raises TextError if none can be read."""
        tables, problems = {}, []
        for file in filter(is_table, self.files):
            try:
                tables[file] = columns_of(file)
            except TextError as error:
                problems.append(error)
        if problems and len(problems) == len(self.files):
            raise problems[0]
        return tables

    def check(self, out: Path | None = None) -> None:
        """Raise InputError if a table lacks the column, if no table can be read, or if a file has no group.

        out: the folder of the results, which must not be among the texts, since the next run would read it.
        """
        source = typed_path(self.source)
        if out is not None and source.is_dir() and source.resolve() in [out.resolve(), *out.resolve().parents]:
            raise InputError(
                f"{printable(out)} lies in the folder of the texts, which are read whole: choose a folder outside."
            )
        for file, columns in self._columns.items():
            if columns:
                choose_column(file, columns, self.column)
        for file in self.files:
            self._group_of(file)

    def fingerprint(self) -> str:
        """SHA-256 of the options and of the files' names and contents, independent of the path of their folder."""
        how = "|".join(map(str, (self.column, self.documents, self.limit, self.groups)))
        digest = sha256(how.encode("utf-8", "surrogatepass"))
        for name, content in sorted((os.fsencode(self._name(file)), _digest(file)) for file in self.files):
            digest.update(name + b"\0" + content)
        return digest.hexdigest()

    def identity(self) -> dict[str, Any]:
        """The description of the corpus in the manifest of a run."""
        return {"source": str(self.source), "fingerprint": self.fingerprint(), "column": self.column,
                "documents": self.documents, "limit": self.limit, "groups": self.groups}  # fmt: skip

    def texts(self) -> Iterator[Piece]:
        """All texts, numbered from 0, including those with a problem. Raises InputError if a table lacks the column."""
        total = self.size or 1
        before = number = 0
        known: dict[object, int] = {}
        for file in self.files:
            name = printable(self._name(file))
            for one in self._entries(file):
                if self.limit is not None and number >= self.limit:
                    return
                done = (before + one.position) / total if self.limit is None else (number + 1) / self.limit
                key: object = number if one.group is None else one.group
                group = number if self.groups is None else known.setdefault(key, len(known))
                done = min(done, 1.0)
                yield Piece(
                    number, name + one.where, one.text, one.problem, done, group, one.annotated, encoding=one.encoding
                )
                number += 1
            before += _size(file)

    def _name(self, file: Path) -> str:
        folder = typed_path(self.source)
        return file.relative_to(folder).as_posix() if folder.is_dir() else file.name

    def _entries(self, file: Path) -> Iterator[Entry]:
        """The texts of a file; if the rest cannot be read, the last entry is the problem."""
        try:
            column, group = self._group_of(file)
            if kind_of(file) in ANNOTATED:
                entries = _annotated_texts(file)
            else:
                entries = rows_of(file, self.column, column) if is_table(file) else texts_of(file, self.documents)
            for entry in entries:
                yield entry if column else entry._replace(group=group)
        except TextError as error:
            yield Entry("", _size(file), None, f"unreadable: {error}")

    def _group_of(self, file: Path) -> tuple[str | None, str | None]:
        """(the column with the group of each text, None), or (None, the group of all texts of a file).

        Raises InputError if RE2 rejects the expression, or if it finds nothing in the name.
        """
        if self.groups is None:
            return None, None
        if self.groups == FOLDER:
            return None, str(file.parent)
        if is_table(file) and self.groups in self._columns.get(file, (self.groups,)):
            return self.groups, None
        name = first_group(self.groups, os.fsencode(file.name).decode("utf-8", "replace"))
        if name is None:
            raise InputError(
                f"{self.groups[:80]!r} finds no group in {printable(file.name)}: give a column, folder, or a "
                r"regular expression whose first group is found in every file's name, such as '(.*?)[ _-]*\d+'."
            )
        return None, name


def files_at(source: str, pause: Callable[[], object] = lambda: None) -> Found:
    """The files of a corpus. pause: as of `found_files`. Raises InputError if there is none."""
    path, others = typed_path(source), ""
    root = Path(*takewhile(lambda part: not has_magic(part), path.parts))
    try:
        if path.is_dir():
            found = list(found_files(path, pause=pause))
            files = [file for file in found if kind_of(file) in KINDS]
            files = files or [file for file in found if kind_of(file) in ANNOTATED] or found[:1]
            others = other_kinds(found, files)
        elif path.is_file() or root == path:
            files = [path] if path.is_file() else []
        else:
            files = list(found_files(root, str(path.relative_to(root)), pause)) if root.is_dir() else []
    except OSError as error:
        raise InputError(f"{printable(source)} cannot be read: {error.strerror}.") from None
    if not source.strip() or not files:
        raise InputError(
            f"There is no text at {printable(source)!r}: give a folder, a glob or a file ({', '.join(NAMED)})."
        )
    if unknown := next((file for file in files if kind_of(file) not in NAMED), None):
        raise InputError(f"{printable(unknown.name)} cannot be read as texts: a study reads {', '.join(NAMED)}.")
    return Found(tuple(sorted(files)), others)


def _size(file: Path) -> int:
    """The size of a file in bytes; 0 if it is missing."""
    with suppress(OSError):
        return file.stat().st_size
    return 0


def _digest(file: Path) -> bytes:
    """SHA-256 of a file; empty if it cannot be read."""
    with suppress(OSError), open_file(file) as stream:
        return file_digest(stream, "sha256").digest()
    return b""


def beginnings(texts: Iterable[Piece], windows: int) -> Iterator[Piece]:
    """Texts cut at a line end or blank to what `windows` windows may need; annotated texts are whole."""
    most = max(LEAST, CHARACTERS * (windows + 1))
    for one in texts:
        long = one.text is not None and one.annotated is None and len(one.text) > most
        yield replace(one, text=one.text[: _end(one.text, most, most // 4)]) if long and one.text else one


def sensible_size(corpus: Corpus) -> int:
    """The characters per shard: a twentieth of the corpus, between `SMALLEST` and `LARGEST`."""
    return min(LARGEST, max(SMALLEST, corpus.size // STEPS))


def shards(texts: Iterable[Piece], characters: int) -> Iterator[Shard]:
    """Shards of texts in order, of about `characters`; a text of more than twice that is cut at line ends.

    The shards do not depend on the number of workers.
    """
    pieces: list[Piece] = []
    number = size = 0
    for text in texts:
        for piece in _pieces(text, characters):
            pieces.append(piece)
            size += OVERHEAD + len(piece.text or "")
            if size >= characters:
                yield Shard(number, tuple(pieces), text.done)
                pieces, number, size = [], number + 1, 0
    if pieces:
        yield Shard(number, tuple(pieces), 1.0)


def _pieces(text: Piece, characters: int) -> Iterator[Piece]:
    """The parts of a text of more than twice `characters`; otherwise, or if it is annotated, the whole text."""
    if text.text is None or text.annotated:
        return iter([text])
    parts = enumerate(cut(text.text, 2 * characters))
    return (replace(text, part=part, text=content) for part, content in parts)


def cut(text: str, characters: int) -> list[str]:
    """The parts of a text, each of at most `characters`, none shorter than half of another."""
    number = min(len(text), ceil(len(text) / (0.8 * characters))) if len(text) > characters else 1
    size = len(text) / number
    ends = [_end(text, int(part * size), int(size / 4)) for part in range(1, number)]
    return [text[start:end] for start, end in pairwise([0, *ends, len(text)])]


def _end(text: str, before: int, reach: int) -> int:
    """The end of the last line, or else of the last word, in the `reach` characters before a place, else the place."""
    ends = (text.rfind(mark, before - reach, before) + 1 for mark in "\n ")
    return next(filter(None, ends), before)


def _annotated_texts(file: Path) -> Iterator[Entry]:
    """The texts of a CoNLL-U or GAP file. Raises TextError, with the sentence or the line, for anything else."""
    name = printable(file.name)
    data, size = read_whole(file)
    try:
        text, encoding = decode(data, name)
        texts = ANNOTATED[kind_of(file)](text, name)
    except InputError as error:
        raise TextError(str(error)) from None
    for number, one in enumerate(texts, start=1):
        assumed = encoding if encoding == ASSUMED else None
        yield Entry(f":{printable(one.name)}", size * number // len(texts), one.text, None, assumed, annotated=one)
