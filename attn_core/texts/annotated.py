"""Texts with annotated word pairs, as the readers of annotated files return them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from attn_core.texts.documents import Span


class Question(NamedTuple):
    """A word and the words that it may belong to: `candidates` in the order of the text, `right` some of them."""

    word: int
    candidates: Sequence[int]
    right: frozenset[int]

    @property
    def pair(self) -> tuple[int, int]:
        """The word (the dependent, the later mention), and the last one that it belongs to."""
        return self.word, max(self.right)


@dataclass(frozen=True)
class Relation:
    """The words of a text that are in one relation to other words."""

    name: str
    questions: tuple[Question, ...]


@dataclass(frozen=True)
class AnnotatedText:
    """A text with its words and their relations. Words count from 0.

    words, sentences: half-open character spans in `text`, in order and disjoint. relations: each name once.
    """

    name: str
    text: str
    words: tuple[Span, ...]
    sentences: tuple[Span, ...]
    relations: tuple[Relation, ...]
