"""Texts of a study, read again from its corpus: a study keeps what it counted, and the texts stay where they are."""

from collections.abc import Collection, Mapping
from typing import Any

from attn_core.errors import InputError
from attn_core.io.paths import shown
from attn_core.study.corpus import Corpus
from attn_core.study.plan import pieces_of


def texts_again(manifest: Mapping[str, Any], numbers: Collection[int]) -> dict[int, tuple[str, tuple[str, ...]]]:
    """Name and parts of some texts, counted from 0, as the study read them.

    Raises InputError where the corpus is not there any more or has changed, and for a text that could not be read.
    """
    corpus, texts = corpus_of(manifest), {}
    if corpus.fingerprint() != manifest["corpus"]["fingerprint"]:
        raise InputError(f"The texts in {shown(corpus.source)} have changed since the study was made: run it anew.")
    for text in corpus.texts():
        if text.number in numbers:
            if text.text is None:
                raise InputError(f"{shown(text.name)} could not be read: choose another text of the study.")
            pieces = pieces_of(text, manifest["settings"]["shard_characters"])
            texts[text.number] = text.name, tuple(piece.text or "" for piece in pieces)
        if len(texts) == len(numbers):
            return texts
    raise InputError(f"The study has no text {max(numbers) + 1}.")


def corpus_of(manifest: Mapping[str, Any]) -> Corpus:
    """The texts of a study, where they lay when it was made."""
    about = manifest["corpus"]
    return Corpus(about["source"], about["column"], about["documents"], about["limit"], about.get("groups"))
