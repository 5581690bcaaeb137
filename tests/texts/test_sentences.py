"""Where sentences end: the marks of each language, and what looks like an end or like none."""

import pytest

from attn_core.texts.sentences import prose_spans


def sentences(text: str, language: str = "en") -> list[str]:
    return [text[start:end] for start, end in prose_spans(text, language)]


@pytest.mark.parametrize(
    ("language", "split"),
    [
        ("en", ["It began in 1990.", "He was 40.", "She was 5."]),
        ("de", ["Am 3. März kam er.", "Im 19. Jahrhundert war das neu.", "Er war 4.", "Dann kam der 2. Weltkrieg."]),
        ("en", ["It is shown in Fig. 3.", "It turns.", "See p. 12.", "He lived at no. 7.", "She left."]),
        ("de", ["Siehe Abb. 3.", "Es dreht sich.", "Er wohnte in Nr. 7.", "Sie ging fort."]),
        ("en", ["A sentence that\nruns on.", "And one more.", "x" * 5000 + " end."]),
        ("de", ["Das kostet z.B. zehn Euro.", "Gut."]),
        ("ar", ["كيف حالك؟", "بخير."]),
        ("ja", ["今日は晴れ。", "明日は雨。"]),
        ("en", ["(1) The tide rose.", "The boats rose.", "(2) A man came.", "He went (1).", "He left."]),
        ("el", ["Το πλοίο άργησε.", "Ποιος ήταν μέσα;", "Ποιος ήταν μέσα\u037e", "Κανείς δεν ξέρει."]),
        ("my", ["လှေနောက်ကျသည်။", "ဘယ်သူရှိသလဲ။"]),
    ],
)
def test_sentences_end_at_the_marks_of_their_language(language: str, split: list[str]) -> None:
    assert sentences(" ".join(split), language) == split


@pytest.mark.parametrize(
    ("language", "split"),
    [
        ("en", ["It holds approx. five men.", "It weighs 5 kg. and more.", "Viz. the mill, e.g. the tide."]),
        ("en", ["He came in 1990. and left.", "It was 1991."]), ("en", ["See fig. 3. and table 2.", "Not this."]),
        ("en", ["He left (alone!). and came.", "It rose (1990). and fell.", "It rose [1]. and fell."]),
        ("fr", ["Il vint env. cinq fois.", "Voir p. 3. et puis."]), ("de", ["Das sind ca. fünf.", "Gut."]),
        ("en", ["i went home.", "it was late.", "oh!", "then i slept."]),
    ],
)  # fmt: skip
def test_a_small_letter_begins_no_sentence_after_an_abbreviation_a_bracket_or_a_year(
    language: str, split: list[str]
) -> None:
    assert sentences(" ".join(split), language) == split
    assert sentences(split[0].replace(". ", ".\n"), language) == [split[0].replace(". ", ".\n")]


def test_a_blank_line_ends_a_sentence_in_any_case() -> None:
    assert sentences("In 1990.\n\nthe tide rose.") == ["In 1990.", "the tide rose."]


@pytest.mark.parametrize(
    ("language", "lines"),
    [
        ("en", ["He said no.", "3 men came."]), ("en", ["He said no.", "3.", "The tide rose."]),
        ("en", ["It was art.", "12 men came."]), ("en", ["It was for me.", "I had none."]),
        ("de", ["Er ging nach Haus.", "3 Männer kamen."]), ("es", ["Dijo que no.", "Luego vino."]),
        ("it", ["Disse di no.", "Poi venne."]),
        ("en", ["See Fig.\n3 and p.\n7."]), ("en", ["He came on Oct.\n12."]), ("de", ["Er wohnt in Nr.\n7."]),
    ],
)  # fmt: skip
def test_a_word_at_the_end_of_a_line_is_no_mark_of_a_number(language: str, lines: list[str]) -> None:
    assert sentences("\n".join(lines), language) == lines


@pytest.mark.parametrize("opened", ['"', "'", "`", "“"])
def test_a_mark_that_is_closed_pages_later_does_not_make_one_sentence_of_them(opened: str) -> None:
    said = "The sun rose over the hill and the boats went out again. " * 20
    text = f"{opened}{said}It was late.{'”' if opened == '“' else opened} They slept."
    spans = sentences(text)
    assert len(spans) == 22 and spans[-1].endswith("They slept.")
