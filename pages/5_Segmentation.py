"""Segmentation: where the text breaks, by attention to separators and by similarity of head outputs, side by side."""

from functools import partial

import streamlit as st

from attn_core.charts.segments import segment_strips
from attn_core.ui import readings
from attn_core.ui.shell import page
from attn_core.ui.widgets import show
from attn_core.ui.widgets.escape import plain

view = page.begin()
with show.starting():
    from attn_core.ui.segmentation import segmenting
document = readings.document(view.choice.text, view.choice.language)
st.caption(f"**{plain(view.choice.title)}** · {segmenting.size_in_words(document)}")
if view.choice.layout == "shuffled":
    st.caption(
        ":material/info: Segments are those of the text in its own order; the control reorders tokens, not sentences."
    )

strip, (left, right) = st.container(), st.columns([2, 1], gap="large")
with left:
    a = segmenting.show_method(view, document, "a", "partition")
with right:
    b = segmenting.show_method(view, document, "b", "separator_attention")
previews = {"A: " + a.method.title: a.segmentation, "B: " + b.method.title: b.segmentation}
boundaries = {name: segmentation.boundaries for name, segmentation in previews.items()}
if document.gold is not None:
    boundaries = {"gold boundaries": document.gold} | boundaries
with strip:
    figure = segment_strips(segmenting.strips(document, boundaries))
    show.chart(figure, "segments", "The segments of the text, one strip a segmentation")

segmenting.show_scores(view, document)
provenance = view.provenance(**a.choices("a"), **b.choices("b"))
segments = segmenting.shown_segments(document, list(previews.values()))
of_separators = "Do the layers attend to separators?"
show.folded(of_separators, "separators", partial(segmenting.show_attention_to_separators, view))
segmenting.show_topic_heads(view)
show.table(
    segments, "segments", segmenting.segment_labels(), provenance=provenance, fold="The segments of both methods"
)
show.help("Segmentation")
