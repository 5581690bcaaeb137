"""The language of a text, and texts that do not show theirs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_core.errors import TextError
from attn_core.texts.documents import read_document, samples
from attn_core.texts.languages import NAMES, UNKNOWN, is_little, language_of, stop_words, without_elision

SENTENCES = {
    "de": "Die Katze sitzt auf dem Tisch und will nicht herunter.",
    "fr": "Le chat est sur la table et il ne veut pas descendre.",
    "es": "El gato está en la mesa y no quiere bajar de ella.",
    "it": "Il gatto è sul tavolo e non vuole scendere.",
    "ru": "Кот сидит на столе.",
    "ar": "القط على الطاولة",
    "ja": "猫はテーブルの上にいます。",
    "el": "Το πλοίο άργησε.",
    "ko": "고양이가 탁자 위에 앉아 있다.",
    "en": "No, Mr. Smith, no tea.",
}


@pytest.mark.parametrize("code", SENTENCES)
def test_a_sentence_tells_its_language(code: str) -> None:
    assert language_of(SENTENCES[code]) == code


def test_the_sample_texts_are_known_and_what_gives_no_sign_is_unknown_and_split_like_english() -> None:
    assert [language_of(sample.text) for sample in samples()] == [sample.language for sample in samples()]
    assert language_of("") == language_of("12, 13!") == language_of("Xyzzy plugh.") == UNKNOWN
    text = "Xyzzy no. 7. Mr. Plugh qwrt. Bvnm."
    assert read_document(text).sentences == read_document(text, "en").sentences
    assert stop_words(UNKNOWN) == stop_words("en")


@pytest.mark.parametrize(
    ("language", "words", "little"),
    [
        ("en", ["the", "Don't", "i’m", "it's", "let's", "can't", "who'd"], True),
        ("en", ["tide", "John's", "o'clock", "n't-shirt"], False),
        ("fr", ["On", "était"], True), ("fr", ["eau", "aujourd'hui"], False), ("de", ["geht", "Haus"], False),
    ],
)  # fmt: skip
def test_a_contraction_of_a_stop_word_is_one(language: str, words: list[str], little: bool) -> None:
    assert [is_little(word, language) for word in words] == [little] * len(words)


@pytest.mark.parametrize(
    ("language", "word", "rest"),
    [
        ("fr", "L'eau", "eau"), ("fr", "qu’il", "il"), ("fr", "aujourd'hui", "aujourd'hui"), ("fr", "eau", "eau"),
        ("it", "dell'acqua", "acqua"), ("ca", "l'aigua", "aigua"), ("en", "d'Artagnan", "d'Artagnan"),
    ],
)  # fmt: skip
def test_an_elided_word_is_cut_off(language: str, word: str, rest: str) -> None:
    assert without_elision(word, language) == rest


@given(st.text())
def test_every_text_has_a_language_with_a_name_or_is_unknown(text: str) -> None:
    assert language_of(text) in {*NAMES, UNKNOWN}


def test_a_text_is_split_by_its_own_language_when_asked() -> None:
    text = "Das ist z. B. der Fall und nicht mehr. Sie kam am 3. Mai mit dem Zug nach Wien."
    assert read_document(text, "auto") == read_document(text, "de")
    assert read_document(text, "auto") != read_document(text, "en")


@pytest.mark.parametrize("code", ["", "klingon", "\udcff", "x" * 10_000, "EN"])
def test_what_is_no_language_code_is_said(code: str) -> None:
    with pytest.raises(TextError, match="is no language code: give one such as en or de, or auto") as refused:
        read_document("A text.", code)
    assert len(str(refused.value)) < 150
