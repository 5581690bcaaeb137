"""Texts whose pairs are found by rules: every corpus that a study takes, read as an annotated one.

The rules look at each window of a text, as on the page. A word is asked which word of its window it pairs with, all others
being candidates (our choice): the window has no annotation to say between which words the choice is.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from attn_core.errors import InputError, TextError
from attn_core.models.records import LoadedModel
from attn_core.patterns.annotated import AnnotatedText, Question, Relation
from attn_core.patterns.rules import RULES, OwnRule, Pairs, Rule, TextWords, pairs_of
from attn_core.runs.job import Shard
from attn_core.similarity.words import find_words
from attn_core.study.corpus import Corpus
from attn_core.study.plan import shards
from attn_core.texts.documents import Span, read_document
from attn_core.texts.passages import Layout, read_passages

Named = tuple[str, Rule]  # a pattern; several rules of one name find its pairs together
BY_NAME = {rule.__name__: label for label, rule in RULES.items()}


@dataclass(frozen=True)
class RuledText:
    """A text, or a part of a long one, and the rules that find its pairs; without a text its problem."""

    name: str
    text: str | None
    problem: str | None
    language: str
    rules: tuple[Named, ...]

    def annotated(self, model: LoadedModel, layout: Layout) -> AnnotatedText:
        """The text with a relation for each pattern. Raises TextError where it cannot be read, InputError as `pairs_of`."""
        if self.text is None:
            raise TextError(self.problem or "unreadable")
        document = read_document(self.text, self.language)
        spans: list[Span] = []
        by_rule: dict[str, tuple[Pairs, list[Question]]] = {name: ([], []) for name, _ in self.rules}
        for passage in read_passages(document, model.tokenizer, model.max_tokens, layout):
            words = find_words(passage)
            read, before = TextWords.of(passage, words), len(spans)
            spans += zip(words.starts.tolist(), words.ends.tolist(), strict=True)
            for name, (pairs, questions) in by_rule.items():
                of_rules = (pair for own, rule in self.rules if own == name for pair in pairs_of(rule, read))
                here = list(dict.fromkeys((a + before, b + before) for a, b in of_rules))
                pairs += here
                questions += _questions(here, range(before, len(spans)))
        relations = (Relation(name, tuple(pairs), tuple(questions)) for name, (pairs, questions) in by_rule.items())
        return AnnotatedText(self.name, document.text, tuple(spans), document.sentences, tuple(relations))


@dataclass(frozen=True)
class RuledCorpus:
    """The texts of a corpus and the rules that find their pairs. language: a code, or "auto" for each text's own."""

    corpus: Corpus
    rules: tuple[Named, ...]
    language: str

    def check(self) -> None:
        """Raises InputError where there is nothing to read, and for an expression that is none."""
        self.corpus.check()
        for _, rule in self.rules:
            pairs_of(rule, TextWords((), ()))

    def lengths(self) -> Iterator[int]:
        """Characters of every text, 0 of one that cannot be read."""
        return self.corpus.lengths()

    def identity(self) -> dict[str, Any]:
        """What the numbers depend on."""
        rules = [[name, _told(rule) if isinstance(rule, OwnRule) else rule] for name, rule in self.rules]
        return {**self.corpus.identity(), "language": self.language, "rules": rules}

    def shards(self, characters: int) -> Iterator[tuple[Shard, tuple[RuledText, ...]]]:
        """Texts in their order, about so many characters a shard; long ones in parts."""
        for shard in shards(self.corpus, characters):
            texts = (RuledText(one.name, one.text, one.problem, self.language, self.rules) for one in shard.pieces)
            yield shard, tuple(texts)


def rule_named(name: str) -> Named:
    """A rule by the name of its function, as a command gives it. Raises InputError where there is none."""
    if name not in BY_NAME:
        raise InputError(f"There is no rule {name[:80]!r}: choose from {', '.join(BY_NAME)}.")
    return BY_NAME[name], BY_NAME[name]


def _told(rule: OwnRule) -> dict[str, Any]:
    """A rule without what it is not asked, so that scores of before go on."""
    return {name: value for name, value in asdict(rule).items() if name != "different" or value}


def _questions(pairs: Pairs, window: range) -> Iterator[Question]:
    """Each first word is asked once, for any of the words that it pairs with."""
    right: dict[int, set[int]] = {}
    for first, second in pairs:
        right.setdefault(first, set()).add(second)
    for word, seconds in right.items():
        yield Question(word, tuple(other for other in window if other != word), frozenset(seconds))
