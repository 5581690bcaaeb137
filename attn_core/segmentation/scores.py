"""How good is a segmentation? Pk, WindowDiff (both nltk's) and boundary F1 against gold boundaries.

Pk (Beeferman, Berger & Lafferty 1999) and WindowDiff (Pevzner & Hearst 2002) slide a window over the sentences and
count the positions where two segmentations disagree on whether (Pk) or how many (WindowDiff) boundaries lie in it: 0 is
best, even or random cuts get about 0.45. The window is half the mean gold segment length, rounded, and at least 2
sentences (our choice: with 1, WindowDiff would count hits only). F1 counts a boundary as found only at its very place.
"""

from dataclasses import dataclass

from nltk.metrics.segmentation import pk, windowdiff


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
