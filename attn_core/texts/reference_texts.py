"""The reference texts: fixed texts that have nothing to do with the one that is read.

What a head makes alike across them and the text is noise (`similarity.noise`), and a head's mean output is taken over them.
"""

from functools import cache

from attn_core.texts.documents import Document, read_document, samples

FILES = ("long_story.txt", "three_topics.txt", "dialogue.txt", "six_topics.txt", "field_guide_sections.txt")
NUMBER = 4  # of them; a text that is one of the first four gets the fifth in its place


def reference_texts(document_text: str = "") -> dict[str, Document]:
    """The first four of `FILES` that are not the text itself, by file name; document_text: `Document.text`."""
    others = [(file, document) for file, document in _documents() if document.text != document_text]
    return dict(others[:NUMBER])


def is_reference(document_text: str) -> bool:
    """Whether a text may stand beside others as a reference text."""
    return any(document.text == document_text for _, document in _documents())


@cache
def _documents() -> tuple[tuple[str, Document], ...]:
    by_file = {sample.file: sample for sample in samples()}
    return tuple((file, read_document(by_file[file].text, by_file[file].language)) for file in FILES)
