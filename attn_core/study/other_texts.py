"""The unrelated text that a text of a study is held against: one of another group, and each group's text is that of one other.

Which texts stand beside a corpus is luck as much as which are in it. Where each of them serves once, the bootstrap over texts
sees both; four texts drawn for each, which serve several times, make its intervals too narrow (docs/results.md).
"""

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from attn_core.analysis.unrelated import Unrelated, read_unrelated
from attn_core.errors import TextError
from attn_core.models.records import LoadedModel
from attn_core.runs.job import Piece
from attn_core.similarity.strength import UNRELATED_TOKENS, places_looked_at
from attn_core.study.corpus import Text
from attn_core.study.plan import HasTexts, beginning
from attn_core.study.settings import StudySettings
from attn_core.texts.documents import read_document
from attn_core.texts.passages import Layout, Passage, read_beginning

BLOCK = 256  # texts of a corpus at least that are drawn from together, so that few are in memory
TRIED = 3  # texts for each, in order, since some may not be counted
CHARACTERS = 4096  # of each, about two windows


class Pairing:
    """What each piece of a corpus is held against, asked for in the order of the corpus."""

    def __init__(self, corpus: HasTexts, seed: int) -> None:
        self._ahead, self._seed = _beginnings(corpus.texts()), seed
        self._read: list[Piece] = []
        self._last = -1
        self._of_group: dict[int, tuple[Piece, ...]] = {}

    def of(self, pieces: Sequence[Piece]) -> tuple[tuple[Piece, ...], ...]:
        """Of each piece some beginnings of texts of other groups, of which the first that can be counted counts."""
        return tuple(self._of(piece) for piece in pieces)

    def _of(self, piece: Piece) -> tuple[Piece, ...]:
        while piece.number > self._last and (block := self._next_block()):
            self._last, self._of_group = block[-1].number, in_a_circle(block, self._seed)
        return self._of_group.get(piece.group, ())

    def _next_block(self) -> list[Piece]:
        """The last one takes what would not fill another."""
        self._read += islice(self._ahead, 2 * BLOCK - len(self._read))
        size = BLOCK if len(self._read) == 2 * BLOCK else len(self._read)
        block, self._read = self._read[:size], self._read[size:]
        return block


def in_a_circle(block: Sequence[Piece], seed: int) -> dict[int, tuple[Piece, ...]]:
    """By group, a text each of the groups that follow it in an order drawn at random; none where there is one group."""
    kept: dict[int, Piece] = {}
    for piece in sorted(block, key=lambda one: _drawn(seed, 1, one.number)):
        kept.setdefault(piece.group, piece)
    order = sorted(kept, key=lambda group: _drawn(seed, 0, group))
    following = range(1, min(TRIED, len(order) - 1) + 1)
    return {group: tuple(kept[order[(at + step) % len(order)]] for step in following) for at, group in enumerate(order)}


def unrelated_text(model: LoadedModel, tried: Sequence[Piece], settings: StudySettings) -> Unrelated | None:
    """The tokens that are looked at of the first of some texts that a study would count; None where there is none."""
    passage = unrelated_passage(model, tried, settings.language, settings.layout, settings.min_tokens)
    if passage is None:
        return None
    read = read_unrelated(model, passage, settings.analysis.unit)
    at = places_looked_at(read.passage, settings.analysis.with_special, UNRELATED_TOKENS)
    return Unrelated(read.passage.at(at), read.z[:, :, at])


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
