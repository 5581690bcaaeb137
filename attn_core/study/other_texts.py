"""The unrelated text that a text of a corpus is held against: one of another group, and each group's text is that of one other.

Which texts stand beside a corpus is luck as much as which are in it. Where each of them serves once, the bootstrap over texts
sees both; four texts drawn for each, which serve several times, make its intervals too narrow (docs/results.md).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from attn_core.errors import TextError
from attn_core.models.records import LoadedModel
from attn_core.runs.job import Piece
from attn_core.study.corpus import Text
from attn_core.study.plan import HasTexts, beginning
from attn_core.texts.documents import read_document
from attn_core.texts.passages import Layout, Passage, read_beginning

T = TypeVar("T", Text, Piece)
BLOCK = 256  # texts of a corpus at least that are drawn from together, so that few are in memory
TRIED = 3  # texts for each, in order, since some may not be counted
MOST_CHARACTERS = 16_000_000  # that are in memory at once; texts so long that they end blocks fill shards of their own
CHARACTERS = 4096  # of each, about two windows


class Mixed:
    """A corpus whose neighbours, which may be of one kind, do not come into one shard: groups in an order drawn at random."""

    def __init__(self, corpus: HasTexts, seed: int) -> None:
        self._corpus, self._seed = corpus, seed

    def texts(self) -> Iterator[Text]:
        """Block by block; the texts of a group keep their order, and `done` still rises."""
        for block in _blocks(self._corpus.texts()):
            mixed = sorted(block, key=lambda text: _drawn(self._seed, 0, text.group))
            yield from (replace(text, done=place.done) for text, place in zip(mixed, block, strict=True))


class Pairing:
    """What each piece of a corpus is held against, asked for in the order of the corpus."""

    def __init__(self, corpus: HasTexts, seed: int) -> None:
        self._ahead, self._seed = _blocks(_beginnings(corpus.texts())), seed
        self._known: set[int] = set()
        self._of_group: dict[int, tuple[Piece, ...]] = {}

    def of(self, pieces: Sequence[Piece]) -> tuple[tuple[Piece, ...], ...]:
        """Of each piece some beginnings of texts of other groups, of which the first that can be counted counts."""
        return tuple(self._of(piece) if (piece.text or "").strip() else () for piece in pieces)

    def _of(self, piece: Piece) -> tuple[Piece, ...]:
        while piece.number not in self._known and (block := next(self._ahead, [])):
            self._known, self._of_group = {one.number for one in block}, in_a_circle(block, self._seed)
        return self._of_group.get(piece.group, ())


def _blocks(texts: Iterator[T]) -> Iterator[list[T]]:
    """So many texts each, fewer of long ones; the last one takes what would not fill another."""
    ahead, size = list[T](), 0
    for text in texts:
        ahead.append(text)
        size += len(text.text or "")
        if len(ahead) == 2 * BLOCK or size > MOST_CHARACTERS:
            half = max(1, len(ahead) // 2)
            yield ahead[:half]
            ahead = ahead[half:]
            size = sum(len(one.text or "") for one in ahead)
    if ahead:
        yield ahead


def in_a_circle(block: Sequence[Piece], seed: int) -> dict[int, tuple[Piece, ...]]:
    """By group, a text each of the groups that follow it in an order drawn at random; none where there is one group."""
    kept: dict[int, Piece] = {}
    for piece in sorted(block, key=lambda one: _drawn(seed, 1, one.number)):
        kept.setdefault(piece.group, piece)
    order = sorted(kept, key=lambda group: _drawn(seed, 0, group))
    following = range(1, min(TRIED, len(order) - 1) + 1)
    return {group: tuple(kept[order[(at + step) % len(order)]] for step in following) for at, group in enumerate(order)}


def unrelated_passage(
    model: LoadedModel, tried: Sequence[Piece], language: str, layout: Layout, min_tokens: int
) -> Passage | None:
    """The first window of the first of some texts with tokens enough; None where there is none."""
    for piece in tried:
        try:
            passage = read_beginning(
                read_document(piece.text or "", language), model.tokenizer, model.max_tokens, layout
            )
        except TextError:
            continue
        if len(passage) >= min_tokens and not passage.is_special.all():
            return passage
    return None


def _beginnings(texts: Iterator[Text]) -> Iterator[Piece]:
    for text in texts:
        if text.text is not None and text.text.strip():
            yield Piece(text.number, text.name, 0, beginning(text.text, CHARACTERS), None, text.group)


def _drawn(*what: int) -> float:
    return float(np.random.default_rng(what).random())
