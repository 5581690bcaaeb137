"""The reference texts: fixed texts that are unrelated to the text that is read.

Pairs that a head makes similar across them and the text are noise (`similarity.noise`). They also give a head's mean
output.
"""

from functools import cache

from attn_core.texts.documents import Document, read_document, samples

FILES = ("long_story.txt", "three_topics.txt", "dialogue.txt", "six_topics.txt", "field_guide_sections.txt")
NUMBER = 4  # texts that are used; where the text itself is one of the first four, the fifth replaces it


def reference_texts(document_text: str = "") -> dict[str, Document]:
    """The first four of `FILES` that are not the text itself, by file name; document_text: `Document.text`."""
    others = [(file, document) for file, document in _documents() if document.text != document_text]
    return dict(others[:NUMBER])


def is_reference(document_text: str) -> bool:
    """Whether a text is one of them."""
    return any(document.text == document_text for _, document in _documents())


@cache
def _documents() -> tuple[tuple[str, Document], ...]:
    by_file = {sample.file: sample for sample in samples()}
    return tuple((file, read_document(by_file[file].text, by_file[file].language)) for file in FILES)
