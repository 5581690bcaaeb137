"""Where the texts of a study come from: a folder, a glob, or a file, read as a stream.

Nothing here holds more than one text (and one Parquet batch) at a time. A text that cannot be read is not an error: it
comes out with its `problem`, and the study lists it.
"""

from collections.abc import Iterator, Sized
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, get_args

from attn_core.checks import check_choice, check_integer, check_type
from attn_core.errors import InputError, RunError
from attn_core.io.paths import shown, typed_path
from attn_core.study.file_search import files_below, files_matching
from attn_core.study.text_files import (
    READERS,
    Located,
    blocks,
    choose_column,
    columns_of,
    is_table,
    kind_of,
    lines,
    rows_of,
    whole,
)
from attn_core.study.text_groups import FOLDER, cells_of, has_column, name_of_file, question
from attn_core.texts.documents import refuse_document

Documents = Literal["file", "blank-line", "line"]
DOCUMENTS: tuple[Documents, ...] = get_args(Documents)
KINDS = (".txt", ".md", *READERS)


@dataclass(frozen=True)
class Text:
    """A text of a corpus, or the reason why it cannot be read. `done` is the share of the corpus up to its end.

    group: the number of its group, from 0; its own number where there are none.
    """

    number: int
    name: str
    text: str | None
    problem: str | None
    done: float
    group: int


@dataclass(frozen=True)
class Corpus:
    """Texts in a fixed order.

    source: a folder (every .txt, .md, .jsonl, .csv and .parquet below it), a glob, or one such file; all but
    Parquet may be compressed (.xz, .gz, .bz2). Hidden files and folders are left out, and links to folders are not
    followed from folder to folder. column: the column of tables that holds the texts ("text" where there is one).
    documents: what one text of a text file is: the whole file, a block between blank lines, or a line. limit: only the
    first so many texts. groups: which texts are of one work and left out together for intervals: by a column of tables, by
    their "folder", or by a regular expression whose first group is found in every file's name. Raises InputError for what
    is none of these; whether there are texts is found out when they are asked for.

    >>> attn_core.Corpus("novels/*.txt.xz", documents="blank-line", limit=100)
    Corpus(source='novels/*.txt.xz', column=None, documents='blank-line', limit=100, groups=None)
    """

    source: str
    column: str | None = None
    documents: Documents = "file"
    limit: int | None = None
    groups: str | None = None

    def __post_init__(self) -> None:
        check_type(self.source, str, "Where the texts of a corpus are, a folder, a glob or a file,")
        if self.column is not None:
            check_type(self.column, str, "The column of a table that holds its texts")
        check_choice(self.documents, DOCUMENTS, "One text of a text file")
        if self.limit is not None:
            check_integer(self.limit, 1, "The number of texts to read at most")
        if self.groups is not None:
            check_type(self.groups, str, "What tells the group of a text")

    @cached_property
    def files(self) -> tuple[Path, ...]:
        """Raises InputError where there is no file to read, and where there are too many to look at."""
        try:
            path = typed_path(self.source)
            if path.is_dir():
                found = list(files_below(path, self.source))
                files = [file for file in found if kind_of(file) in KINDS] or found[:1]
            elif path.is_file():
                files = [path]
            else:
                files = list(files_matching(path, self.source))
        except OSError as error:
            raise InputError(f"{shown(error.filename or self.source)} cannot be read: {error.strerror}.") from None
        if not self.source.strip() or not files:
            raise InputError(
                f"There is no text at {shown(self.source)!r}: give a folder, a glob or a file ({', '.join(KINDS)})."
            )
        if unknown := next((file for file in files if kind_of(file) not in KINDS), None):
            with unknown.open("rb") as stream:
                refuse_document(stream.read(64), shown(unknown.name))
            raise InputError(f"{shown(unknown.name)} cannot be read as texts: a study reads {', '.join(KINDS)}.")
        return tuple(sorted(files))

    @property
    def size(self) -> int:
        """Bytes of all files, as they lie on the disk."""
        return sum(file.stat().st_size for file in self.files)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns of texts that every table among the files has; none where there is no table.

        Raises InputError for a table that cannot be read.
        """
        by_file = [columns_of(file) for file in self.files if is_table(file)]
        return (
            tuple(name for name in dict.fromkeys(by_file[0]) if all(name in names for names in by_file))
            if by_file
            else ()
        )

    def check(self, out: Path | None = None) -> None:
        """Raises InputError where a table lacks the column, so that a study need not find it out at its end, and where
        results would go among the texts, which the next run would read. out: their folder."""
        source = typed_path(self.source)
        if out is not None and source.is_dir() and source.resolve() in [out.resolve(), *out.resolve().parents]:
            raise InputError(
                f"{shown(out)} lies in the folder of the texts, where its tables would be read as texts: choose a folder outside."
            )
        for file in self.files:
            if is_table(file) and (names := columns_of(file)):
                choose_column(file, names, self.column)
            if self.groups is not None and not self._by_column(file):
                name_of_file(file, self.groups)

    @property
    def asks(self) -> str:
        """A sentence that asks for groups where files share a name but for a number and none are given; else empty."""
        return "" if self.groups is not None else question(self.files)

    def fingerprint(self) -> str:
        """SHA-256 over names, contents, and how they are read."""
        how = [self.column, self.documents, self.limit, *([] if self.groups is None else [self.groups])]
        digest = sha256("|".join(map(str, how)).encode("utf-8", "surrogatepass"))
        for file in self.files:
            name = self._name(file).encode("utf-8", "surrogateescape")
            digest.update(name + b"\0" + _digest(file))
        return digest.hexdigest()

    def identity(self) -> dict[str, Any]:
        """Where the texts are, how they are read, and their fingerprint, as the manifest of a run has them."""
        return {"source": str(self.source), "fingerprint": self.fingerprint(), "column": self.column,
                "documents": self.documents, "limit": self.limit, "groups": self.groups}  # fmt: skip

    def refuse_empty(self, shards: Sized) -> None:
        """Raises RunError where a run has found no shard to count."""
        if not shards:
            raise RunError(f"There is no text at {shown(self.source)}: every file is empty.")

    def texts(self) -> Iterator[Text]:
        """Every text, numbered from 0. Raises InputError for a table without the column."""
        total = self.size or 1
        before = number = 0
        known: dict[object, int] = {}
        for file in self.files:
            for (where, text, problem, position), group in self._read_with_groups(file):
                if self.limit is not None and number >= self.limit:
                    return
                done = (before + position) / total if self.limit is None else (number + 1) / self.limit
                of = number if self.groups is None else known.setdefault(number if group is None else group, len(known))
                yield Text(number, shown(self._name(file)) + where, text, problem, min(done, 1.0), of)
                number += 1
            before += file.stat().st_size

    def lengths(self) -> Iterator[int]:
        """Characters of every text, 0 of one that cannot be read."""
        return (len(text.text or "") for text in self.texts())

    def _name(self, file: Path) -> str:
        folder = typed_path(self.source)
        return file.relative_to(folder).as_posix() if folder.is_dir() else file.name

    def _by_column(self, file: Path) -> bool:
        return self.groups not in (None, FOLDER) and is_table(file) and has_column(file, str(self.groups))

    def _read_with_groups(self, file: Path) -> Iterator[tuple[Located, str | None]]:
        """Each text of a file with the name of its group; None: it stands alone."""
        texts = self._read(file)
        if self.groups is None:
            return ((text, None) for text in texts)
        if self._by_column(file):
            return zip(texts, cells_of(file, self.groups), strict=True)
        name = name_of_file(file, self.groups)
        return ((text, name) for text in texts)

    def _read(self, file: Path) -> Iterator[Located]:
        if is_table(file):
            return rows_of(file, self.column)
        return {"file": whole, "line": lines, "blank-line": blocks}[self.documents](file)


def _digest(file: Path) -> bytes:
    with file.open("rb") as stream:
        digest = sha256()
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.digest()
