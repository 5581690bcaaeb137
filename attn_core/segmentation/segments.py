"""Segment boundaries of a text, the places where a boundary may lie, and the table of segments.

A boundary is the index of the first sentence of a segment, from 0; the first segment has no boundary.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import pandas as pd

from attn_core.errors import check_choice
from attn_core.segmentation.methods import METHODS
from attn_core.segmentation.sentences import SentenceOutputs
from attn_core.texts.documents import Document

FEWEST = 4  # the minimum number of paragraphs; with fewer, boundaries may lie at any sentence end
LONG_LINE = 100  # characters; prose is wrapped at a narrower margin
SEVERAL = 1.25  # sentences per line: with one sentence per line at most 1.06, with one paragraph per line 1.5 or more
WRAPPED = 1 / 3  # share of line ends that lie between sentences; wrapped prose has fewer


def segment(method: str, outputs: SentenceOutputs, segments: int | None = None) -> tuple[int, ...]:
    """The boundaries that a method of `METHODS` finds in a text. Raises InputError for an unknown method.

    segments: their number, at most one per sentence; None lets the method find it. Segments consist of whole paragraphs
    if the text has at least four and at least `segments` of them, else of sentences. A partition always finds its
    number of segments with boundaries at any sentence end.
    """
    check_choice(method, tuple(METHODS), "A method")
    starts = np.array([0, *paragraph_ends(outputs.document)])
    if len(starts) < max(FEWEST, segments or 1):
        starts = np.arange(len(outputs))
    if segments is not None:
        segments = min(max(segments, 1), len(starts))
    numbers = () if len(outputs) == 1 else METHODS[method].cut(outputs, starts, segments)
    return tuple(int(starts[number]) for number in numbers)


def paragraph_ends(document: Document) -> tuple[int, ...]:
    """The sentences, from 0, that begin a paragraph, where boundaries may lie; empty for fewer than four paragraphs.

    The ends of gold segments are no evidence of paragraphs, so at least three paragraph ends must lie elsewhere; gold
    boundaries are then included.
    """
    gold = set(document.gold or ())
    ends = set(paragraph_starts(document))
    return tuple(sorted(ends | gold)) if len(ends - gold) >= FEWEST - 1 else ()


def paragraph_starts(document: Document) -> tuple[int, ...]:
    """The first sentence of every paragraph but the first, from 0.

    A blank line ends a paragraph. A single line end does so only if lines are long and hold several sentences, unlike
    wrapped prose, verse, lists, and texts of one sentence per line. A gold line ends no paragraph, since it would
    reveal the boundaries by which a method is scored.
    """
    between = [document.text.count("\n", end, start) for (_, end), (start, _) in pairwise(document.sentences)]
    needed = 1 if _has_a_paragraph_per_line(document, sum(map(bool, between))) else 2
    return tuple(first for first, line_ends in enumerate(between, start=1) if line_ends >= needed)


def _has_a_paragraph_per_line(document: Document, ends_between: int) -> bool:
    """Whether a single line end ends a paragraph. ends_between: the number of line ends between two sentences."""
    lengths = [len(line.strip()) for line in document.text.splitlines() if line.strip()]
    long = sum(length for length in lengths if length > LONG_LINE)
    return (
        2 * long >= sum(lengths)
        and len(document.sentences) >= SEVERAL * (ends_between + 1)
        and ends_between >= WRAPPED * (len(lengths) - 1)
    )


def segment_spans(boundaries: Sequence[int], sentences: int) -> list[tuple[int, int, int]]:
    """The segments as (number from 1, first sentence, sentence after the last)."""
    edges = [0, *boundaries, sentences]
    return [(number, *span) for number, span in enumerate(pairwise(edges), start=1)]


def segment_table(document: Document, found: Mapping[str, Sequence[int]]) -> pd.DataFrame:
    """One row per method and segment: method, segment, start, end, first_sentence, last_sentence.

    found: method -> boundaries. start and end are character offsets from 0; the other numbers start at 1.
    """
    rows = []
    for method, boundaries in found.items():
        for number, first, after in segment_spans(boundaries, len(document.sentences)):
            start, end = document.sentences[first][0], document.sentences[after - 1][1]
            rows.append((method, number, start, end, first + 1, after))
    return pd.DataFrame(rows, columns=["method", "segment", "start", "end", "first_sentence", "last_sentence"])
