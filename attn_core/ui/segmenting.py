"""The segmentation page's parts: controls for one method, its segments in the text, the comparison with gold."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import pandas as pd
import streamlit as st

from attn_core.charts.segments import SEGMENT_COLOURS, gap_scores
from attn_core.head import Head, every_head
from attn_core.segmentation import (
    METHODS,
    HeadChoice,
    Method,
    Mode,
    Segmentation,
    SentenceOutputs,
    by_name,
    segment,
    segment_spans,
    segment_table,
)
from attn_core.texts import Document
from attn_core.ui import cache, show
from attn_core.ui.address import chosen_among, keep_among, keep_within
from attn_core.ui.frame import TextView

PREVIEW = 60  # characters
FOUND, GIVEN, THRESHOLD = "found by the method", "set by hand", "by threshold"


@dataclass(frozen=True, eq=False)
class Preview:
    """A method at work on the text of the page."""

    method: Method
    found: Segmentation

    def choices(self, letter: str) -> dict[str, object]:
        """What decided these segments, for the tables; letter: a or b."""
        told = {
            "method": self.method.name,
            "segments": self.found.number,
            "number_from": self.found.number_from,
            "threshold": self.found.threshold,
        }
        return {f"{name}_{letter}": value for name, value in told.items()}


def choose_method(view: TextView, letter: str, default: str) -> Preview:
    """Widgets for one method (letter a or b), and what it finds."""
    by_title = {method.title: method for method in METHODS}
    title = st.selectbox(
        f"Method {letter.upper()}",
        list(by_title),
        index=list(by_title).index(by_name(default).title),
        key=f"method_{letter}",
        bind="query-params",
    )
    method = by_title[title]
    st.caption(f"{method.what} {method.best_for} Source: {method.source}.")
    figures = " · ".join(f"{each.kind} {each.given:.2f}, {each.found:.2f}" for each in method.measured)
    st.caption(
        f"Mean Pk of this method with MiniLM, number given and found: {figures}. 0 is best, random cuts get 0.5."
    )
    outputs = outputs_for(view, method)
    heads = choose_heads(view, method) if method.uses_heads else None
    return Preview(method, _segment(method, outputs, heads, letter))


def outputs_for(view: TextView, method: Method) -> SentenceOutputs:
    """The sentences read as the method wants them; methods that ask no model take whatever there is."""
    choice = view.choice
    return cache.sentence_outputs(choice.spec, choice.text, choice.language, method.mode or "alone")


def choose_heads(view: TextView, method: Method) -> HeadChoice:
    """The heads that the page's control names: the model's topic heads, or the user's own."""
    assert method.mode is not None
    choice = view.choice
    return cache.heads_for_segments(choice.spec, choice.text, choice.language, method.mode, _own_heads(view))


def heads_in_words() -> str:
    """The heads that the user chose, by name; empty where the text suggests them."""
    return " ".join(st.session_state.get("segment_heads", []))


def _own_heads(view: TextView) -> tuple[Head, ...]:
    return tuple(Head.named(name) for name in chosen_among("segment_heads", _head_names(view)))


def topic_heads(view: TextView, mode: Mode) -> HeadChoice:
    """The heads that the text or, where it is short, the calibration text suggests, without gold boundaries."""
    choice = view.choice
    return cache.topic_heads(choice.spec, choice.text, choice.language, mode)


def _head_names(view: TextView) -> list[str]:
    layers, heads = view.found.shape
    return list(map(str, every_head(layers, heads)))


def heads_control(view: TextView) -> None:
    """Lets the user choose heads of their own; none means the model's topic heads."""
    st.multiselect(
        "Heads",
        _head_names(view),
        key="segment_heads",
        bind="query-params",
        placeholder="the heads that see topics, weighted by their power",
        help="Leave empty for the heads that this text suggests (a short one: a calibration text), without gold boundaries.",
    )


def _segment(method: Method, outputs: SentenceOutputs, heads: HeadChoice | None, letter: str) -> Segmentation:
    found = segment(method, outputs, heads)
    sentences = len(outputs)
    if sentences < 3:
        return found
    ways = [FOUND, GIVEN, *([THRESHOLD] if found.threshold is not None else [])]
    keep_among(f"number_{letter}", ways, FOUND)
    way = st.segmented_control(
        "Number of segments",
        ways,
        default=FOUND,
        required=True,
        key=f"number_{letter}",
        bind="query-params",
    )
    if way == GIVEN:
        gold = outputs.document.gold
        start = len(gold) + 1 if gold else found.number
        most = min(sentences, 60)
        keep_within(f"segments_{letter}", 1, most)
        number = st.slider("Segments", 1, most, min(start, most), key=f"segments_{letter}", bind="query-params")
        return segment(method, outputs, heads, segments=number)
    if way == THRESHOLD and found.threshold is not None:
        scores = found.gap_scores
        low, high = (
            sorted((0.0, 3 * found.threshold)) if found.threshold else (float(scores.min()), float(scores.max()))
        )
        low, high = min(low, float(scores.min())), max(high, float(scores.max()))
        keep_within(f"at_{letter}", low, high)
        threshold = st.slider(
            "Threshold",
            low,
            high,
            found.threshold,
            (high - low) / 200,
            format="%.3f",
            key=f"at_{letter}",
            bind="query-params",
        )
        return segment(method, outputs, heads, threshold=threshold)
    return found


def strips(document: Document, previews: dict[str, tuple[int, ...]]) -> pd.DataFrame:
    """The segments of several segmentations (name -> boundaries) for `segment_strips`."""
    rows = []
    for name, boundaries in previews.items():
        for number, first, after in segment_spans(boundaries, len(document.sentences)):
            rows.append((name, number, first, after - 1, document.sentence(first)[:PREVIEW]))
    return pd.DataFrame(rows, columns=["name", "segment", "first_sentence", "last_sentence", "preview"])


def gap_curve(document: Document, preview: Preview, letter: str) -> None:
    """What speaks for a boundary before each sentence, for methods that score it; letter: a or b."""
    found = preview.found
    if len(found.gap_scores):
        threshold = found.threshold if preview.method.threshold == "score" else None
        curve = gap_scores(found.gap_scores, found.boundaries, document.gold, threshold, "score")
        show.chart(curve, f"gap-scores-{letter}")


def coloured_text(document: Document, found: Segmentation) -> None:
    """The text with a coloured bar along each segment."""
    blocks = []
    for row in segment_table(document, [found]).itertuples():
        colour = SEGMENT_COLOURS[(row.segment - 1) % len(SEGMENT_COLOURS)]
        text = escape(document.text[row.start : row.end]).replace("\n", "<br>")
        blocks.append(
            f'<div dir="auto" style="border-left:5px solid {colour};padding:0 0 0 .8rem;margin:0 0 .9rem">'
            f'<span style="color:{colour};font-weight:700">{row.segment}</span> {text}</div>'
        )
    with st.container(height=420):
        st.html("".join(blocks))


def gold_scores(view: TextView) -> pd.DataFrame:
    """Every method against the gold boundaries, with the number of segments found and given.

    Columns method, then number, pk, windowdiff and f1, each ending in _found and in _given.
    """
    choice = view.choice
    scored = cache.gold_scores(choice.spec, choice.text, choice.language, _own_heads(view))
    wide = scored.rename(columns={"segments": "number"}).set_index("method")
    ways = [
        wide[wide["number_given"] == given][["number", "pk", "windowdiff", "f1"]].add_suffix(f"_{way}")
        for way, given in (("found", False), ("given", True))
    ]
    titles = {method.name: method.title for method in METHODS}
    return pd.concat(ways, axis=1).reset_index().assign(method=lambda table: table["method"].map(titles))


def score_labels() -> dict[str, Any]:
    """Streamlit's column settings for `gold_scores`."""
    labels = {"number": "segments", "pk": "Pk", "windowdiff": "WindowDiff", "f1": "F1"}
    return {
        f"{name}_{way}": st.column_config.NumberColumn(
            f"{label}, number {way}", format="%d" if name == "number" else "%.2f"
        )
        for way in ("found", "given")
        for name, label in labels.items()
    }


def shown_segments(document: Document, found: Sequence[Segmentation]) -> pd.DataFrame:
    """The segments table as the screen counts, sentences from 1, with the methods' titles.

    Columns method, segment, first, last (sentences, from 1), start, end (characters).
    """
    table = segment_table(document, found)
    return pd.DataFrame(
        {
            "method": table["method"].map({method.name: method.title for method in METHODS}),
            "segment": table["segment"],
            "first": table["first_sentence"] + 1,
            "last": table["last_sentence"] + 1,
            "start": table["start"],
            "end": table["end"],
        }
    )


def segment_labels() -> dict[str, Any]:
    """Streamlit's column settings for `shown_segments`."""
    labels = {"first": "first sentence", "last": "last sentence", "start": "first character", "end": "end character"}
    return {name: st.column_config.NumberColumn(label, format="%d") for name, label in labels.items()}
