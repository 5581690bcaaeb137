"""What a worker does: a shard of texts with their pairs in, its counts as Parquet files out. Runs in any process anywhere."""

from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from attn_core.errors import TextError
from attn_core.models.records import LoadedModel
from attn_core.patterns.annotated import AnnotatedText, Question, Relation
from attn_core.patterns.relation_counts import RelationCounts, count_window
from attn_core.patterns.ruled import RuledText
from attn_core.patterns.word_maps import read_words
from attn_core.runs.job import Counted, ModelJob
from attn_core.runs.model import agreed_model
from attn_core.similarity.words import Words, given_words
from attn_core.study.shard_tables import table
from attn_core.texts.documents import Document
from attn_core.texts.passages import Layout, Passage, read_passages

EXAMPLES = 3  # pairs of a relation that are kept of each text, for its readers
TEXT_COLUMNS = ("text", "part", "name", "group", "problem", "windows", "words", "words_left_out")


@dataclass(frozen=True)
class PatternJob(ModelJob):
    """What goes to a worker: the texts of a shard, one for each of its pieces, and how they are read."""

    texts: tuple[AnnotatedText | RuledText, ...]
    layout: Layout


@dataclass(frozen=True, eq=False)
class TextCounts:
    """A text's relations as they were counted, and what could not be: words that no token stands for, by number, and pairs
    and questions by relation whose words do not lie in one window."""

    relations: dict[str, RelationCounts]
    windows: int
    words_left_out: int
    pairs_left_out: dict[str, int]


def count_patterns(job: PatternJob) -> Counted:
    """Count a shard. The same job gives the same bytes in every process.

    Raises InputError where the program or the model of this worker is not the one that the work began with.
    """
    model = agreed_model(job.model)
    texts: list[dict[str, Any]] = []
    relations: list[dict[str, Any]] = []
    margins: list[dict[str, Any]] = []
    for piece, given in zip(job.shard.pieces, job.texts, strict=True):
        row: dict[str, Any] = {"text": piece.number, "part": piece.part, "name": piece.name}
        try:
            text = given.annotated(model, job.layout)
            counted = count_text(model, text, job.layout)
        except TextError as error:
            texts.append(row | {"problem": str(error)})
            continue
        row |= {"group": text.group, "words": len(text.words), "words_left_out": counted.words_left_out}
        texts.append(row | {"windows": counted.windows})
        for relation in text.relations:
            counts = counted.relations.get(relation.name)
            place: dict[str, Any] = {"text": piece.number, "drawn": piece.group, "relation": relation.name}
            row = place | {"pairs_left_out": counted.pairs_left_out[relation.name]}
            if counts is not None:
                examples = [f"{text.word(a)} … {text.word(b)}" for a, b in relation.pairs[:EXAMPLES]]
                row |= _row(counts) | {"examples": examples}
                margins += [place | {"margin": margin.ravel()} for margin in counts.margins]
            relations.append(row)
    files = {"texts": table(texts, TEXT_COLUMNS)}
    if relations:
        columns = dict.fromkeys(name for row in sorted(relations, key=len, reverse=True) for name in row)
        files["relations"] = table(relations, list(columns))
    if margins:
        files["margins"] = table(margins, list(margins[0]))
    bad = sum("problem" in row for row in texts)
    whole = sum("problem" not in row and row["part"] == 0 for row in texts)
    windows = sum(row.get("windows", 0) for row in texts)
    return Counted(files, whole, windows, bad)


def count_text(model: LoadedModel, text: AnnotatedText, layout: Layout) -> TextCounts:
    """Read a text window by window. Raises TextError where the tokenizer finds no token in it."""
    passages = read_passages(Document(text.text, text.sentences), model.tokenizer, model.max_tokens, layout)
    parts: dict[str, list[RelationCounts]] = {}
    left = {relation.name: len(relation.pairs) for relation in text.relations}
    read: set[int] = set()
    for passage in passages:
        words, numbers = words_within(passage, text)
        read.update(numbers)
        here = [within for relation in text.relations if (within := _within(relation, numbers)).pairs]
        if not here:
            continue
        for relation, counts in zip(here, count_window(read_words(model, passage, words), here), strict=True):
            parts.setdefault(relation.name, []).append(counts)
            left[relation.name] -= len(relation.pairs)
    added = {name: reduce(add, counted) for name, counted in parts.items()}
    return TextCounts(added, len(passages), len(text.words) - len(read), left)


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


def _row(counts: RelationCounts) -> dict[str, object]:
    return {
        "percentile": counts.percentile.ravel().astype(np.float32), "right": counts.right.ravel().astype(np.int32),
        "pairs": counts.pairs, "questions": counts.questions,
        "nearest": counts.nearest, "last": counts.last, "offsets": counts.offsets,
    }  # fmt: skip
