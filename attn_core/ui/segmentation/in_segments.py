"""A text in its segments: as strips, one a segmentation, and paragraph by paragraph."""

from collections.abc import Mapping, Sequence
from html import escape
from itertools import pairwise

import pandas as pd
import streamlit as st

from attn_core.charts.segments import SEGMENT_COLOURS, segment_strips
from attn_core.segmentation import Segmentation, by_name, segment_spans
from attn_core.segmentation.segments import paragraph_starts
from attn_core.texts.documents import Document
from attn_core.ui.widgets import show

PREVIEW = 60  # characters of a segment's first sentence


def show_strips(document: Document, found: Sequence[Segmentation]) -> None:
    """Gold boundaries where the text has them, then what each method found; each with its number of segments."""
    boundaries = {} if document.gold is None else {"Gold boundaries": document.gold}
    boundaries |= {by_name(one.method).title: one.boundaries for one in found}
    title = "The segments of the text, one strip a segmentation"
    show.chart(segment_strips(_strips(document, boundaries)), "segments", title)


def _strips(document: Document, boundaries: Mapping[str, tuple[int, ...]]) -> pd.DataFrame:
    rows = [
        (f"{name} ({len(cuts) + 1})", number, first + 1, after, document.sentence(first)[:PREVIEW])
        for name, cuts in boundaries.items()
        for number, first, after in segment_spans(cuts, len(document.sentences))
    ]
    return pd.DataFrame(rows, columns=["name", "segment", "first_sentence", "last_sentence", "preview"])


def show_text(document: Document, segmentation: Segmentation) -> None:
    """The text in its paragraphs, with a coloured bar along each segment."""
    blocks, starts = [], set(paragraph_starts(document))
    for number, first, after in segment_spans(segmentation.boundaries, len(document.sentences)):
        colour = SEGMENT_COLOURS[(number - 1) % len(SEGMENT_COLOURS)]
        edges = [first, *(start for start in range(first + 1, after) if start in starts), after]
        paragraphs = (
            document.text[document.sentences[a][0] : document.sentences[b - 1][1]] for a, b in pairwise(edges)
        )
        text = "".join(f'<div style="white-space:pre-line;margin:0 0 .6rem">{escape(one)}</div>' for one in paragraphs)
        blocks.append(
            f'<div dir="auto" style="border-left:5px solid {colour};padding:0 0 .1rem .8rem;margin:0 0 .9rem">'
            f'<div style="color:{colour};font-weight:700">{number}</div>{text}</div>'
        )
    with st.container(height=480):
        st.html("".join(blocks))
