"""Where the texts of a study come from: a folder, a glob, or a file, read as a stream.

Nothing here holds more than one text (and one Parquet batch) at a time. A text that cannot be read is not an error: it
comes out with its `problem`, and the study lists it.
"""

import os
from collections.abc import Iterator, Sized
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from glob import has_magic
from hashlib import file_digest, sha256
from itertools import takewhile
from pathlib import Path
from typing import Any, Literal, get_args

from attn_core.checks import check_choice, check_integer, check_type
from attn_core.errors import InputError, RunError, TextError, cause
from attn_core.io.paths import shown, typed_path
from attn_core.patterns import files as annotated_files
from attn_core.runs.job import Piece
from attn_core.study.text_files import Entry, kind_of, texts_of
from attn_core.study.text_tables import READERS, choose_column, columns_of, is_table, rows_of
from attn_core.texts.expressions import first_group

Documents = Literal["file", "blank-line", "line"]
DOCUMENTS: tuple[Documents, ...] = get_args(Documents)
KINDS = (".txt", ".md", *READERS)  # that are looked for in a folder
NAMED = (*KINDS, *annotated_files.READERS)
FOLDER = "folder"


@dataclass(frozen=True)
class Corpus:
    """Texts in a fixed order.

    source: a folder (every .txt, .md, .jsonl, .csv and .parquet below it), a glob, or one such file; or a file of annotated
    texts (CoNLL-U, .conllu, or GAP's .tsv), which a folder gives where it has no other. All but Parquet may be compressed
    (.xz, .gz, .bz2). Hidden files and folders are left out, and links to folders are not followed from folder to folder.
    column: the column of tables that holds the texts ("text" where there is one). documents: what one text of a text file
    is: the whole file, a block between blank lines, or a line. limit: only the first so many texts. groups: which texts are of
    one work and left out together for intervals: by a column of tables, by their "folder", or by a regular expression whose
    first group is found in every file's name. Raises InputError for what is none of these; whether there are texts is found
    out when they are asked for.

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
        """Raises InputError where there is no file to read."""
        path = typed_path(self.source)
        root = Path(*takewhile(lambda part: not has_magic(part), path.parts))
        try:
            if path.is_dir():
                found = list(_found(path, "**/*"))
                files = [file for file in found if kind_of(file) in KINDS]
                files = files or [file for file in found if annotated_files.is_annotated(file)] or found[:1]
            elif path.is_file() or root == path:
                files = [path] if path.is_file() else []
            else:
                files = list(_found(root, str(path.relative_to(root))))
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or cause(error)
            raise InputError(f"{shown(self.source)} cannot be read: {why}.") from None
        if not self.source.strip() or not files:
            raise InputError(
                f"There is no text at {shown(self.source)!r}: give a folder, a glob or a file ({', '.join(NAMED)})."
            )
        if unknown := next((file for file in files if kind_of(file) not in NAMED), None):
            raise InputError(f"{shown(unknown.name)} cannot be read as texts: a study reads {', '.join(NAMED)}.")
        return tuple(sorted(files))

    @property
    def size(self) -> int:
        """Bytes of all files, as they lie on the disk."""
        return sum(map(_size, self.files))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of texts that all tables among the files have; none where there is no table."""
        tables = [[name for name, is_text in names.items() if is_text] for names in self._columns.values()]
        return tuple(name for name in tables[0] if all(name in names for names in tables)) if tables else ()

    @cached_property
    def _columns(self) -> dict[Path, dict[str, bool]]:
        """The columns of every table that can be read, and which hold texts. Raises TextError where no file can be read."""
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
        """Raises InputError where a table lacks the column or no table can be read, so that a study need not find it out at
        its end, and where results would go among the texts, which the next run would read. out: their folder."""
        source = typed_path(self.source)
        if out is not None and source.is_dir() and source.resolve() in [out.resolve(), *out.resolve().parents]:
            raise InputError(
                f"{shown(out)} lies in the folder of the texts, where its tables would be read as texts: choose a folder outside."
            )
        for file, columns in self._columns.items():
            if columns:
                choose_column(file, columns, self.column)
        for file in self.files:
            self._group_of(file)

    def fingerprint(self) -> str:
        """SHA-256 over names, contents, and how they are read; where the files lie does not count."""
        how = "|".join(map(str, (self.column, self.documents, self.limit, self.groups)))
        digest = sha256(how.encode("utf-8", "surrogatepass"))
        for name, content in sorted((os.fsencode(self._name(file)), _digest(file)) for file in self.files):
            digest.update(name + b"\0" + content)
        return digest.hexdigest()

    def identity(self) -> dict[str, Any]:
        """Where the texts are, how they are read, and their fingerprint, as the manifest of a run has them."""
        return {"source": str(self.source), "fingerprint": self.fingerprint(), "column": self.column,
                "documents": self.documents, "limit": self.limit, "groups": self.groups}  # fmt: skip

    def refuse_empty(self, shards: Sized) -> None:
        """Raises RunError where a run has found no shard to count."""
        if not shards:
            raise RunError(f"There is no text at {shown(self.source)}: every file is empty.")

    def texts(self) -> Iterator[Piece]:
        """Every text, numbered from 0, those too that cannot be read. Raises InputError for a table without the column."""
        total = self.size or 1
        before = number = 0
        known: dict[object, int] = {}
        for file in self.files:
            name = shown(self._name(file))
            for where, text, problem, position, group, annotated in self._entries(file):
                if self.limit is not None and number >= self.limit:
                    return
                done = (before + position) / total if self.limit is None else (number + 1) / self.limit
                of = number if self.groups is None else known.setdefault(number if group is None else group, len(known))
                yield Piece(number, name + where, text, problem, min(done, 1.0), of, annotated)
                number += 1
            before += _size(file)

    def _name(self, file: Path) -> str:
        folder = typed_path(self.source)
        return file.relative_to(folder).as_posix() if folder.is_dir() else file.name

    def _entries(self, file: Path) -> Iterator[Entry]:
        """The texts of a file; where it cannot be read on, the last is the problem."""
        try:
            column, group = self._group_of(file)
            for entry in self._read(file, column):
                yield entry if column else entry._replace(group=group)
        except TextError as error:
            yield Entry("", None, f"unreadable: {error}", _size(file))

    def _read(self, file: Path, group: str | None) -> Iterator[Entry]:
        if annotated_files.is_annotated(file):
            return annotated_files.annotated_texts(file)
        return rows_of(file, self.column, group) if is_table(file) else texts_of(file, self.documents)

    def _group_of(self, file: Path) -> tuple[str | None, str | None]:
        """(the column that tells the groups of a file's texts, None), or (None, the group of all of them).

        Raises InputError where RE2 does not take the expression, and where it finds nothing in the name.
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
                f"{self.groups[:80]!r} tells no group of {shown(file.name)}: give a column of its table, folder, or a regular "
                r"expression whose first group is found in every file's name, such as '(.*?)[ _-]*\d+'."
            )
        return None, name


def _found(folder: Path, pattern: str) -> Iterator[Path]:
    """The files of a folder that a glob means; hidden ones are left out, and links to folders not followed by `**`."""
    names = folder.glob(f"{pattern}/*" if pattern.endswith("**") else pattern)  # `**` alone means folders
    for file in dict.fromkeys(names):
        if file.is_file() and not any(part.startswith(".") for part in file.relative_to(folder).parts):
            yield file


def _size(file: Path) -> int:
    """Bytes of a file, 0 of one that is not there any more."""
    with suppress(OSError):
        return file.stat().st_size
    return 0


def _digest(file: Path) -> bytes:
    """SHA-256 of a file, nothing of one that cannot be read."""
    with suppress(OSError), file.open("rb") as stream:
        return file_digest(stream, "sha256").digest()
    return b""
