"""Twenty excerpts of English prose, each of another kind, that are unrelated to the text that is read.

They were written for this project and have about 128 word pieces each. A token of the text and a token of an excerpt
that are as similar as a strong pair are noise (`similarity.noise_counts`). The mean output of a head is its mean over
them.
"""

import json
from functools import cache
from pathlib import Path

from attn_core.texts.documents import Document, read_document

_FILE = Path(__file__).with_suffix(".jsonl")


def reference_texts(document_text: str = "") -> dict[str, Document]:
    """The reference texts other than the text itself, by name. document_text: `Document.text`."""
    return {name: document for name, document in _documents().items() if document.text != document_text}


def joined_references(document_text: str = "") -> Document:
    """The reference texts other than the text itself as the paragraphs of one text, where a longer one is needed."""
    return read_document("\n\n".join(text.text for text in reference_texts(document_text).values()), "en")


@cache
def _documents() -> dict[str, Document]:
    rows = map(json.loads, _FILE.read_text(encoding="utf-8").splitlines())
    return {row["name"]: read_document(row["text"], "en") for row in rows}


REFERENCES = tuple(_documents())
