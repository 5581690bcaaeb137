"""Every segmentation method over folders of texts with gold boundaries, with and without the number of segments given.

    texts -> sentences, read in each mode -> segmentations -> scores, which `scores.summarise` sums up

A folder is a collection: texts of one kind. The heads are chosen without gold (see `segmentation.head_choice`): from each
text by itself, or from the calibration text. Beside the methods stands no cut at all, which every found number must beat.
"""

import multiprocessing
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import pandas as pd

from attn_core.errors import TextError
from attn_core.io.paths import shown
from attn_core.models.files import ModelSpec
from attn_core.models.loading import load
from attn_core.models.records import LoadedModel
from attn_core.numerics.threads import use_threads
from attn_core.segmentation import (
    METHODS,
    HeadChoice,
    Method,
    Mode,
    SentenceOutputs,
    by_name,
    encode_sentences,
    score,
    segment,
    usual_heads,
)
from attn_core.texts.documents import Document, decode, read_document, read_file

NO_CUT = "no_cut"  # the row of no cut at all, which is no method: it cannot be given a number


@dataclass(frozen=True)
class GoldText:
    """A text with gold boundaries. collection: its folder's name; group: what its own name says before the first
    underscore (Choi's files: the range of segment lengths), empty where it has none."""

    collection: str
    name: str
    document: Document

    @property
    def group(self) -> str:
        before, underscore, _ = self.name.partition("_")
        return before if underscore else ""


def run(
    folders: Sequence[Path],
    model: LoadedModel,
    methods: tuple[Method, ...] = METHODS,
    progress: Callable[[int, int], None] | None = None,
    workers: int = 1,
    paragraphs: bool = True,
) -> pd.DataFrame:
    """One row a text, method and way to number: collection, text, group, and the columns of `score_methods`; and a row a text
    for no cut at all.

    The heads are those that the dashboard takes, see `usual_heads`. `progress` is called with (texts done, texts in all).
    workers: processes; each loads the model for itself. paragraphs: as of `segment`. Raises TextError where a folder has no text
    with gold lines.
    """
    texts = [GoldText(name, *text) for name, folder in _names(folders).items() for text in gold_texts(folder).items()]
    scored: dict[int, list[dict[str, Any]]] = {}
    for position, rows in _scored(texts, model, methods, workers, paragraphs):
        scored[position] = rows
        if progress:
            progress(len(scored), len(texts))
    return pd.DataFrame(
        {"collection": text.collection, "text": text.name, "group": text.group} | row
        for position, text in enumerate(texts)
        for row in scored[position]
    )


def gold_texts(folder: Path) -> dict[str, Document]:
    """File name -> document, of the .txt files with gold boundaries. Raises TextError where there is none."""
    texts = {path.name: _gold_text(path) for path in sorted(folder.glob("*.txt"))}
    texts = {name: document for name, document in texts.items() if document.gold}
    if not texts:
        raise TextError(f"{folder} has no .txt file with gold boundaries: lines of ========== between segments.")
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


def _gold_text(path: Path) -> Document:
    try:
        return read_document(read_file(path)[0])
    except TextError as error:
        raise TextError(f"{shown(path)}: {error}") from None


def _names(folders: Sequence[Path]) -> dict[str, Path]:
    """A name for each folder: its own, or its path where two have the same."""
    names = [folder.name for folder in folders]
    return {
        name if names.count(name) == 1 else str(folder): folder for name, folder in zip(names, folders, strict=True)
    }


def _scored(
    texts: Sequence[GoldText], model: LoadedModel, methods: tuple[Method, ...], workers: int, paragraphs: bool
) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    """(position of a text, its rows), in the order in which they are done."""
    if workers == 1:
        for position, text in enumerate(texts):
            yield position, scores_of(text.document, model, methods, paragraphs)
        return
    names = tuple(method.name for method in methods)
    with ExitStack() as stack:
        # Spawned, not forked: a forked torch may hang on locks that its parent's threads held.
        context = multiprocessing.get_context("spawn")
        pool = stack.enter_context(ProcessPoolExecutor(workers, context, _start_worker, (model.spec, workers)))
        stack.callback(pool.shutdown, wait=False, cancel_futures=True)
        asked = {pool.submit(_rows_by_name, text.document, names, paragraphs): at for at, text in enumerate(texts)}
        for done in as_completed(asked):
            yield asked[done], done.result()


_models: list[LoadedModel] = []  # the one of a worker's process


def _start_worker(spec: ModelSpec, workers: int) -> None:
    use_threads(max(1, (os.cpu_count() or 1) // workers))
    _models.append(load(spec))


def _rows_by_name(document: Document, names: tuple[str, ...], paragraphs: bool) -> list[dict[str, Any]]:
    """What a worker is asked for: methods hold functions and travel by their names."""
    return scores_of(document, _models[0], tuple(by_name(name) for name in names), paragraphs)


def scores_of(
    document: Document, model: LoadedModel, methods: tuple[Method, ...], paragraphs: bool = True
) -> list[dict[str, Any]]:
    """A document with gold boundaries, read and cut by every method: the rows of `score_methods`, and that of no cut at all."""
    modes: list[Mode] = list(dict.fromkeys(method.mode or "alone" for method in methods))
    asked = {method.mode for method in methods if method.uses_heads}
    read, heads, seconds = {}, {}, {}
    for mode in modes:
        start = perf_counter()
        read[mode] = encode_sentences(model, document, mode)
        if mode in asked:
            heads[mode] = usual_heads(model, read[mode])
        seconds[mode] = perf_counter() - start
    rows = score_methods(document, methods, read, heads, paragraphs)
    reading = {method.name: seconds[method.mode] for method in methods if method.mode}
    for row in rows:
        row["seconds"] += reading.get(row["method"], 0.0)
    return [*rows, _row(document, NO_CUT, False, "", (), 0.0)]


def score_methods(
    document: Document,
    methods: Sequence[Method],
    read: Mapping[Mode, SentenceOutputs],
    heads: Mapping[Mode, HeadChoice],
    paragraphs: bool = True,
) -> list[dict[str, Any]]:
    """Every method on a document with gold boundaries, with the number of segments given and found, a row each.

    Columns method, number_given, boundaries_at, sentences, gold_segments, segments, pk, windowdiff, f1, window, seconds (of the
    cut).

    read, heads: the sentences as read, and the heads to use, by mode; a method that asks no model takes those read alone.
    paragraphs: as of `segment`.
    """
    assert document.gold is not None
    rows = []
    for method in methods:
        mode = method.mode or "alone"
        for given in (True, False):
            number = len(document.gold) + 1 if given else None
            start = perf_counter()
            segmentation = segment(
                method, read[mode], heads.get(mode) if method.uses_heads else None, number, None, paragraphs
            )
            seconds = perf_counter() - start
            rows.append(
                _row(document, method.name, given, segmentation.boundaries_at, segmentation.boundaries, seconds)
            )
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
