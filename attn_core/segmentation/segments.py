"""A text cut into segments by one of the methods, and the table of its segments."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
import pandas as pd

from attn_core.segmentation.head_choice import HeadChoice, usual_heads
from attn_core.segmentation.methods import Method, Task, by_name
from attn_core.segmentation.sentences import SentenceOutputs
from attn_core.texts.documents import Document
from attn_core.texts.paragraphs import paragraph_starts

BoundariesAt = Literal["paragraphs", "sentences"]
FEWEST = 4  # paragraphs; fewer say too little about where topics may change


@dataclass(frozen=True, eq=False)
class Segmentation:
    """Segments of a text. boundaries: the first sentence of every segment but the first, counted from 0.

    boundaries_at: whether they lie at the ends of paragraphs only, or at those of any sentences.
    """

    method: str
    boundaries_at: BoundariesAt
    boundaries: tuple[int, ...]

    @property
    def number(self) -> int:
        return len(self.boundaries) + 1


def segment(
    method: str | Method, outputs: SentenceOutputs, heads: HeadChoice | None = None, segments: int | None = None
) -> Segmentation:
    """Cut a text whose sentences have been read.

    heads: their weights; None takes `usual_heads`. segments: a number, at most one per sentence; None lets the method find
    it. Boundaries lie at paragraph ends only where the text has four paragraphs and as many as segments are asked for; else
    they lie at any sentence end. A partition finds its number of segments at any sentence end in both cases.
    """
    method = method if isinstance(method, Method) else by_name(method)
    places = np.array(paragraph_ends(outputs.document), dtype=int)
    whole_paragraphs = len(places) + 1 >= max(FEWEST, segments or 1)
    if not whole_paragraphs:
        places = np.arange(1, len(outputs))
    if segments is not None:
        segments = min(max(segments, 1), len(places) + 1)
    weights = (heads or usual_heads(outputs)).weights if method.uses_heads else np.ones((1, 1))
    numbers = () if len(outputs) == 1 else method.cut(Task(outputs, weights, places, segments))
    return Segmentation(
        method=method.name,
        boundaries_at="paragraphs" if whole_paragraphs else "sentences",
        boundaries=tuple(int(places[number - 1]) for number in numbers),
    )


def paragraph_ends(document: Document) -> tuple[int, ...]:
    """The sentences, from 0, before which a boundary may lie where it must not break a paragraph; none where the text has fewer
    than four paragraphs.

    The ends of gold segments say nothing about where paragraphs end, so that three ends must lie elsewhere; then every gold
    segment ends with a paragraph.
    """
    gold = set(document.gold or ())
    ends = set(paragraph_starts(document))
    return tuple(sorted(ends | gold)) if len(ends - gold) >= FEWEST - 1 else ()


def segment_spans(boundaries: Sequence[int], sentences: int) -> list[tuple[int, int, int]]:
    """(number from 1, first sentence, sentence after the last) of every segment."""
    edges = [0, *boundaries, sentences]
    return [(number, *span) for number, span in enumerate(pairwise(edges), start=1)]


def segment_table(document: Document, segmentations: Sequence[Segmentation]) -> pd.DataFrame:
    """Columns method, segment, start, end (characters, from 0), first_sentence, last_sentence; all others count from 1."""
    rows = []
    for segmentation in segmentations:
        for number, first, after in segment_spans(segmentation.boundaries, len(document.sentences)):
            start, end = document.sentences[first][0], document.sentences[after - 1][1]
            rows.append((segmentation.method, number, start, end, first + 1, after))
    return pd.DataFrame(rows, columns=["method", "segment", "start", "end", "first_sentence", "last_sentence"])
