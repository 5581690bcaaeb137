"""Segmentation methods over texts with gold boundaries, with and without the number of segments given.

A folder is a collection: texts of one kind. Beside the methods stands no cut at all, which every found number must beat.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from attn_core.errors import TextError
from attn_core.io.paths import shown
from attn_core.models.records import LoadedModel
from attn_core.segmentation.head_choice import HeadChoice
from attn_core.segmentation.methods import METHODS, Method
from attn_core.segmentation.scores import MEASURES, score
from attn_core.segmentation.segments import segment
from attn_core.segmentation.sentences import SentenceOutputs
from attn_core.texts.documents import Document, read_document, read_file
from attn_core.texts.languages import AUTO

NO_CUT = "no_cut"  # the row of no cut at all, which is no method: it cannot be given a number


def score_collections(
    paths: Sequence[Path],
    model: LoadedModel,
    methods: Sequence[Method] = METHODS,
    language: str = AUTO,
    progress: Callable[[int, int], None] = lambda _done, _of: None,
) -> pd.DataFrame:
    """One row a text, method and way to number: collection, text, and the columns of `score_methods`.

    collection: the name of the folder, or of the file where that is given. `progress` is called
    with (texts done, texts in all). Raises TextError where a path has no text with gold boundaries.
    """
    texts = [(name, *text) for name, path in _names(paths).items() for text in gold_texts(path, language).items()]
    rows = []
    for done, (collection, name, document) in enumerate(texts, start=1):
        scored = score_methods(SentenceOutputs(model, document), methods)
        rows += [{"collection": collection, "text": name} | row for row in scored]
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


def score_methods(
    outputs: SentenceOutputs, methods: Sequence[Method] = METHODS, heads: HeadChoice | None = None
) -> list[dict[str, Any]]:
    """A row for every method on a document with gold boundaries, the number of segments given and found, and for no cut at all.

    Columns method, number_given, boundaries_at, sentences, gold_segments, segments, pk, windowdiff, f1. heads: as of `segment`.
    """
    gold = outputs.document.gold
    assert gold is not None
    found = [
        (method.name, given, segment(method, outputs, heads, len(gold) + 1 if given else None))
        for method in methods
        for given in (True, False)
    ]
    cuts = [(name, given, one.boundaries_at, one.boundaries) for name, given, one in found]
    return [
        {
            "method": name, "number_given": given, "boundaries_at": boundaries_at, "sentences": len(outputs),
            "gold_segments": len(gold) + 1, "segments": len(boundaries) + 1,
        }
        | dict(zip(MEASURES, score(gold, boundaries, len(outputs)), strict=True))
        for name, given, boundaries_at, boundaries in [*cuts, (NO_CUT, False, "", ())]
    ]  # fmt: skip


def _read(path: Path, language: str) -> Document:
    try:
        return read_document(read_file(path)[0], language)
    except TextError as error:
        raise TextError(f"{shown(path)}: {error}") from None


def _names(paths: Sequence[Path]) -> dict[str, Path]:
    """A name for each path: its own, or all of it where two have the same."""
    names = [path.name for path in paths]
    return {path.name if names.count(path.name) == 1 else str(path): path for path in paths}
