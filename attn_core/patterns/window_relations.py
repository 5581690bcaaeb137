"""The relations of one window, counted from what its forward pass gave: those of its text's annotation, and those of rules.

Rules look at each window, as on the page. A word is asked which word of its window it pairs with, all others being candidates
(our choice): a window without annotation does not say between which words the choice is.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from attn_core.models.head_outputs import HeadOutputs, Values
from attn_core.patterns.relation_counts import RelationCounts, count_window
from attn_core.patterns.rules import BY_NAME, TextWords, pairs_of
from attn_core.patterns.word_maps import of_words
from attn_core.similarity.words import Words, find_words, given_words
from attn_core.texts.annotated import AnnotatedText, Question, Relation
from attn_core.texts.passages import Passage


def count_relations(
    passage: Passage, output: HeadOutputs, states: Values, annotated: AnnotatedText | None, rules: Sequence[str]
) -> dict[str, RelationCounts]:
    """The counts of each relation of a window. output: with its attention maps. states: the last ones, (token, width)."""
    counted: dict[str, RelationCounts] = {}
    for words, relations in _found(passage, annotated, rules):
        if here := [relation for relation in relations if relation.questions]:
            counted |= count_window(of_words(output.z, output.attention, words, states), here)
    return counted


def _found(
    passage: Passage, annotated: AnnotatedText | None, rules: Sequence[str]
) -> Iterator[tuple[Words, list[Relation]]]:
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
    questions = []
    for asked in relation.questions:
        candidates = tuple(numbers[word] for word in asked.candidates if word in numbers)
        right = frozenset(numbers[word] for word in asked.right if word in numbers)
        if asked.word in numbers and right:
            questions.append(Question(numbers[asked.word], candidates, right))
    return Relation(relation.name, tuple(questions))


def _ruled(name: str, words: TextWords) -> Relation:
    """The pairs of a rule in a window."""
    everything = range(len(words))
    return Relation(
        name,
        tuple(
            Question(first, tuple(other for other in everything if other != first), frozenset([second]))
            for first, second in pairs_of(name, words)
        ),
    )
