"""A text of a study, read again from its corpus: a study keeps what it counted, and the texts stay where they are."""

from collections.abc import Mapping
from typing import Any

from attn_core.errors import InputError
from attn_core.paths import shown
from attn_core.study.corpus import Corpus
from attn_core.study.plan import pieces_of


def text_again(manifest: Mapping[str, Any], number: int) -> tuple[str, tuple[str, ...]]:
    """The name of a text (counted from 0) and its parts as the study read them.

    Raises InputError where the corpus is not there any more or has changed, and for a text that could not be read.
    """
    about = manifest["corpus"]
    corpus = Corpus(about["source"], about["column"], about["documents"], about["limit"])
    if corpus.fingerprint() != about["fingerprint"]:
        raise InputError(f"The texts in {shown(corpus.source)} have changed since the study was made: run it anew.")
    for text in corpus.texts():
        if text.number == number and text.text is None:
            raise InputError(f"{shown(text.name)} could not be read: choose another text of the study.")
        if text.number == number:
            return text.name, tuple(
                piece.text or "" for piece in pieces_of(text, manifest["settings"]["shard_characters"])
            )
    raise InputError(f"The study has no text {number + 1}.")
