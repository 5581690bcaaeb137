"""The Segmentation page's two methods: their controls, and what each finds, as strips and in the text; and every
method against the gold boundaries of the text, where it has them.

Below them the heads that see topics.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from itertools import pairwise
from typing import Any

import pandas as pd
import streamlit as st

from attn_core.charts.distances import layer_curve
from attn_core.charts.segments import SEGMENT_COLOURS, power_map
from attn_core.measures.statistics import BY_NAME, SEP_ATTENTION
from attn_core.segmentation import METHODS, Method, Segmentation, by_name, paragraph_ends, segment_spans, segment_table
from attn_core.segmentation.gold_texts import NO_CUT
from attn_core.texts.documents import Document
from attn_core.texts.paragraphs import paragraph_starts
from attn_core.ui import derived
from attn_core.ui.shell.view import View
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import segmented, slider

PREVIEW = 60  # characters
FOUND, GIVEN = "found by the method", "set by hand"


@dataclass(frozen=True, eq=False)
class Preview:
    """A method at work on the text of the page."""

    method: Method
    segmentation: Segmentation

    def choices(self, letter: str) -> dict[str, object]:
        """What decided these segments, for the tables; letter: a or b."""
        about = {
            "method": self.method.name,
            "segments": self.segmentation.number,
            "boundaries_at": self.segmentation.boundaries_at,
        }
        return {f"{name}_{letter}": value for name, value in about.items()}


def show_method(view: View, document: Document, letter: str, default: str) -> Preview:
    """One method (letter a or b): its controls, and the text in its segments."""
    by_title = {method.title: method for method in METHODS}
    title = st.selectbox(
        f"Method {letter.upper()}",
        list(by_title),
        index=list(by_title).index(by_name(default).title),
        key=f"method_{letter}",
        bind="query-params",
    )
    method = by_title[title]
    st.caption(method.what)
    preview = Preview(method, _segment(view, method, letter, document))
    _coloured_text(document, preview.segmentation)
    return preview


def _segment(view: View, method: Method, letter: str, document: Document) -> Segmentation:
    segments = partial(derived.segments, view.choice.key.whole, method.name)
    segmentation = segments()
    sentences = len(document.sentences)
    if sentences < 3:
        return segmentation
    way = segmented("Number of segments", [FOUND, GIVEN], f"number_{letter}")
    if way == GIVEN:
        gold = document.gold
        start = len(gold) + 1 if gold else segmentation.number
        most = min(sentences, 60)
        number = slider("Segments", 1, most, min(start, most), key=f"segments_{letter}")
        paragraphs = len(paragraph_ends(document)) + 1
        if 1 < paragraphs < number:
            st.caption(
                f"The text has {paragraphs} paragraphs, too few for {number} segments: boundaries lie at any sentence end."
            )
        return segments(number=number)
    return segmentation


def strips(document: Document, previews: dict[str, tuple[int, ...]]) -> pd.DataFrame:
    """The segments of several segmentations (name -> boundaries) for `segment_strips`."""
    rows = []
    for name, boundaries in previews.items():
        for number, first, after in segment_spans(boundaries, len(document.sentences)):
            rows.append((name, number, first + 1, after, document.sentence(first)[:PREVIEW]))
    return pd.DataFrame(rows, columns=["name", "segment", "first_sentence", "last_sentence", "preview"])


def size_in_words(document: Document) -> str:
    """How long the whole text is, of which segments are."""
    sentences = len(document.sentences)
    size = "the whole text, 1 sentence" if sentences == 1 else f"the whole text, {sentences:,} sentences"
    return size + (f", {len(ends) + 1:,} paragraphs" if (ends := paragraph_ends(document)) else "")


def _coloured_text(document: Document, segmentation: Segmentation) -> None:
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
    with st.container(height=420):
        st.html("".join(blocks))


def shown_segments(document: Document, segmentations: Sequence[Segmentation]) -> pd.DataFrame:
    """The segments table with the methods' titles, sentences before characters."""
    table = segment_table(document, segmentations)
    table["method"] = table["method"].map({method.name: method.title for method in METHODS})
    return table[["method", "segment", "first_sentence", "last_sentence", "start", "end"]]


def segment_labels() -> dict[str, Any]:
    """Streamlit's column settings for `shown_segments`."""
    labels = {"start": "first character", "end": "end character"}
    labels |= {"first_sentence": "first sentence", "last_sentence": "last sentence"}
    numbers = {name: st.column_config.NumberColumn(label, format="%d") for name, label in labels.items()}
    narrow = st.column_config.TextColumn("method", width=205)  # so that the sentences are seen on a narrow screen too
    return {"method": narrow, **numbers}


def show_scores(view: View, document: Document) -> None:
    """Unfolds to the scores of all methods; without gold boundaries, how to get some."""
    if document.gold is None:
        st.info(
            "This text has no gold boundaries. Put a line of ten equals signs between its segments, and every method is scored "
            "against them. What stands between may be paragraphs, or one sentence a line.",
            icon=":material/flag:",
        )
        return
    show.folded("Every method against the gold boundaries", "gold-scores", partial(_draw, view))


def _draw(view: View) -> None:
    st.caption(
        "Pk and WindowDiff: share of sliding windows that disagree, 0 is best, random cuts get 0.5; even cuts of this text stand "
        "below. F1: boundaries at their very place, 1 is best. *Found*: the method finds the number of segments; "
        "*given*: it is told."
    )
    labels = _labels()
    show.table(_scores(view), "segmentation-scores", columns=labels, column_order=["method", *labels][:-1])


def _scores(view: View) -> pd.DataFrame:
    """Every method against the gold boundaries, with the number of segments found and given.

    Columns method, then number, pk, windowdiff and f1, each ending in _found and in _given.
    """
    scored = derived.gold_scores(view.choice.key.whole)
    wide = scored.rename(columns={"segments": "number"}).set_index("method")
    ways = [
        wide[wide["number_given"] == given][["number", "pk", "windowdiff", "f1"]].add_suffix(f"_{way}")
        for way, given in (("found", False), ("given", True))
    ]
    titles = {method.name: method.title for method in METHODS} | {NO_CUT: "No cut at all"}
    return pd.concat(ways, axis=1).reset_index().assign(method=lambda table: table["method"].map(titles))


def _labels() -> dict[str, Any]:
    """Streamlit's column settings for `_scores`, in the order of the screen: what a narrow one shows comes first."""
    labels = {"pk": "Pk", "windowdiff": "WindowDiff", "f1": "F1", "number": "segments"}
    return {
        f"{name}_{way}": st.column_config.NumberColumn(f"{label}, {way}", format="%d" if name == "number" else "%.2f")
        for name, label in labels.items()
        for way in ("found", "given")
    }


def show_attention_to_separators(view: View) -> None:
    """What the claim of the paper speaks of, layer by layer, in the window and the layout of the sidebar."""
    st.caption(
        "Attention weight that separator tokens receive, mean over queries: all of them, and [SEP] alone. Every head a point; "
        "dashed is attention spread evenly, grey lines are copies of the model. The paper finds it concentrated on separators in "
        "the final layers. Unlike the segments, this is of the window and the layout that the sidebar shows."
    )
    for side, statistic in zip(
        st.columns(2, gap="large"), (BY_NAME["separator_attention"], SEP_ATTENTION), strict=True
    ):
        with side:
            figure = layer_curve(view.results.statistics, view.results.layers, statistic, copies=view.copies.layers)
            show.chart(figure, statistic.name, f"{statistic.label} of every head, by layer")


def show_topic_heads(view: View) -> None:
    """Unfolds to the weights of the heads as the text suggests them."""
    show.folded("Which heads see topics", "topics", partial(_topic_map, view))


def _topic_map(view: View) -> None:
    choice = view.choice
    topic = derived.topic_heads(choice.key.whole)
    st.caption(
        "Colour: how much more alike a head makes near sentences (1 to 4 apart, in long texts to 8 and 16) than far ones (three "
        "times as far and more), in standard deviations, 0 by chance, each sentence read alone; numbers: its weight in the "
        f"partition, blank below 0.5%. Weights {topic.source}."
    )
    title = "How much more alike every head makes near sentences than far ones"
    show.chart(power_map(topic.power, topic.weights), "topic-heads", title)
