"""Texts with annotated word pairs, as the readers of annotated files return them."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from attn_core.texts.sentences import Span


@dataclass(frozen=True)
class First(Sequence[int]):
    """The first `number` items of a sequence, which is shared and not copied."""

    items: Sequence[int]
    number: int

    def __len__(self) -> int:
        return self.number

    def __getitem__(self, at: Any) -> Any:
        return self.items[: self.number][at]

    def __iter__(self) -> Iterator[int]:
        return islice(self.items, self.number)


class Question(NamedTuple):
    """A word and the words it may be related to: `candidates` in the order of the text, some of which are `right`.

    If the word itself is among the candidates, it is none.
    """

    word: int
    candidates: Sequence[int]
    right: Collection[int]

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

    Attributes
    ----------
    name, text: of the text.
    words, sentences: half-open character spans in `text`, in order and disjoint.
    relations: with unique names.
    """

    name: str
    text: str
    words: tuple[Span, ...]
    sentences: tuple[Span, ...]
    relations: tuple[Relation, ...]
