"""A text cut into segments by one of the methods, and the table of its segments."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd

from attn_core.errors import TextError
from attn_core.segmentation.head_choice import HeadChoice, head_power, these_heads, weigh
from attn_core.segmentation.methods import Cut, Method, Task, by_name
from attn_core.segmentation.sentences import SentenceOutputs
from attn_core.texts.documents import Document


@dataclass(frozen=True, eq=False)
class Segmentation:
    """Segments of a text. boundaries: the first sentence of every segment but the first.

    gap_scores: (S - 1,), how much speaks for a boundary before sentence 1, 2, ... number_from: who chose the number of
    segments. heads: the heads that took part, None where they do not matter.
    """

    method: str
    gap_scores: np.ndarray
    boundaries: tuple[int, ...]
    threshold: float | None
    number_from: str
    heads: HeadChoice | None

    @property
    def number(self) -> int:
        return len(self.boundaries) + 1


def segment(
    method: str | Method,
    outputs: SentenceOutputs,
    heads: HeadChoice | Sequence[str | tuple[int, int]] | None = None,
    segments: int | None = None,
    threshold: float | None = None,
) -> Segmentation:
    """Cut a text whose sentences have been read.

    heads: a choice, or (layer, head) pairs counted from 0; None takes the lag contrast of `outputs` itself, which is
    sound for sentences read alone only (`usual_heads` knows better). segments: a number, at most one per sentence; None lets
    the method find it, or `threshold` decide.

    Raises TextError where the sentences were not read in the method's mode.
    """
    method = method if isinstance(method, Method) else by_name(method)
    if method.mode not in (None, outputs.mode):
        raise TextError(f"{method.title} needs sentences that were read {method.mode}, not {outputs.mode}.")
    choice = _choice(heads, outputs) if method.uses_heads else None
    size = len(outputs)
    if segments is not None:
        segments = min(max(segments, 1), size)
    weights = choice.weights if choice else np.ones(outputs.vectors.shape[:2])
    if size == 1:
        cut = Cut((), np.zeros(0))
    else:
        cut = method.cut(Task(outputs, weights, segments, threshold if method.threshold else None))
    number_from = "given" if segments else "threshold" if cut.threshold == threshold is not None else "method"
    return Segmentation(method.name, cut.gap_scores, cut.boundaries, cut.threshold, number_from, choice)


def segment_spans(boundaries: Sequence[int], sentences: int) -> list[tuple[int, int, int]]:
    """(number from 1, first sentence, sentence after the last) of every segment."""
    edges = [0, *boundaries, sentences]
    return [(number, *span) for number, span in enumerate(pairwise(edges), start=1)]


def segment_table(document: Document, segmentations: Sequence[Segmentation]) -> pd.DataFrame:
    """Columns method, segment (from 1), start, end (characters), first_sentence, last_sentence (from 0)."""
    rows = []
    for segmentation in segmentations:
        for number, first, after in segment_spans(segmentation.boundaries, len(document.sentences)):
            start, end = document.sentences[first][0], document.sentences[after - 1][1]
            rows.append((segmentation.method, number, start, end, first, after - 1))
    return pd.DataFrame(rows, columns=["method", "segment", "start", "end", "first_sentence", "last_sentence"])


def _choice(heads: HeadChoice | Sequence[str | tuple[int, int]] | None, outputs: SentenceOutputs) -> HeadChoice:
    if heads is None:
        return weigh(head_power(outputs), "the text at hand")
    return heads if isinstance(heads, HeadChoice) else these_heads(heads, *outputs.vectors.shape[:2])
