"""Segmentation: where the text breaks, by head outputs and by attention to separators."""

from functools import partial

import streamlit as st

from attn_core.charts.curve import layer_curve
from attn_core.charts.segments import power_map
from attn_core.measures.statistics import BY_NAME, SEP_ATTENTION
from attn_core.segmentation import METHODS, segment_table
from attn_core.segmentation.scores import NO_CUT
from attn_core.ui import derived, readings
from attn_core.ui.segmentation.in_segments import show_strips, show_text
from attn_core.ui.shell import page
from attn_core.ui.shell.view import View
from attn_core.ui.widgets import show

TITLES = {method.name: method.title for method in METHODS} | {NO_CUT: "No cut at all"}


def show_scores(view: View) -> None:
    """Every method against the gold boundaries, the best first."""
    scores = derived.gold_scores(view.choice.key.whole).sort_values(["number_given", "pk"], kind="stable")
    columns = {name: st.column_config.NumberColumn(label, format="%.2f") for name, label in
               {"pk": "Pk", "windowdiff": "WindowDiff", "f1": "F1"}.items()}  # fmt: skip
    order = ["method", "number_given", "segments", *columns]
    show.table(scores.assign(method=scores["method"].map(TITLES)), "segmentation-scores", columns, column_order=order)


def show_attention_to_separators(view: View) -> None:
    """The attention that all separators get, and [SEP] alone, layer by layer."""
    for side, statistic in zip(
        st.columns(2, gap="large"), (BY_NAME["separator_attention"], SEP_ATTENTION), strict=True
    ):
        with side:
            figure = layer_curve(view.results.statistics, view.results.layers, statistic, copies=view.copies.layers)
            show.chart(figure, statistic.name, f"{statistic.label} of every head, by layer")


def show_topic_heads(view: View) -> None:
    """How well each head tells near sentences from far ones."""
    topic = derived.topic_heads(view.choice.key.whole)
    title = "How much more alike every head makes near sentences than far ones"
    show.chart(power_map(topic.power, topic.weights), "topic-heads", title)


view = page.begin()
document = readings.document(view.choice.text, view.choice.language)
if view.choice.layout == "shuffled":
    st.caption(
        ":material/info: Segments are those of the text in its own order; the control reorders tokens, not sentences."
    )
methods = ("partition", "partition_heads", "separator_attention")
found = {method: derived.segments(view.choice.key.whole, method) for method in methods}
show_strips(document, list(found.values()))

with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
    st.header("The text in its segments", anchor=False, width="content")
    of_heads = st.toggle("By head outputs alone", key="heads_alone", bind="query-params")
show_text(document, found["partition_heads" if of_heads else "partition"])

if document.gold is not None:
    show.folded("Every method against the gold boundaries", "gold-scores", partial(show_scores, view))
of_separators = partial(show_attention_to_separators, view)
show.folded("Do the layers attend to separators?", "separators", of_separators)
show.folded("Which heads see topics?", "topics", partial(show_topic_heads, view))
segments = segment_table(document, list(found.values()))
show.table(segments.assign(method=segments["method"].map(TITLES)), "segments", fold="Every segment")
show.help("Segmentation")
