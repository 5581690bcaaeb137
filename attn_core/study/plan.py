"""How a corpus is cut into shards: the same shards whoever does the work, since sums are kept shard by shard."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from math import ceil

from attn_core.runs.job import Piece, Shard
from attn_core.study.corpus import Corpus

OVERHEAD = 64  # characters that a text counts for at least, so that a shard of empty texts ends too
SMALLEST, LARGEST = 24_000, 128_000  # characters of a shard: a dozen windows, so that short texts have others in theirs
STEPS = 20  # shards of a small corpus, so that its progress can be seen
CHARACTERS = 4096  # of a text for each of its windows, where only some are read: twice what prose needs
LEAST = 20_000  # characters that tell its language, whatever is counted of it


def beginnings(texts: Iterable[Piece], windows: int) -> Iterator[Piece]:
    """Texts as far as they are read: cut at the last line end, or blank, behind so many windows; an annotated one is whole."""
    room = max(LEAST, CHARACTERS * (windows + 1))
    for one in texts:
        long = one.text is not None and one.annotated is None and len(one.text) > room
        yield replace(one, text=one.text[: _end(one.text, room, room // 4)]) if long and one.text else one


def sensible_size(corpus: Corpus) -> int:
    """Characters a shard: a twentieth of a corpus, but from a dozen to some sixty windows."""
    return min(LARGEST, max(SMALLEST, corpus.size // STEPS))


def shards(texts: Iterable[Piece], characters: int) -> Iterator[Shard]:
    """Texts in their order, about `characters` a shard; a text of more than twice that is cut at ends of lines."""
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
    """A text, in parts where it is longer than two shards of so many characters; an annotated one is whole."""
    if text.text is None or text.annotated:
        return iter([text])
    parts = enumerate(cut(text.text, 2 * characters))
    return (replace(text, part=part, text=content) for part, content in parts)


def cut(text: str, characters: int) -> list[str]:
    """Parts of at most `characters`, together the text, none shorter than half of another."""
    number = min(len(text), ceil(len(text) / (0.8 * characters))) if len(text) > characters else 1
    size = len(text) / number
    ends = [_end(text, int(part * size), int(size / 4)) for part in range(1, number)]
    return [text[start:end] for start, end in pairwise([0, *ends, len(text)])]


def _end(text: str, before: int, room: int) -> int:
    """Behind the last line end of the last `room` characters before a place, else behind the last blank there, else the place."""
    ends = (text.rfind(mark, before - room, before) + 1 for mark in "\n ")
    return next(filter(None, ends), before)
