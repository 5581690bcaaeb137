"""How good is a segmentation? Pk, WindowDiff (both nltk's) and boundary F1 against gold boundaries.

Pk (Beeferman, Berger & Lafferty 1999) and WindowDiff (Pevzner & Hearst 2002) slide a window over the sentences and
count the positions where two segmentations disagree on whether (Pk) or how many (WindowDiff) boundaries lie in it: 0 is
best, even or random cuts get about 0.45. The window is half the mean gold segment length, rounded, and at least 2
sentences (our choice: with 1, WindowDiff would count hits only). F1 counts a boundary as found only at its very place.
"""

from typing import NamedTuple

import pandas as pd
from nltk.metrics.segmentation import pk, windowdiff

from attn_core.io.tables import markdown

MEASURES = ("pk", "windowdiff", "f1")
NOTE = (
    "Pk and WindowDiff: nltk's, window = half the mean gold segment length of a text, at least 2 sentences; boundary F1 "
    "at the exact place. Means over texts, each text counting once; segments: mean number cut, and of gold."
)


class Scores(NamedTuple):
    """Pk and WindowDiff: lower is better. F1: higher is better."""

    pk: float
    windowdiff: float
    f1: float


def score(gold: tuple[int, ...], predicted: tuple[int, ...], sentences: int) -> Scores:
    """The scores of boundaries (first sentences of all segments but the first) in a text of so many sentences."""
    window = window_size(gold, sentences)
    if sentences <= window:  # too short for one window to fit: right or wrong as a whole
        wrong = float(set(gold) != set(predicted))
        return Scores(wrong, wrong, boundary_f1(gold, predicted))
    texts = _as_string(gold, sentences), _as_string(predicted, sentences)
    return Scores(float(pk(*texts, k=window)), float(windowdiff(*texts, k=window)), boundary_f1(gold, predicted))


def window_size(gold: tuple[int, ...], sentences: int) -> int:
    """Half the mean gold segment length in sentences, rounded, at least 2."""
    return max(2, round(sentences / (len(gold) + 1) / 2))


def boundary_f1(gold: tuple[int, ...], predicted: tuple[int, ...]) -> float:
    """2 x hits / (gold + predicted); 1 where neither has a boundary."""
    total = len(gold) + len(predicted)
    return 2 * len(set(gold) & set(predicted)) / total if total else 1.0


def _as_string(boundaries: tuple[int, ...], sentences: int) -> str:
    """nltk's format: a 1 after every sentence that ends a segment (the last one left 0)."""
    return "".join("1" if sentence + 1 in boundaries else "0" for sentence in range(sentences))


def render(results: pd.DataFrame) -> str:
    """A Markdown table of the means of `gold_texts.score_collections` by collection, method and way to number."""
    columns = [*MEASURES, "segments", "gold_segments"]
    means = results.groupby(["collection", "method", "number_given"], sort=False)[columns].mean()
    rows = [
        [collection, method, "given" if given else "found", *(f"{row[name]:.3f}" for name in MEASURES),
         f"{row['segments']:.1f} of {row['gold_segments']:.1f}"]
        for (collection, method, given), row in zip(means.index, means.to_dict("records"), strict=True)
    ]  # fmt: skip
    head = ["collection", "method", "number of segments", "Pk", "WindowDiff", "boundary F1", "segments"]
    return f"{markdown(head, rows)}\n\n{NOTE}"
