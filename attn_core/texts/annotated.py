"""Texts whose word pairs are known: the record that the readers of annotated files fill."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from attn_core.texts.documents import Span


class Question(NamedTuple):
    """A word, and what it may be asked to point at: `candidates` are words in the order of the text, `right` some of them."""

    word: int
    candidates: Sequence[int]
    right: frozenset[int]


@dataclass(frozen=True)
class Relation:
    """The pairs of words of one text that stand in one relation.

    pairs: the word that depends first (the dependent, the later mention), then the one that it belongs to; never a word
    with itself. questions: the same asked of the first word, where the relation has a direction; there may be fewer.
    """

    name: str
    pairs: tuple[tuple[int, int], ...]
    questions: tuple[Question, ...] = ()


@dataclass(frozen=True)
class AnnotatedText:
    """A text with its words and their relations. Words count from 0.

    words, sentences: half-open character spans in `text`, rising and apart. relations: a name once. group: what its answers
    are counted by beside all together (the gender of a GAP pronoun), "" for nothing.
    """

    name: str
    text: str
    words: tuple[Span, ...]
    sentences: tuple[Span, ...]
    relations: tuple[Relation, ...]
    group: str = ""

    def word(self, number: int) -> str:
        """A word as it stands in the text."""
        start, end = self.words[number]
        return self.text[start:end]
