"""The language of a text, and texts that do not show theirs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_core.errors import TextError
from attn_core.texts.documents import read_document, samples
from attn_core.texts.languages import NAMES, UNKNOWN, language_of, little_words

SENTENCES = {
    "de": "Die Katze sitzt auf dem Tisch und will nicht herunter.",
    "fr": "Le chat est sur la table et il ne veut pas descendre.",
    "es": "El gato está en la mesa y no quiere bajar de ella.",
    "it": "Il gatto è sul tavolo e non vuole scendere.",
    "nl": "De kat zit op de tafel en wil er niet van af.",
    "pt": "O gato está na mesa e não quer descer.",
    "pl": "Kot jest na stole i nie chce zejść.",
    "ru": "Кот сидит на столе.",
    "ar": "القط على الطاولة",
    "he": "החתול על השולחן",
    "hi": "बिल्ली मेज पर है",
    "ja": "猫はテーブルの上にいます。",
    "zh": "磨坊有三个水车。水车转动石磨。磨坊主卖面粉。",
    "el": "Το πλοίο άργησε.",
    "hy": "Նավը ուշացավ։",
    "am": "ጀልባው ዘገየ። ማን ነበር? ማንም አያውቅም።",
    "my": "လှေနောက်ကျသည်။",
    "th": "แมวนั่งอยู่บนโต๊ะ",
    "ko": "고양이가 탁자 위에 앉아 있다.",
    "sv": "Katten sitter på bordet och vill inte gå ner.",
    "tr": "Kedi masanın üstünde oturuyor ve inmek istemiyor.",
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
    assert little_words(UNKNOWN) == little_words("en")


@given(st.text())
def test_every_text_has_a_language_with_a_name_or_is_unknown(text: str) -> None:
    assert language_of(text) in {*NAMES, UNKNOWN}


def test_letters_without_a_name_say_nothing_of_the_language() -> None:
    assert language_of("\U00017000 is a letter and not a word.") == "en"
    assert language_of("\U00017000\U00017001\U00017002 ist ein Wort.") == "de"


def test_a_text_is_split_by_its_own_language_when_asked() -> None:
    text = "Das ist z. B. der Fall und nicht mehr. Sie kam am 3. Mai mit dem Zug nach Wien."
    assert read_document(text, "auto") == read_document(text, "de")
    assert read_document(text, "auto") != read_document(text, "en")


@pytest.mark.parametrize("code", ["", "klingon", "\udcff", "x" * 10_000, "EN"])
def test_what_is_no_language_code_is_said(code: str) -> None:
    with pytest.raises(TextError, match="is no language code: give one such as en or de, or auto") as refused:
        read_document("A text.", code)
    assert len(str(refused.value)) < 150
