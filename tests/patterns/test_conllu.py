"""CoNLL-U and GAP as word pairs, and what a malformed file gets."""

import pickle
import re

import pytest

from attn_core.errors import InputError
from attn_core.patterns.conllu import COREFERENCE, OF_PRONOUN, read_conllu
from attn_core.patterns.gap import ANTECEDENT, read_gap
from attn_core.texts.annotated import AnnotatedText, Relation
from tests.patterns.made_up import GAP, GENERIC, WORDS, gap_file


def word(text: AnnotatedText, number: int) -> str:
    start, end = text.words[number]
    return text.text[start:end]


def pairs(text: AnnotatedText, name: str) -> list[tuple[str, str]]:
    return [(word(text, a), word(text, b)) for a, b in (one.pair for one in relation(text, name).questions)]


def relation(text: AnnotatedText, name: str) -> Relation:
    (relation_found,) = [one for one in text.relations if one.name == name]
    return relation_found


def test_documents_have_their_text_and_words() -> None:
    first, second = read_conllu(WORDS, "made-up.conllu")
    assert (first.name, second.name) == ("first", "second")
    assert word(second, 0) == "Im"  # two words that do not spell it
    assert pairs(second, "case") == pairs(second, "det") == [("Im", "Haus")]
    assert first.text == "Mary doesn't know the harbour. She sees it and leaves."
    assert [word(first, number) for number in range(3)] == ["Mary", "does", "n't"]
    assert [first.text[start:end] for start, end in first.sentences][1] == "She sees it and leaves."
    alone = read_conllu(re.sub("# newdoc.*\n", "", WORDS), "made-up.conllu")
    assert [one.name for one in alone] == ["1", "2", "3"] and alone[0].text == "Mary doesn't know the harbour."


def test_a_dependent_points_at_its_head_among_the_words_of_its_sentence() -> None:
    first, _ = read_conllu(WORDS, "made-up.conllu")
    assert pairs(first, "obj") == [("harbour", "know"), ("it", "sees")]
    question = relation(first, "obj").questions[1]
    candidates = [word(first, one) for one in question.candidates if one != question.word]
    assert candidates == ["She", "sees", "and", "leaves", "."]
    assert [word(first, one) for one in question.right] == ["sees"]


def test_a_mention_is_asked_for_its_entity_among_the_mentions_before_it() -> None:
    first, _ = read_conllu(WORDS, "made-up.conllu")
    assert pairs(first, COREFERENCE) == pairs(first, OF_PRONOUN) == [("She", "Mary"), ("it", "harbour")]
    question = relation(first, COREFERENCE).questions[1]
    assert [word(first, one) for one in question.candidates] == ["Mary", "harbour", "She"]
    assert {word(first, one) for one in question.right} == {"harbour"}


def test_an_empty_node_is_no_word_of_a_mention() -> None:
    empty = "\t_\t_\tPRON\t_\t_\t_\t_\t_\tEntity="
    text = WORDS.replace("\n2-3", f"\n1.1{empty}(e3-all-1-\n2-3")
    text = text.replace("0\troot\t_\t_", "0\troot\t_\tEntity=e3)", 1)
    text = text.replace("conj\t_\t", "conj\t_\tEntity=(e3-event-1-|").replace("\n6\t.", f"\n5.1{empty}e3)\n6\t.", 1)
    first, _ = read_conllu(text, "a.conllu")
    assert ("leaves", "know") in pairs(first, COREFERENCE)  # of "doesn't know" and of "leaves"


@pytest.mark.parametrize(
    ("fields", "brackets", "found"),
    [
        ("# global.Entity = etype-identity\n", "(person) (person person) (person) (person)", []),
        ("", "(e1-1) (e2-2 e2) (e1-3) (e2-2)", []),
        ("# global.Entity = etype-eid\n", "(person-e1) (thing-e2 e2) (person-e1) (thing-e3)", [("She", "Mary")]),
    ],
    ids=["kinds alone", "no fields named", "the entity behind the kind"],
)
def test_the_fields_tell_which_is_the_entity(fields: str, brackets: str, found: list[tuple[str, str]]) -> None:
    text = WORDS.replace(f"{GENERIC}\n", fields)
    old = "(e1-person-1-) (e2-thing-2- e2) (e1-person-1-) (e2-thing-1-)"
    for one, other in zip(old.split(), brackets.split(), strict=True):
        text = text.replace(f"Entity={one}", f"Entity= {other}", 1)
    first, _ = read_conllu(text.replace("Entity= ", "Entity="), "a.conllu")
    assert [pair for one in first.relations if one.name == COREFERENCE for pair in pairs(first, one.name)] == found


def one_sentence(words: int, entities: int) -> str:
    rows = (f"{at}\tw\t_\tNOUN\t_\t_\t{at != 1:d}\tdep\t_\tEntity=(e{at % entities})" for at in range(1, words + 1))
    return "# newdoc id = a\n# global.Entity = eid\n" + "\n".join(rows)


def test_what_is_read_grows_with_the_words_and_not_with_their_pairs() -> None:
    small, large = (len(pickle.dumps(read_conllu(one_sentence(words, 5), "a"))) for words in (1000, 2000))
    assert large < 2.1 * small


def test_every_mention_is_asked_for_all_mentions_before_it() -> None:
    (text,) = read_conllu(one_sentence(60, 7), "a.conllu")
    questions = relation(text, COREFERENCE).questions
    assert [one.word for one in questions] == [*range(7, 60)]
    for one in questions:
        assert list(one.candidates) == [*range(one.word)]
        assert set(one.right) == {word for word in range(one.word) if (word - one.word) % 7 == 0}


ROOT = "4\tknow\tknow\tVERB\t_\t_\t"


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (ROOT + "0", ROOT + "9", "sentence 1 (1): word 4 has the head 9"),
        (ROOT + "0", ROOT + "4", "sentence 1 (1): word 4 has the head 4"),
        (ROOT + "0", ROOT + "x", "sentence 1: Failed parsing field 'head': 'x'"),
        ("4\tknow", "5\tknow", "sentence 1 (1): its words are not numbered 1, 2, 3"),
        ("4\tpunct\t_\t_\n\n", "4\n\n", "sentence 1 (1): word 7 lacks the columns deprel, deps, misc"),
        ("4\tknow", "9" * 5000 + "\tknow", "sentence 1: "),
        ("2-3\tdoesn't", "2-99999999999\tdoesn't", "sentence 1 (1): the words 2-99999999999 are announced"),
        ("Entity=e2)|", "Entity=e7)|", "sentence 1 (1): the entity e7 is closed and not open"),
        ("Entity=e2)|", "", "the entity e2-thing-2- is never closed"),
        ("Entity=e2)|", f"Entity={'(e' * 300}|", "more than 200 entities are open at once"),
    ],
)
def test_a_malformed_word_is_named(old: str, new: str, says: str) -> None:
    assert old in WORDS
    with pytest.raises(InputError, match=re.escape(says)):
        read_conllu(WORDS.replace(old, new, 1), "made-up.conllu")


def test_names_that_touch_are_a_word_each_and_those_that_overlap_are_refused() -> None:
    def read(b: str, at: int) -> tuple[str, ...]:
        row = ["it", "AnnBeth met her.", "her", "12", "Ann", "0", "TRUE", b, str(at), "FALSE", "-"]
        (text,) = read_gap("\n".join([GAP, "\t".join(row)]), "gap.tsv")
        return tuple(word(text, at) for at in range(2))

    assert read("Beth", 3) == ("Ann", "Beth")
    with pytest.raises(InputError, match="line 2 has a pronoun and names that overlap"):
        read("nBeth", 2)


def test_gap_asks_a_pronoun_for_one_of_two_names() -> None:
    (text,) = read_gap(gap_file(1), "gap.tsv")
    assert text.name == "snippet-0"
    (question,) = relation(text, ANTECEDENT).questions
    assert [word(text, one) for one in question.candidates] == ["Ann Lee", "Beth"]
    assert pairs(text, ANTECEDENT) == [("she", "Beth")]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("Beth\t52", "Beth\t13", "line 2 has no 'Beth' at character 13"),
        ("A-offset", "offset", "line 1 names no column A-offset"),
        ("Beth\t52", "Beth\t" + "9" * 5000, "line 2 has no 'Beth' at character 999"),
        ("Ann Lee met", "Ann Lee met" + "x" * 200_000, "line 2 has no 'she' at character 79"),
        ("FALSE", "maybe", "line 2 says neither TRUE nor FALSE in its column A-coref"),
    ],
)
def test_a_malformed_gap_file_is_said(old: str, new: str, says: str) -> None:
    file = gap_file(1)
    assert old in file
    with pytest.raises(InputError, match=says):
        read_gap(file.replace(old, new), "gap.tsv")
