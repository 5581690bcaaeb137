"""Texts with annotated word pairs, as the readers of annotated files return them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from attn_core.texts.sentences import Span


class Question(NamedTuple):
    """A word and the words it may be related to: `candidates` in the order of the text, some of which are `right`."""

    word: int
    candidates: Sequence[int]
    right: frozenset[int]

    @property
    def pair(self) -> tuple[int, int]:
        """The word (the dependent, the later mention), and the last of the right candidates."""
        return self.word, max(self.right)


@dataclass(frozen=True)
class Relation:
    """A relation, with the words of a text that are in it and their candidates."""

    name: str
    questions: tuple[Question, ...]


@dataclass(frozen=True)
class AnnotatedText:
    """A text with its words and their relations. Words count from 0.

    words, sentences: half-open character spans in `text`, in order and disjoint. relations: with unique names.
    """

    name: str
    text: str
    words: tuple[Span, ...]
    sentences: tuple[Span, ...]
    relations: tuple[Relation, ...]
