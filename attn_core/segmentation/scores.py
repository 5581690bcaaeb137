"""How good is a segmentation? Pk, WindowDiff (both nltk's) and boundary F1 against gold boundaries; means with 95 % intervals.

Pk (Beeferman, Berger & Lafferty 1999) and WindowDiff (Pevzner & Hearst 2002) slide a window over the sentences and
count the positions where two segmentations disagree on whether (Pk) or how many (WindowDiff) boundaries lie in it: 0 is
best, even or random cuts get about 0.45. The window is half the mean gold segment length, rounded, and at least 2
sentences (our choice: with 1, WindowDiff would count hits only). F1 counts a boundary as found only at its very place.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from nltk.metrics.segmentation import pk, windowdiff

from attn_core.io.tables import markdown
from attn_core.numerics.poisson_bootstrap import LEAST, interval_of_mean

MEASURES = ("pk", "windowdiff", "f1")
NOTE = (
    "Pk and WindowDiff: nltk's, window = half the mean gold segment length of a text, at least 2 sentences; boundary F1 "
    f"at the exact place. Means over texts, each text counting once; in brackets the 95% t interval over texts, from {LEAST} "
    "texts on. Within two: the share of texts whose number of segments is at most twice and at least half the gold one. "
    "Seconds: a text by that method alone, reading it included."
)
AT_PARAGRAPHS = (
    "Boundaries lie at paragraph ends only in {of_them} of {texts} texts, which leaves fewer places for errors."
)


@dataclass(frozen=True)
class Scores:
    """Pk and WindowDiff: lower is better. F1: higher is better. window: their window, in sentences."""

    pk: float
    windowdiff: float
    f1: float
    window: int


def score(gold: tuple[int, ...], predicted: tuple[int, ...], sentences: int) -> Scores:
    """Compare boundaries (first sentences of all segments but the first) in a text of so many sentences."""
    window = window_size(gold, sentences)
    if sentences <= window:  # too short for one window to fit: right or wrong as a whole
        wrong = float(set(gold) != set(predicted))
        return Scores(wrong, wrong, boundary_f1(gold, predicted), window)
    reference, hypothesis = _as_string(gold, sentences), _as_string(predicted, sentences)
    return Scores(
        pk=float(pk(reference, hypothesis, k=window)),
        windowdiff=float(windowdiff(reference, hypothesis, k=window)),
        f1=boundary_f1(gold, predicted),
        window=window,
    )


def window_size(gold: tuple[int, ...], sentences: int) -> int:
    """Half the mean gold segment length in sentences, rounded, at least 2."""
    return max(2, round(sentences / (len(gold) + 1) / 2))


def boundary_f1(gold: tuple[int, ...], predicted: tuple[int, ...]) -> float:
    """2 x hits / (gold + predicted); 1 where neither has a boundary."""
    total = len(gold) + len(predicted)
    return 2 * len(set(gold) & set(predicted)) / total if total else 1.0


def _as_string(boundaries: tuple[int, ...], sentences: int) -> str:
    """nltk's format: a 1 after every sentence that ends a segment (the last one left 0)."""
    marks = ["0"] * sentences
    for first in boundaries:
        marks[first - 1] = "1"
    return "".join(marks)


def summarise(results: pd.DataFrame) -> pd.DataFrame:
    """One row a collection, method and way to number: the mean of each measure, and the ends of its interval.

    Columns collection, method, number_given, texts, number_error (mean |segments - gold|), within_two (share of texts),
    seconds (mean), pk, pk_low, pk_high, windowdiff, ...
    """
    rows = []
    for (collection, method, given), part in results.groupby(["collection", "method", "number_given"], sort=False):
        ratio = part["segments"] / part["gold_segments"]
        row = {"collection": collection, "method": method, "number_given": given, "texts": len(part)}
        row["number_error"] = float((part["segments"] - part["gold_segments"]).abs().mean())
        row["within_two"] = float(ratio.between(1 / 2, 2).mean())
        row["seconds"] = float(part["seconds"].mean())
        for measure in MEASURES:
            values = part[measure].to_numpy()
            low, high = interval_of_mean(values)
            row |= {measure: float(values.mean()), f"{measure}_low": low, f"{measure}_high": high}
        rows.append(row)
    return pd.DataFrame(rows)


def render(results: pd.DataFrame) -> str:
    """A Markdown table for each collection, and how it was measured."""
    head = ["method", "number of segments", "Pk", "WindowDiff", "boundary F1", "error of the number", "within two", "s"]
    lines = []
    for collection, part in summarise(results).groupby("collection", sort=False):
        rows = []
        for row in part.to_dict("records"):
            cells = [_told(row[m], row[f"{m}_low"], row[f"{m}_high"]) for m in MEASURES]
            number = ["given", "", ""]
            if not row["number_given"]:
                number = ["found", f"{row['number_error']:.1f}", f"{row['within_two']:.0%}"]
            rows.append([row["method"], number[0], *cells, *number[1:], f"{row['seconds']:.1f}"])
        lines += [f"{collection}, {part['texts'].iloc[0]} texts", "", markdown(head, rows), ""]
    texts = results.drop_duplicates(["collection", "text"])
    of_them = int((texts["boundaries_at"] == "paragraphs").sum())
    return "\n".join([*lines, NOTE, AT_PARAGRAPHS.format(of_them=of_them, texts=len(texts))])


def _told(mean: float, low: float, high: float) -> str:
    """A mean with its interval, alone where too few texts give one."""
    return f"{mean:.3f}" if np.isnan(low) else f"{mean:.3f} [{low:.3f}, {high:.3f}]"
