"""The relations of one window, counted from what its forward pass gave: those of its text's annotation, and those of rules.

Rules look at each window, as on the page. A word is asked which word of its window it pairs with, all others being candidates
(our choice): a window without annotation does not say between which words the choice is.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from attn_core.models.head_outputs import HeadOutputs, Values
from attn_core.patterns.relation_counts import RelationCounts, count_window
from attn_core.patterns.rules import BY_NAME, Pairs, TextWords, pairs_of
from attn_core.patterns.word_maps import of_words
from attn_core.similarity.words import Words, find_words, given_words
from attn_core.texts.annotated import AnnotatedText, Question, Relation
from attn_core.texts.passages import Passage

EXAMPLES = 3  # pairs of a relation that are kept of each window, for its readers


@dataclass(frozen=True, eq=False)
class CountedRelation:
    """A relation as it was counted in a window. examples: some of its pairs, to read."""

    name: str
    counts: RelationCounts
    examples: list[str]


def count_relations(
    passage: Passage, output: HeadOutputs, states: Values, annotated: AnnotatedText | None, rules: Sequence[str]
) -> list[CountedRelation]:
    """The relations that have a pair in a window. output: with its attention maps. states: the last ones, (token, width)."""
    counted: list[CountedRelation] = []
    for words, relations in _found(passage, annotated, rules):
        if here := [relation for relation in relations if relation.pairs]:
            counts = count_window(of_words(output.z, output.attention, words, states), here)
            texts = [passage.document.text[start:end] for start, end in zip(words.starts, words.ends, strict=True)]
            for relation, one in zip(here, counts, strict=True):
                some = [f"{texts[a]} … {texts[b]}" for a, b in relation.pairs[:EXAMPLES]]
                counted.append(CountedRelation(relation.name, one, some))
    return counted


def _found(
    passage: Passage, annotated: AnnotatedText | None, rules: Sequence[str]
) -> Iterator[tuple[Words, Iterable[Relation]]]:
    """The relations of a window, by the words that they are of."""
    if annotated is not None:
        words, numbers = words_within(passage, annotated)
        yield words, [_within(relation, numbers) for relation in annotated.relations]
    if rules:
        words = find_words(passage)
        read = TextWords.of(passage, words)
        yield words, [_ruled(BY_NAME[rule], read) for rule in rules]


def words_within(passage: Passage, text: AnnotatedText) -> tuple[Words, dict[int, int]]:
    """The text's words that a window has tokens of, and the number of each there by its number in the text."""
    starts, ends = np.array(text.words, dtype=np.int64).reshape(-1, 2).T
    has_token = np.unique(given_words(passage, starts, ends).words)
    numbers = {int(word): number for number, word in enumerate(has_token)}
    return given_words(passage, starts[has_token], ends[has_token]), numbers


def _within(relation: Relation, numbers: dict[int, int]) -> Relation:
    """A relation as far as its words lie in a window, by their numbers there."""
    pairs = tuple((numbers[a], numbers[b]) for a, b in relation.pairs if a in numbers and b in numbers)
    questions = []
    for asked in relation.questions:
        candidates = tuple(numbers[word] for word in asked.candidates if word in numbers)
        right = frozenset(numbers[word] for word in asked.right if word in numbers)
        if asked.word in numbers and right:
            questions.append(Question(numbers[asked.word], candidates, right))
    return Relation(relation.name, pairs, tuple(questions))


def _ruled(name: str, words: TextWords) -> Relation:
    """The pairs of a rule in a window."""
    pairs = list(dict.fromkeys(pairs_of(name, words)))
    return Relation(name, tuple(pairs), tuple(_questions(pairs, len(words))))


def _questions(pairs: Pairs, words: int) -> Iterator[Question]:
    """Each first word is asked once, for any of the words that it pairs with."""
    right: dict[int, set[int]] = {}
    for first, second in pairs:
        right.setdefault(first, set()).add(second)
    for word, seconds in right.items():
        yield Question(word, tuple(other for other in range(words) if other != word), frozenset(seconds))
