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

    @property
    def pair(self) -> tuple[int, int]:
        """The word (the dependent, the later mention), and the last one that it belongs to."""
        return self.word, max(self.right)


@dataclass(frozen=True)
class Relation:
    """The words of one text that stand in one relation to others, none to itself."""

    name: str
    questions: tuple[Question, ...]


@dataclass(frozen=True)
class AnnotatedText:
    """A text with its words and their relations. Words count from 0.

    words, sentences: half-open character spans in `text`, rising and apart. relations: a name once.
    """

    name: str
    text: str
    words: tuple[Span, ...]
    sentences: tuple[Span, ...]
    relations: tuple[Relation, ...]
