"""Every segmentation method over a folder of texts with gold boundaries, with and without the number of segments given.

    texts -> sentences, read in each mode -> segmentations -> scores -> mean and bootstrap interval of every method

The heads are chosen without gold (see `segmentation.head_choice`): from each text by itself, or from the calibration text.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from attn_core.errors import TextError
from attn_core.loaded_model import LoadedModel
from attn_core.segmentation import (
    METHODS,
    HeadChoice,
    Method,
    Mode,
    SentenceOutputs,
    default_heads,
    encode_sentences,
    heads_from_text,
    score,
    segment,
    usual_heads,
)
from attn_core.texts import Document, read_document, read_file

HeadSource = Literal["usual", "calibration", "text"]
MEASURES = ("pk", "windowdiff", "f1")
DRAWS = 2000
NOTE = (
    "Pk and WindowDiff: nltk's, window = half the mean gold segment length of a text, at least 2 sentences; boundary F1 "
    "at the exact place. Means over texts, each text counting once; in brackets the 95 % bootstrap interval over texts."
)


def run(
    folder: Path,
    model: LoadedModel,
    heads: HeadSource = "usual",
    methods: tuple[Method, ...] = METHODS,
    progress: Callable[[int, int], None] | None = None,
) -> pd.DataFrame:
    """One row a text, method and way to number: text, group, method, number_given, sentences, gold_segments, segments,
    pk, windowdiff, f1, window.

    group: what the file's name says before its first underscore (Choi's files: the range of segment lengths). heads:
    "usual" is what the dashboard takes (see `usual_heads`), "calibration" and "text" take one source for all texts.
    `progress` is called with (texts done, texts in all). Raises TextError where the folder has no text with gold lines.
    """
    texts = gold_texts(folder)
    rows = []
    for done, (name, document) in enumerate(texts.items()):
        if progress:
            progress(done, len(texts))
        rows += [{"text": name, "group": name.split("_")[0]} | row for row in _rows(document, model, heads, methods)]
    return pd.DataFrame(rows)


def gold_texts(folder: Path) -> dict[str, Document]:
    """File name -> document, of the .txt files with gold boundaries. Raises TextError where there is none."""
    texts = {path.name: read_document(read_file(path)[0]) for path in sorted(folder.glob("*.txt"))}
    texts = {name: document for name, document in texts.items() if document.gold}
    if not texts:
        raise TextError(f"{folder} has no .txt file with gold boundaries: lines of ========== between segments.")
    return texts


def summarise(results: pd.DataFrame, group: str | None = None, draws: int = DRAWS, seed: int = 0) -> pd.DataFrame:
    """One row a method and way to number: the mean of each measure, and the ends of its bootstrap interval.

    Columns method, number_given, texts, number_error (mean |segments - gold|), pk, pk_low, pk_high, windowdiff, ...
    """
    chosen = results if group is None else results[results["group"] == group]
    rows = []
    for (method, given), part in chosen.groupby(["method", "number_given"], sort=False):
        error = float((part["segments"] - part["gold_segments"]).abs().mean())
        row = {"method": method, "number_given": given, "texts": len(part), "number_error": error}
        for measure in MEASURES:
            values = part[measure].to_numpy()
            low, high = bootstrap_interval(values, draws, seed)
            row |= {measure: float(values.mean()), f"{measure}_low": low, f"{measure}_high": high}
        rows.append(row)
    return pd.DataFrame(rows)


def bootstrap_interval(values: np.ndarray, draws: int = DRAWS, seed: int = 0) -> tuple[float, float]:
    """The middle 95 % of the means of texts drawn again with replacement."""
    picks = np.random.default_rng(seed).integers(len(values), size=(draws, len(values)))
    low, high = np.percentile(values[picks].mean(axis=1), [2.5, 97.5])
    return float(low), float(high)


def render(results: pd.DataFrame, group: str | None = None) -> str:
    """The summary as a Markdown table, and how it was measured."""
    lines = ["| method | number of segments | Pk | WindowDiff | boundary F1 | error of the number |", "|---" * 6 + "|"]
    for row in summarise(results, group).to_dict("records"):
        cells = [f"{row[m]:.3f} [{row[m + '_low']:.3f}, {row[m + '_high']:.3f}]" for m in MEASURES]
        number = "given" if row["number_given"] else "found"
        error = "" if row["number_given"] else f"{row['number_error']:.1f}"
        lines.append(f"| {row['method']} | {number} | {' | '.join(cells)} | {error} |")
    texts = results if group is None else results[results["group"] == group]
    return "\n".join([*lines, "", f"{texts['text'].nunique()} texts. {NOTE}"])


def render_by_group(results: pd.DataFrame) -> str:
    """Pk of every method in every group of texts, as a Markdown table."""
    means = results.groupby(["method", "number_given", "group"], sort=False)["pk"].mean().unstack("group")
    lines = ["| method | number of segments | " + " | ".join(means.columns) + " |", "|---" * (2 + means.shape[1]) + "|"]
    for (method, given), row in means.iterrows():
        cells = " | ".join(f"{value:.3f}" for value in row)
        lines.append(f"| {method} | {'given' if given else 'found'} | {cells} |")
    return "\n".join(lines)


def _rows(document: Document, model: LoadedModel, source: HeadSource, methods: tuple[Method, ...]) -> list[dict]:
    modes: list[Mode] = list(dict.fromkeys(method.mode or "alone" for method in methods))
    read = {mode: encode_sentences(model, document, mode) for mode in modes}
    asked = {method.mode for method in methods if method.uses_heads and method.mode}
    heads = {mode: _heads(model, read[mode], source) for mode in asked}
    return score_methods(document, methods, read, heads)


def score_methods(
    document: Document,
    methods: Sequence[Method],
    read: Mapping[Mode, SentenceOutputs],
    heads: Mapping[Mode, HeadChoice],
) -> list[dict[str, Any]]:
    """Every method on a document with gold boundaries, with the number of segments given and found, a row each.

    read, heads: the sentences as read, and the heads to use, by mode; a method that asks no model takes those read alone.
    """
    assert document.gold is not None
    rows = []
    for method in methods:
        mode = method.mode or "alone"
        for given in (True, False):
            number = len(document.gold) + 1 if given else None
            found = segment(method, read[mode], heads.get(mode) if method.uses_heads else None, number)
            scores = score(document.gold, found.boundaries, len(read[mode]))
            rows.append(
                {
                    "method": method.name,
                    "number_given": given,
                    "sentences": len(read[mode]),
                    "gold_segments": len(document.gold) + 1,
                    "segments": found.number,
                    "pk": scores.pk,
                    "windowdiff": scores.windowdiff,
                    "f1": scores.f1,
                    "window": scores.window,
                }
            )
    return rows


def _heads(model: LoadedModel, outputs: SentenceOutputs, source: HeadSource) -> HeadChoice:
    if source == "usual":
        return usual_heads(model, outputs)
    if source == "text":
        return heads_from_text(model, outputs)
    return default_heads(model, outputs.mode)
