"""The reference texts: fixed, and never the text that is read."""

from attn_core.texts.documents import read_document, samples
from attn_core.texts.reference_texts import FILES, reference_texts


def test_a_text_is_no_reference_text_of_its_own() -> None:
    usual = reference_texts("The tide rose.")
    assert list(usual) == list(FILES[:4])
    for sample in samples():
        text = read_document(sample.text, sample.language).text
        others = reference_texts(text)
        assert len(others) == 4 and text not in {document.text for document in others.values()}
        assert list(others) == [file for file in FILES if file != sample.file][:4]
