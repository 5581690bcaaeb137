"""Files of annotated texts, of whatever kind: CoNLL-U and GAP's tables, packed or not."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from attn_core.errors import InputError, cause
from attn_core.io.paths import shown
from attn_core.patterns.annotated import AnnotatedText
from attn_core.patterns.conllu import read_conllu
from attn_core.patterns.gap import read_gap
from attn_core.runs.job import Piece, Shard
from attn_core.study.text_files import COMPRESSED, DAMAGE

READERS = {".conllu": read_conllu, ".tsv": read_gap}
KINDS = ", ".join(f"*{kind}" for kind in READERS)


@dataclass(frozen=True)
class AnnotatedFiles:
    """Files of annotated texts, in the order in which they are given."""

    paths: tuple[Path, ...]

    @cached_property
    def contents(self) -> tuple[bytes, ...]:
        """The files unpacked. Raises InputError for one that cannot be read."""
        return tuple(_content(path) for path in self.paths)

    @property
    def fingerprint(self) -> str:
        """SHA-256 over names and contents."""
        digest = sha256()
        for path, content in zip(self.paths, self.contents, strict=True):
            digest.update(_bare(path).name.encode("utf-8", "surrogateescape") + b"\0" + sha256(content).digest())
        return digest.hexdigest()

    @cached_property
    def texts(self) -> tuple[AnnotatedText, ...]:
        """All texts of all files. Raises InputError, with the line, where a file is not what its name says."""
        annotated: list[AnnotatedText] = []
        for path, content in zip(self.paths, self.contents, strict=True):
            try:
                text = content.decode("utf-8-sig")
            except UnicodeDecodeError as error:
                raise InputError(
                    f"{shown(path.name)} is no UTF-8: line {content[: error.start].count(10) + 1} cannot be read."
                ) from None
            annotated += READERS[_bare(path).suffix.lower()](text, shown(_bare(path).name))
        if not annotated:
            raise InputError(f"There is no text in {', '.join(shown(path.name) for path in self.paths)}.")
        return tuple(annotated)

    def check(self) -> None:
        """Raises InputError where `texts` would."""
        assert self.texts

    def lengths(self) -> Iterator[int]:
        """Characters of every text."""
        return (len(text.text) for text in self.texts)

    def identity(self) -> dict[str, Any]:
        """What the numbers depend on."""
        return {"source": ", ".join(path.name for path in self.paths), "fingerprint": self.fingerprint}

    def shards(self, characters: int) -> Iterator[tuple[Shard, tuple[AnnotatedText, ...]]]:
        """Texts in their order, whole, about so many characters a shard."""
        within: list[tuple[Piece, AnnotatedText]] = []
        number = 0
        for at, text in enumerate(self.texts):
            within.append((Piece(at, text.name, 0, text.text, None), text))
            if sum(len(one.text) for _, one in within) >= characters or at == len(self.texts) - 1:
                pieces, own = zip(*within, strict=True)
                yield Shard(number, pieces, (at + 1) / len(self.texts)), own
                within, number = [], number + 1


def annotated_files(paths: Sequence[Path]) -> AnnotatedFiles:
    """Raises InputError for a file of another kind and for one that is not there."""
    for path in paths:
        if not path.is_file():
            raise InputError(f"There is no file {shown(path)}.")
        if _bare(path).suffix.lower() not in READERS:
            raise InputError(
                f"{shown(path.name)} is no file of annotated texts: give {KINDS}, packed (.xz, .gz, .bz2) or not."
            )
    return AnnotatedFiles(tuple(paths))


def _bare(path: Path) -> Path:
    """Without the ending that says how it is packed."""
    return path.with_suffix("") if path.suffix.lower() in COMPRESSED else path


def _content(path: Path) -> bytes:
    opener = COMPRESSED.get(path.suffix.lower(), open)
    try:
        with opener(path, "rb") as stream:
            return stream.read()
    except DAMAGE as error:
        raise InputError(f"{shown(path.name)} cannot be read ({cause(error)}).") from None
