from textwrap import fill

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from attn_core.errors import TextError
from attn_core.texts.documents import SAMPLES_FOLDER, decode, read_document, samples
from attn_core.texts.languages import AUTO

GOLD = "\n==========\n"


def sentences(text: str, language: str = AUTO) -> list[str]:
    document = read_document(text, language)
    return [document.sentence(index) for index in range(len(document.sentences))]


@pytest.mark.parametrize("text", ["", " \n\t", "?!... -- ,", "😀 👩‍👩‍👧 🎉", "___", "==========", "\0\0", "\ufeff"])
def test_a_text_without_any_word_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(TextError, match="no word"):
        read_document(text)


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("One.\r\nTwo.\rThree.", "One.\nTwo.\nThree."),
        ("N\0U\0L.", "NUL."),
        ("\ufeffMarked.", "Marked."),
        ("Half a pair \ud83d here.", "Half a pair ? here."),
        ("<script>alert(1)</script> *stays* as it is.", "<script>alert(1)</script> *stays* as it is."),
    ],
)
def test_offsets_count_in_the_cleaned_text(raw: str, clean: str) -> None:
    document = read_document(raw)
    assert document.text == clean
    assert all(document.sentence(index) in clean for index in range(len(document.sentences)))


PROSE = "The tide rose over the sand while the boats lay in the harbour. Nobody had seen it so high before. " * 3
VERSE = "Tell me not, in mournful numbers,\nLife is but an empty dream!\nFor the soul is dead that slumbers."


def test_wrapped_prose_is_shown_without_its_line_ends() -> None:
    wrapped = "\n\n".join([fill(PROSE, 70)] * 2)
    assert read_document(wrapped).shown == "\n\n".join([PROSE.strip()] * 2)
    a_sentence_a_line = PROSE.strip().replace(". ", ".\n")
    for text in (VERSE, a_sentence_a_line, PROSE.strip(), f"{PROSE.strip()}\n{PROSE.strip()}"):
        assert read_document(text).shown == text


@pytest.mark.parametrize(
    ("text", "gold"),
    [
        (f"One. Two.{GOLD}Three.{GOLD}Four. Five.", (2, 3)),
        ("==========\nOne. Two.", None), ("One. Two.\n==========\n", None), ("One.\n=========\nTwo.", None),
        ("One. Two.", None),
        ("One.\n ==========\nTwo.", None), ("One.\n=============== \t\nTwo.", (1,)),
        ("One.\r\n==========\r\nTwo.", (1,)),
    ],
)  # fmt: skip
def test_a_gold_line_stands_alone_between_two_segments(text: str, gold: tuple[int, ...] | None) -> None:
    document = read_document(text)
    assert document.gold == gold
    assert gold is None or "==========" not in document.text


@pytest.mark.parametrize(
    ("segments", "split"),
    [
        (["the first , he said .\nthe second .", "the third .\nMr. X came . he left ."],
         ["the first , he said .", "the second .", "the third .", "Mr. X came . he left ."]),
        (["one utterance\nanother one", "a third"], ["one utterance", "another one", "a third"]),
        (["One rose. Two fell. Three stayed.", "Four left. Five came."],
         ["One rose.", "Two fell.", "Three stayed.", "Four left.", "Five came."]),
        (["This sentence is\nwrapped. So is\nthis one here.", "And a third that\nruns over a line. End\nof it."],
         ["This sentence is\nwrapped.", "So is\nthis one here.", "And a third that\nruns over a line.", "End\nof it."]),
    ],
    ids=["Choi's format", "without punctuation", "paragraphs on lines", "wrapped prose"],
)  # fmt: skip
def test_lines_are_sentences_where_sentences_end_with_them(segments: list[str], split: list[str]) -> None:
    assert sentences(GOLD.join(segments)) == split


TEXTS = st.lists(
    st.sampled_from(
        ["One.", "two", "Mr.", "?", " ", "\n", "\n\n", "\r\n", "\t", "é", "e\u0301", "😀", "。", "==========", "\x85"]
    )
    | st.text(max_size=5)
).map("".join)


@given(TEXTS)
@example("\U00017000 is a letter.")  # one without a name
def test_sentences_are_ordered_disjoint_and_cover_all_that_is_not_blank(text: str) -> None:
    try:
        document = read_document(text)
    except TextError:
        assert not any(character.isalnum() for character in text)
        return
    uncovered, end = [], 0
    for first, last in document.sentences:
        assert end <= first < last <= len(document.text)
        assert document.text[first:last] == document.text[first:last].strip()
        uncovered.append(document.text[end:first])
        end = last
    assert not "".join([*uncovered, document.text[end:]]).strip()
    if document.gold is not None:
        assert list(document.gold) == sorted(set(document.gold))
        assert all(0 < first < len(document.sentences) for first in document.gold)


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        (b"", "", "UTF-8"),
        ("Café 😀".encode(), "Café 😀", "UTF-8"),
        ("Café".encode("utf-8-sig"), "Café", "UTF-8"),
        ("Café 😀".encode("utf-16"), "Café 😀", "UTF-16"),
        (b"\xfe\xff" + "Café".encode("utf-16-be"), "Café", "UTF-16"),
        ("Café – “ja”".encode("cp1252"), "Café – “ja”", "Windows-1252 (assumed: the bytes are not UTF-8)"),
        ("Übung".encode("latin-1"), "Übung", "Windows-1252 (assumed: the bytes are not UTF-8)"),
        (b"\xff\xfea", "ÿþa", "Windows-1252 (assumed: the bytes are not UTF-8)"),  # half a UTF-16 character
    ],
)
def test_the_encoding_is_recognised_and_named(data: bytes, text: str, encoding: str) -> None:
    assert decode(data) == (text, encoding)


@pytest.mark.parametrize(
    "data",
    [
        "no mark".encode("utf-16-le"),
        b"\x1f\x8b\x08\xff\xee\xdd\x9c\x01\x02",  # gzip, before its first NUL
        b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\nstream\n\x01\x02",
    ],
)
def test_a_binary_file_is_refused(data: bytes) -> None:
    with pytest.raises(TextError, match="binary"):
        decode(data)


@given(st.binary(max_size=200))
def test_any_bytes_give_a_text_or_one_sentence(data: bytes) -> None:
    try:
        text, encoding = decode(data)
    except TextError:
        return
    assert isinstance(text, str)
    assert encoding.startswith(("UTF-8", "UTF-16", "Windows-1252"))


def test_every_sample_is_read() -> None:
    listed = samples()
    assert {sample.file for sample in listed} == {path.name for path in SAMPLES_FOLDER.glob("*.txt")}
    for sample in listed:
        document = read_document(sample.text, sample.language)
        assert len(document.sentences) > 5 and sample.title, sample.file
        assert ("==========" in sample.text) == (document.gold is not None)
