"""Segmentation: where the text breaks, by head outputs and by attention to separators."""

from collections.abc import Mapping, Sequence
from functools import partial
from html import escape
from itertools import pairwise

import pandas as pd
import streamlit as st

from attn_core.charts.segment_bars import TONES
from attn_core.measures.frames import head_frame
from attn_core.measures.statistics import BY_NAME, SEP_ATTENTION
from attn_core.segmentation import METHODS, segment_spans, segment_table
from attn_core.segmentation.evaluation import NO_CUT
from attn_core.segmentation.segments import paragraph_starts
from attn_core.texts.documents import Document
from attn_core.ui import derived, readings
from attn_core.ui.shell import page
from attn_core.ui.shell.page import View
from attn_core.ui.widgets import show

GOLD = "Gold boundaries"
PREVIEW = 60  # characters of a segment
TITLES = {name: method.title for name, method in METHODS.items()} | {NO_CUT: "No cut at all"}


def strips(document: Document, found: Mapping[str, tuple[int, ...]]) -> pd.DataFrame:
    """The segments by gold boundaries, if any, and by each method: its name and their number, and first words."""
    named = {} if document.gold is None else {GOLD: document.gold}
    named |= {TITLES[method]: cuts for method, cuts in found.items()}
    table = segment_table(document, {f"{name} ({len(cuts) + 1})": cuts for name, cuts in named.items()})
    first_words = [document.text[start:end][:PREVIEW] for start, end in table[["start", "end"]].to_numpy()]
    gold = table["method"].str.startswith(GOLD)
    return table.rename(columns={"method": "name"}).assign(preview=first_words, gold=gold)


def show_text(document: Document, boundaries: Sequence[int]) -> None:
    """Draw the text in its paragraphs, with a coloured bar along each segment."""
    blocks, starts = [], set(paragraph_starts(document))
    for number, first, after in segment_spans(boundaries, len(document.sentences)):
        colour = TONES[(number - 1) % len(TONES)]
        edges = [first, *(start for start in range(first + 1, after) if start in starts), after]
        paragraphs = (
            document.shown[document.sentences[a][0] : document.sentences[b - 1][1]] for a, b in pairwise(edges)
        )
        text = "".join(f'<div style="white-space:pre-line;margin:0 0 .6rem">{escape(one)}</div>' for one in paragraphs)
        blocks.append(
            f'<div dir="auto" style="border-left:5px solid {colour};padding:0 0 .1rem .8rem;margin:0 0 .9rem">'
            f'<div style="font-weight:700">{number}</div>{text}</div>'
        )
    with st.container(height=480):
        st.html("".join(blocks))


def show_scores(view: View) -> None:
    """Draw the scores of every method against the gold boundaries, the best first."""
    scores = derived.gold_scores(view.choice.key.whole).sort_values(["number_given", "pk"], kind="stable")
    columns = {name: st.column_config.NumberColumn(label, format="%.2f") for name, label in
               {"pk": "Pk", "windowdiff": "WindowDiff", "f1": "F1"}.items()}  # fmt: skip
    order = ["method", "number_given", "segments", *columns]
    show.table(scores.assign(method=scores["method"].map(TITLES)), "segmentation-scores", columns, column_order=order)


def show_attention_to_separators(view: View) -> None:
    """Draw the attention to all separators, and to [SEP] alone, by layer."""
    for statistic in show.in_columns((BY_NAME["separator_attention"], SEP_ATTENTION)):
        view.show("layers", statistic.name)


def power_table(view: View) -> pd.DataFrame:
    """One row per head: layer, head, power, weight."""
    outputs = derived.sentence_outputs(view.choice.key.whole)
    return head_frame({"power": outputs.head_power, "weight": outputs.head_weights}, *outputs.head_power.shape)


view = page.begin()
document = readings.document(view.choice.text, view.choice.language)
if view.choice.layout == "shuffled":
    st.caption(":material/info: Segments are of the text in its own order; the control reorders tokens, not sentences.")
methods = ("partition", "partition_heads", "separator_attention")
found = {method: derived.segments(view.choice.key.whole, method) for method in methods}
view.show("segments", tables={"segments": partial(strips, document, found)})

with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
    st.header("The text in its segments", anchor=False, width="content")
    heads_alone = st.toggle("By head outputs alone", key="heads_alone", bind="query-params")
show_text(document, found["partition_heads" if heads_alone else "partition"])

if document.gold is not None:
    show.folded("Every method against the gold boundaries", "gold-scores", partial(show_scores, view))
of_separators = partial(show_attention_to_separators, view)
show.folded("Do the layers attend to separators?", "separators", of_separators)
of_heads = partial(view.show, "topics", tables={"power": partial(power_table, view)})
show.folded("Which heads see topics?", "topics", of_heads)
segments = segment_table(document, found)
show.table(segments.assign(method=segments["method"].map(TITLES)), "segments", fold="Every segment")
show.help("Segmentation")
