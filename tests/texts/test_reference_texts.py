"""The excerpts that noise is counted against."""

from attn_core.texts.documents import read_document, samples
from attn_core.texts.reference_texts import REFERENCES, joined_references, reference_texts


def test_there_are_twenty_of_like_length_and_none_is_a_sample() -> None:
    texts = reference_texts()
    assert len(texts) == 20 and tuple(texts) == REFERENCES
    assert all(80 < len(document.text.split()) < 130 for document in texts.values())
    assert {document.text for document in texts.values()}.isdisjoint(sample.text for sample in samples())


def test_a_text_that_is_one_of_them_is_left_out() -> None:
    own = reference_texts()["diary"].text
    assert [*reference_texts(own)] == [name for name in REFERENCES if name != "diary"]
    assert own not in joined_references(own).text and own in joined_references().text
    assert joined_references().text == read_document(joined_references().text).text
