"""Segmentation methods over texts with gold boundaries, with and without the number of segments given.

    texts -> sentences, read in each mode -> segmentations -> scores, which `scores.summarise` sums up

A folder is a collection: texts of one kind. Beside the methods stands no cut at all, which every found number must beat.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import pandas as pd

from attn_core.errors import TextError
from attn_core.head import Head
from attn_core.io.paths import shown
from attn_core.models.records import LoadedModel
from attn_core.segmentation.head_choice import HeadChoice
from attn_core.segmentation.methods import METHODS, Method
from attn_core.segmentation.scores import score
from attn_core.segmentation.segments import segment
from attn_core.segmentation.sentences import Mode, SentenceOutputs, encode_sentences
from attn_core.texts.documents import Document, decode, read_document, read_file
from attn_core.texts.languages import AUTO

NO_CUT = "no_cut"  # the row of no cut at all, which is no method: it cannot be given a number


def score_collections(
    paths: Sequence[Path],
    model: LoadedModel,
    methods: Sequence[Method] = METHODS,
    paragraphs: bool = True,
    language: str = AUTO,
    progress: Callable[[int, int], None] | None = None,
) -> pd.DataFrame:
    """One row a text, method and way to number: collection, text, group, and the columns of `score_text`.

    collection: the name of the folder, or of the file where that is given; group: what the text's own name says before the first
    underscore (Choi's files: the range of segment lengths). paragraphs: as of `segment`. `progress` is called with (texts done,
    texts in all). Raises TextError where a path has no text with gold boundaries.
    """
    texts = [(name, *text) for name, path in _names(paths).items() for text in gold_texts(path, language).items()]
    rows = []
    for done, (collection, name, document) in enumerate(texts, start=1):
        group = name.partition("_")[0] if "_" in name else ""
        about = {"collection": collection, "text": name, "group": group}
        rows += [about | row for row in score_text(document, model, methods, paragraphs)]
        if progress:
            progress(done, len(texts))
    return pd.DataFrame(rows)


def gold_texts(path: Path, language: str = AUTO) -> dict[str, Document]:
    """File name -> document, of the .txt files of a folder, or of one file. Raises TextError where none has gold boundaries."""
    texts = {file.name: _read(file, language) for file in (sorted(path.glob("*.txt")) if path.is_dir() else [path])}
    texts = {name: document for name, document in texts.items() if document.gold}
    if not texts:
        where = f"{shown(path)} has no .txt file with" if path.is_dir() else f"{shown(path)} has no"
        raise TextError(f"{where} gold boundaries: put lines of ========== between segments.")
    return texts


def gold_in(contents: Mapping[str, bytes]) -> dict[str, Document]:
    """The same of files that are told by name. Raises TextError where none has gold boundaries, and for what is no text."""
    texts = {}
    for name, data in contents.items():
        try:
            texts[name] = read_document(decode(data)[0])
        except TextError as error:
            raise TextError(f"{shown(name)}: {error}") from None
    texts = {name: document for name, document in texts.items() if document.gold}
    if not texts:
        raise TextError("None of these files has gold boundaries: lines of ========== between segments.")
    return texts


def _read(path: Path, language: str) -> Document:
    try:
        return read_document(read_file(path)[0], language)
    except TextError as error:
        raise TextError(f"{shown(path)}: {error}") from None


def _names(paths: Sequence[Path]) -> dict[str, Path]:
    """A name for each path: its own, or all of it where two have the same."""
    names = [path.name for path in paths]
    return {path.name if names.count(path.name) == 1 else str(path): path for path in paths}


def score_text(
    document: Document, model: LoadedModel, methods: Sequence[Method], paragraphs: bool = True
) -> list[dict[str, Any]]:
    """The rows of `score_methods`, and one of no cut at all, for a document that is read here; seconds include the reading."""
    read: dict[Mode, SentenceOutputs] = {}
    seconds: dict[Mode, float] = {}
    for mode in dict.fromkeys(method.mode or "alone" for method in methods):
        start = perf_counter()
        read[mode] = encode_sentences(model, document, mode)
        seconds[mode] = perf_counter() - start
    reading = {method.name: seconds[method.mode] for method in methods if method.mode}
    rows = score_methods(document, methods, read, paragraphs=paragraphs)
    for row in rows:
        row["seconds"] += reading.get(row["method"], 0.0)
    return [*rows, _row(document, NO_CUT, False, "", (), 0.0)]


def score_methods(
    document: Document,
    methods: Sequence[Method],
    read: Mapping[Mode, SentenceOutputs],
    heads: HeadChoice | Sequence[Head] | None = None,
    paragraphs: bool = True,
) -> list[dict[str, Any]]:
    """Every method on a document with gold boundaries, with the number of segments given and found, a row each.

    Columns method, number_given, boundaries_at, sentences, gold_segments, segments, pk, windowdiff, f1, window, seconds (of the
    cut). read: the sentences as read, by mode; a method that asks no model takes those read alone. heads, paragraphs: as of
    `segment`.
    """
    assert document.gold is not None
    rows = []
    for method in methods:
        for number in (len(document.gold) + 1, None):
            start = perf_counter()
            found = segment(method, read[method.mode or "alone"], heads, number, paragraphs)
            seconds = perf_counter() - start
            given = number is not None
            rows.append(_row(document, method.name, given, found.boundaries_at, found.boundaries, seconds))
    return rows


def _row(
    document: Document, method: str, given: bool, boundaries_at: str, boundaries: tuple[int, ...], seconds: float
) -> dict[str, Any]:
    """The scores of some boundaries in a document with gold ones."""
    assert document.gold is not None
    scores = score(document.gold, boundaries, len(document.sentences))
    return {
        "method": method,
        "number_given": given,
        "boundaries_at": boundaries_at,
        "sentences": len(document.sentences),
        "gold_segments": len(document.gold) + 1,
        "segments": len(boundaries) + 1,
        "pk": scores.pk,
        "windowdiff": scores.windowdiff,
        "f1": scores.f1,
        "window": scores.window,
        "seconds": seconds,
    }
