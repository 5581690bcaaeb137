"""How a corpus is cut into shards: the same shards whoever does the work, since sums are kept shard by shard."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil
from typing import Protocol

from attn_core.runs.job import Piece, Shard
from attn_core.study.corpus import Corpus, Text

OVERHEAD = 64  # characters that a text counts for at least, so that a shard of empty texts ends too
SMALLEST, LARGEST = 24_000, 128_000  # characters of a shard: a dozen windows, so that short texts have others in theirs
STEPS = 20  # shards of a small corpus, so that its progress can be seen


CHARACTERS = 4096  # of a text for each of its windows, where only some are read: twice what prose needs
LEAST = 20_000  # characters that tell its language, whatever is counted of it


@dataclass(frozen=True)
class Beginnings:
    """The texts of a corpus as far as they are read: cut at the last line end, or blank, behind so many windows."""

    corpus: Corpus
    windows: int

    def texts(self) -> Iterator[Text]:
        room = max(LEAST, CHARACTERS * (self.windows + 1))
        for one in self.corpus.texts():
            whole = one.text is None or one.annotated is not None
            yield one if whole else replace(one, text=beginning(one.text or "", room))


class HasTexts(Protocol):
    """A corpus, or what is read of one."""

    def texts(self) -> Iterator[Text]: ...


def sensible_size(corpus: Corpus) -> int:
    """Characters a shard: a twentieth of a corpus, but from a dozen to some sixty windows."""
    return min(LARGEST, max(SMALLEST, corpus.size // STEPS))


def shards(corpus: HasTexts, characters: int) -> Iterator[Shard]:
    """Texts in their order, about `characters` a shard; a text of more than twice that is cut at ends of lines."""
    pieces: list[Piece] = []
    number = size = 0
    for text in corpus.texts():
        for piece in pieces_of(text, characters):
            pieces.append(piece)
            size += OVERHEAD + len(piece.text or "")
            if size >= characters:
                yield Shard(number, tuple(pieces), text.done)
                pieces, number, size = [], number + 1, 0
    if pieces:
        yield Shard(number, tuple(pieces), 1.0)


def pieces_of(text: Text, characters: int) -> Iterator[Piece]:
    """A text, in parts where it is longer than two shards of so many characters; an annotated one is whole."""
    parts = [text.text] if text.text is None or text.annotated else cut(text.text, 2 * characters)
    for part, content in enumerate(parts):
        yield Piece(text.number, text.name, part, content, text.problem, text.group, text.annotated)


def cut(text: str, characters: int) -> list[str]:
    """Parts of at most `characters`, together the text, none shorter than half of another."""
    number = min(len(text), ceil(len(text) / (0.8 * characters))) if len(text) > characters else 1
    size = len(text) / number
    ends = [_end(text, int(part * size), int(size / 4)) for part in range(1, number)]
    return [text[start:end] for start, end in pairwise([0, *ends, len(text)])]


def beginning(text: str, characters: int) -> str:
    """At most so many characters of a text."""
    return text if len(text) <= characters else text[: _end(text, characters, characters // 4)]


def _end(text: str, before: int, room: int) -> int:
    """Behind the last line end of the last `room` characters before a place, else behind the last blank there, else the place."""
    ends = (text.rfind(mark, before - room, before) + 1 for mark in "\n ")
    return next(filter(None, ends), before)
