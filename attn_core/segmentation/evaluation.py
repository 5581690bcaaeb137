"""Scores of a segmentation against gold boundaries: Pk and WindowDiff (both from nltk), and boundary F1.

Pk (Beeferman, Berger & Lafferty 1999) and WindowDiff (Pevzner & Hearst 2002) slide a window over the N - 1 places
between N sentences and count the positions where two segmentations disagree on whether (Pk) or how many (WindowDiff)
boundaries lie in it. 0 is best; even or random cuts score about 0.45. The window is half the mean gold segment length,
rounded, and at least 2 places (our choice: with 1, WindowDiff would count only hits). F1 counts only boundaries at
exactly the gold place.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from nltk.metrics.segmentation import pk, windowdiff

from attn_core.errors import TextError
from attn_core.io.exports import markdown
from attn_core.io.paths import found_files, other_kinds, printable
from attn_core.models.records import LoadedModel
from attn_core.segmentation.methods import METHODS
from attn_core.segmentation.segments import segment
from attn_core.segmentation.sentences import SentenceOutputs
from attn_core.texts.documents import Document, read_document, read_file
from attn_core.texts.languages import AUTO

KINDS = (".txt", ".md")  # of files with a text each
NO_CUT = "no_cut"  # the row of the whole text as one segment, a baseline
NOTE = (
    "Pk and WindowDiff: nltk's, window = half the mean gold segment length of a text, at least 2 sentences; boundary "
    "F1 at the exact place. Means over texts, each text counting once; segments: mean number cut, and of gold."
)


class Scores(NamedTuple):
    """Pk and WindowDiff (lower is better) and boundary F1 (higher is better)."""

    pk: float
    windowdiff: float
    f1: float


def score(gold: tuple[int, ...], predicted: tuple[int, ...], sentences: int) -> Scores:
    """The scores of predicted boundaries (first sentences of all segments but the first) in a text of `sentences`."""
    window = window_size(gold, sentences)
    f1 = boundary_f1(gold, predicted)
    if sentences <= window:  # too short for one window to fit: right or wrong as a whole
        wrong = float(set(gold) != set(predicted))
        return Scores(wrong, wrong, f1)
    places = _as_string(gold, sentences), _as_string(predicted, sentences)
    return Scores(float(pk(*places, k=window)), float(windowdiff(*places, k=window)), f1)


def window_size(gold: tuple[int, ...], sentences: int) -> int:
    """The window of Pk and WindowDiff: half the mean gold segment length in sentences, rounded, at least 2."""
    return max(2, round(sentences / (len(gold) + 1) / 2))


def boundary_f1(gold: tuple[int, ...], predicted: tuple[int, ...]) -> float:
    """The F1 of predicted boundaries, 2 x hits / (gold + predicted); 1 if there are none in either."""
    total = len(gold) + len(predicted)
    return 2 * len(set(gold) & set(predicted)) / total if total else 1.0


def _as_string(boundaries: tuple[int, ...], sentences: int) -> str:
    """The places between sentences in nltk's format, one fewer than sentences: 1 for a boundary, else 0."""
    return "".join("1" if first in boundaries else "0" for first in range(1, sentences))


def score_methods(outputs: SentenceOutputs, methods: Sequence[str] = tuple(METHODS)) -> list[dict[str, Any]]:
    """The scores of a document with gold boundaries, two rows per method: number of segments given, and found.

    A last row scores no cut. Columns: method, number_given, sentences, gold_segments, segments, and the scores.
    """
    gold = outputs.document.gold
    assert gold is not None
    cuts = [
        (method, given, segment(method, outputs, len(gold) + 1 if given else None))
        for method in methods
        for given in (True, False)
    ]
    return [
        {
            "method": name, "number_given": given, "sentences": len(outputs), "gold_segments": len(gold) + 1,
            "segments": len(boundaries) + 1, **score(gold, boundaries, len(outputs))._asdict(),
        }
        for name, given, boundaries in [*cuts, (NO_CUT, False, ())]
    ]  # fmt: skip


def score_collections(
    paths: Sequence[Path],
    model: LoadedModel,
    methods: Sequence[str] = tuple(METHODS),
    language: str = AUTO,
    progress: Callable[[int, int], None] = lambda _done, _of: None,
    say: Callable[[str], None] = lambda _said: None,
) -> pd.DataFrame:
    """The rows of `score_methods` for all gold texts at the paths, after the columns collection, text and encoding.

    collection: the name of the folder or file. Raises TextError for a path without gold boundaries.

    Parameters
    ----------
    paths: files and folders of texts with lines of ========== between segments.
    model, methods: what cuts them, by names of `METHODS`.
    language: of the texts, or "auto".
    progress: called with (texts done, texts in all).
    say: called with a sentence for each text that is left out.
    """
    names = [path.name for path in paths]
    named = {path.name if names.count(path.name) == 1 else str(path): path for path in paths}  # the whole path of two
    texts = [(name, *text) for name, path in named.items() for text in gold_texts(path, language, say).items()]
    rows = []
    for done, (collection, name, (document, encoding)) in enumerate(texts, start=1):
        scored = score_methods(SentenceOutputs(model, document), methods)
        rows += [{"collection": collection, "text": name, "encoding": encoding} | row for row in scored]
        progress(done, len(texts))
    return pd.DataFrame(rows)


def gold_texts(
    path: Path, language: str = AUTO, say: Callable[[str], None] = lambda _said: None
) -> dict[str, tuple[Document, str]]:
    """The documents with gold boundaries and their encodings, by name: of one file, or of all that a study would read
    as plain text in a folder.

    say: called with a sentence for each text of a folder that is left out, and for its files of other kinds. Raises
    TextError if none is left.
    """
    texts, files = {}, [path]
    if path.is_dir():
        found = list(found_files(path))
        files = sorted(file for file in found if file.suffix.lower() in KINDS)
        if files and (others := other_kinds(found, files)):
            say(others)
    for file in files:
        name = file.relative_to(path).as_posix() if path.is_dir() else file.name
        try:
            text, encoding = read_file(file)
            document = read_document(text, language)
        except TextError as error:
            if not path.is_dir():
                raise TextError(f"{printable(path)}: {error}") from None
            say(f"{printable(name)} is left out: {error}")
            continue
        if document.gold:
            texts[printable(name)] = document, encoding
        else:
            say(f"{printable(name)} is left out: it has no gold boundaries.")
    if not texts:
        where = f"{printable(path)} has no .txt or .md file with" if path.is_dir() else f"{printable(path)} has no"
        raise TextError(f"{where} gold boundaries: put lines of ========== between segments.")
    return texts


def render(results: pd.DataFrame) -> str:
    """A Markdown table of the mean scores of `score_collections` by collection, method and number_given."""
    columns = [*Scores._fields, "segments", "gold_segments"]
    means = results.groupby(["collection", "method", "number_given"], sort=False)[columns].mean()
    rows = [
        [collection, method, "given" if given else "found", *(f"{row[name]:.3f}" for name in Scores._fields),
         f"{row['segments']:.1f} of {row['gold_segments']:.1f}"]
        for (collection, method, given), row in zip(means.index, means.to_dict("records"), strict=True)
    ]  # fmt: skip
    head = ["collection", "method", "number of segments", "Pk", "WindowDiff", "boundary F1", "segments"]
    return f"{markdown(head, rows)}\n\n{NOTE}"
