"""Texts of any corpus with the pairs that rules find in them."""

import re
from pathlib import Path

import pytest

from attn_core.commands import patterns as command
from attn_core.errors import InputError, TextError
from attn_core.patterns.ruled import BY_NAME, RuledCorpus, RuledText, rule_named
from attn_core.patterns.rules import RULES, OwnRule, TextWords, pairs_of
from attn_core.similarity.words import find_words
from attn_core.study.corpus import Corpus
from attn_core.texts.documents import read_document
from attn_core.texts.passages import read_passages

TEXT = "The tide rose, and the boats rose with it. She saw the harbour that was full of them, (while he slept). " * 4


def ruled(*rules: tuple[str, str | OwnRule], text: str | None = TEXT) -> RuledText:
    return RuledText("made up", text, "no text here", "en", rules)


def test_the_pairs_are_those_of_the_page_window_by_window(tiny_model) -> None:  # type: ignore[no-untyped-def]
    model = tiny_model("bert")
    text = ruled(rule_named("same_word"), rule_named("brackets")).annotated(model, "plain")
    passages = read_passages(read_document(TEXT), model.tokenizer, model.max_tokens)
    assert len(passages) > 1
    expected: dict[str, list[tuple[str, str]]] = {}
    for passage in passages:
        words = TextWords.of(passage, find_words(passage))
        for name in ("Same word again", "Opening and closing bracket or quotation mark"):
            pairs = pairs_of(name, words)
            expected.setdefault(name, []).extend((words.words[a], words.words[b]) for a, b in pairs)
    for relation in text.relations:
        assert [(text.word(a), text.word(b)) for a, b in relation.pairs] == expected[relation.name]
    assert text.words[-1][1] <= len(text.text) and len(text.words) == len(re.findall(r"\w+|[^\w\s]", TEXT))


def test_a_first_word_is_asked_once_for_any_of_its_partners(tiny_model) -> None:  # type: ignore[no-untyped-def]
    rules = (("made up", OwnRule("tide", "boats|rose")), ("made up", OwnRule("the", "boats", farthest=1)))
    (relation,) = ruled(*rules, text=TEXT[:43]).annotated(tiny_model("bert"), "plain").relations
    assert relation.pairs == ((1, 2), (1, 6), (1, 7), (5, 6))  # one pattern of two rules
    tide, the = relation.questions
    assert (tide.word, tide.right) == (1, {2, 6, 7}) and (the.word, the.right) == (5, {6})
    assert tide.candidates == (0, *range(2, 11))  # all other words of the window


def test_a_text_that_cannot_be_read_says_why(tiny_model) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(TextError, match="no text here"):
        ruled(text=None).annotated(tiny_model("bert"), "plain")


def test_a_bad_expression_and_an_unknown_rule_are_told_before_a_model_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text(TEXT, encoding="utf-8")
    with pytest.raises(InputError, match="is no regular expression"):
        RuledCorpus(Corpus(str(tmp_path)), (("own", OwnRule("(", "a")),), "auto").check()
    with pytest.raises(InputError, match="choose from same_word, other_form"):
        rule_named("beauty")


def test_the_help_of_the_command_names_every_rule() -> None:
    assert ", ".join(BY_NAME) == command.RULES
    assert list(BY_NAME.values()) == list(RULES)
