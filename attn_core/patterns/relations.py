"""Counts of relations: sums over word pairs by map and head, for windows and for the texts of a shard.

Relations come from annotated texts and from rules. A rule is applied to each window, as on the page; the candidates for
a word are all other words of the window (our choice).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from attn_core.models.head_outputs import HeadOutputs
from attn_core.patterns.rules import BY_NAME, TextWords, pairs_of
from attn_core.patterns.scores import WordOutputs, at_offsets, margins, of_words, percentiles, pointing_hits
from attn_core.runs.job import Piece
from attn_core.similarity.words import Words, find_words, words_at_spans
from attn_core.study.shard_tables import table
from attn_core.texts.annotated import AnnotatedText, Question, Relation
from attn_core.texts.passages import Passage


class RelationCounts(NamedTuple):
    """Counts of a relation in a window; a text has their sums, and all margins.

    percentile, right: (map, layer, head), sums over the pairs. pairs: number of pairs. offsets: (offset,), number of
    pairs for which the word at each of `OFFSETS` is right. margins: (question, map, layer, head), value of the right
    candidate minus that of the wrong one, for questions with two candidates.
    """

    percentile: np.ndarray
    right: np.ndarray
    pairs: int
    offsets: np.ndarray
    margins: np.ndarray


def count_relations(
    passage: Passage, output: HeadOutputs, annotated: AnnotatedText | None, rules: Sequence[str]
) -> dict[str, RelationCounts]:
    """Counts of each relation of a window by name. output: with attention maps."""
    counted: dict[str, RelationCounts] = {}
    for words, relations in _relations_of(passage, annotated, rules):
        if here := [relation for relation in relations if relation.questions]:
            counted |= count_window(of_words(output.z, output.attention, words), here)
    return counted


def _relations_of(
    passage: Passage, annotated: AnnotatedText | None, rules: Sequence[str]
) -> Iterator[tuple[Words, list[Relation]]]:
    """The relations of a window, each list with the words that it refers to."""
    if annotated is not None:
        words, numbers = _words_within(passage, annotated)
        yield words, [_within(relation, numbers) for relation in annotated.relations]
    if rules:
        words = find_words(passage)
        text = TextWords.of(passage, words)
        yield words, [_of_rule(BY_NAME[rule], text) for rule in rules]


def _of_rule(name: str, words: TextWords) -> Relation:
    """The pairs that a rule finds in a window, as questions."""
    every = range(len(words))
    questions = (
        Question(first, tuple(other for other in every if other != first), frozenset([second]))
        for first, second in pairs_of(name, words)
    )
    return Relation(name, tuple(questions))


def _words_within(passage: Passage, text: AnnotatedText) -> tuple[Words, dict[int, int]]:
    """The words of a text that have tokens in a window, and a map from word of the text to word of the window."""
    starts, ends = np.array(text.words, dtype=np.int64).reshape(-1, 2).T
    has_token = np.unique(words_at_spans(passage, starts, ends).words)
    numbers = {int(word): number for number, word in enumerate(has_token)}
    return words_at_spans(passage, starts[has_token], ends[has_token]), numbers


def _within(relation: Relation, numbers: dict[int, int]) -> Relation:
    """The questions of a relation whose words are in a window. numbers: word of the text -> word of the window."""
    questions = []
    for one in relation.questions:
        if one.word in numbers and (right := frozenset(numbers[word] for word in one.right if word in numbers)):
            candidates = tuple(numbers[word] for word in one.candidates if word in numbers and word != one.word)
            questions.append(Question(numbers[one.word], candidates, right))
    return Relation(relation.name, tuple(questions))


def count_window(outputs: WordOutputs, relations: Sequence[Relation]) -> dict[str, RelationCounts]:
    """Counts of each relation by name. relations: non-empty ones; questions that they share are scored once."""
    questions = list(dict.fromkeys(question for relation in relations for question in relation.questions))
    place = {question: at for at, question in enumerate(questions)}
    of_two = [at for at, one in enumerate(questions) if len(one.candidates) == 2 and len(one.right) == 1]
    percentile, right, margin = outputs.by_map(
        partial(percentiles, pairs=np.array([question.pair for question in questions], dtype=np.int64)),
        partial(pointing_hits, questions=questions),
        partial(margins, choices=[questions[at] for at in of_two]),
    )
    offsets = at_offsets(questions)
    counts = {}
    for relation in relations:
        own = np.array([place[question] for question in relation.questions], dtype=np.int64)
        counts[relation.name] = RelationCounts(
            percentile[..., own].sum(axis=-1, dtype=np.float64),
            right[..., own].sum(axis=-1, dtype=np.float64),
            len(own),
            offsets[:, own].sum(axis=1),
            np.moveaxis(margin[..., np.flatnonzero(np.isin(of_two, own))], -1, 0),
        )
    return counts


def relation_tables(texts: Iterable[tuple[Piece, Sequence[Mapping[str, RelationCounts]]]]) -> dict[str, pa.Table]:
    """The tables of a shard that are not empty, by name. texts: each with the counts of its windows.

    relations: one row per relation and text, or part of a long text. margins: one row per question with two candidates.
    """
    relations: list[dict[str, Any]] = []
    choices: list[dict[str, Any]] = []
    for piece, windows in texts:
        for name in dict.fromkeys(name for counted in windows for name in counted):
            counts = [counted[name] for counted in windows if name in counted]
            here = {"text": piece.number, "group": piece.group, "relation": name}
            sums = {
                "percentile": np.sum([one.percentile for one in counts], axis=0).ravel().astype(np.float32),
                "right": np.sum([one.right for one in counts], axis=0).ravel().astype(np.int32),
                "pairs": sum(one.pairs for one in counts),
                "offsets": np.sum([one.offsets for one in counts], axis=0),
            }
            relations.append(here | sums)
            choices += [here | {"margin": margin.ravel()} for one in counts for margin in one.margins]
    rows = {"relations": relations, "margins": choices}
    return {name: table(of_name, list(of_name[0])) for name, of_name in rows.items() if of_name}
