"""Heads on the Segmentation page: those that see topics, those that attend to separators, and those that a user chooses."""

import streamlit as st

from attn_core.charts.distances import layer_curve
from attn_core.charts.segments import power_map
from attn_core.head import Head, every_head
from attn_core.measures.statistics import BY_NAME, SEP_ATTENTION
from attn_core.ui.caches import segments as segment_cache
from attn_core.ui.shell.view import TextView
from attn_core.ui.widgets import show
from attn_core.ui.widgets.address import chosen_among


def heads_in_words() -> str:
    """The heads that the user chose, by name; empty where the text suggests them."""
    return " ".join(st.session_state.get("segment_heads", []))


def own_heads(view: TextView) -> tuple[Head, ...]:
    """The heads that the user chose; none where the text suggests them."""
    return tuple(Head.named(name) for name in chosen_among("segment_heads", _head_names(view)))


def show_attention_to_separators(view: TextView) -> None:
    """What the claim of the paper speaks of, layer by layer, in the window and the layout of the sidebar."""
    st.caption(
        "Attention weight that separator tokens receive, mean over queries: all of them, and [SEP] alone. Every head a point; "
        "dashed is attention spread evenly. The paper finds it concentrated on separators in the final layers. Unlike the "
        "segments, this is of the window and the layout that the sidebar shows."
    )
    for side, statistic in zip(
        st.columns(2, gap="large"), (BY_NAME["separator_attention"], SEP_ATTENTION), strict=True
    ):
        with side:
            figure = layer_curve(view.results.statistics, view.results.layers, statistic)
            show.chart(figure, statistic.name, f"{statistic.label} of every head, by layer")


def show_topic_heads(view: TextView) -> None:
    """The heads that the text or, where it is short, the calibration text suggests, and the control that replaces them."""
    place = st.expander("Which heads see topics, and which to take", key="open-topics", bind="query-params")
    with place:
        _control(view)
    if place.open:
        with place:
            _topic_map(view)


def _topic_map(view: TextView) -> None:
    choice = view.choice
    topic = segment_cache.topic_heads(choice.key.whole, "alone")
    st.caption(
        "Colour: how much more alike a head makes near sentences (1 to 4 apart, in long texts to 8 and 16) than far ones (three "
        "times as far and more), in standard deviations, 0 by chance, each sentence read alone; numbers: its weight in the "
        f"partition, blank below 0.5 %. Found on {topic.source}."
    )
    title = "How much more alike every head makes near sentences than far ones"
    shows = {"size": f"found on {topic.source}", "layout": None, "measure": None, "pairs": None}
    show.chart(power_map(topic.power, topic.weights), "topic-heads", title, shows=shows)


def _control(view: TextView) -> None:
    """Lets the user choose heads of their own; none means the model's topic heads."""
    st.multiselect(
        "Heads",
        _head_names(view),
        key="segment_heads",
        bind="query-params",
        placeholder="the heads that see topics, weighted by their power",
        help="Leave empty for the heads that this text suggests (a short one: a calibration text), without gold boundaries.",
    )


def _head_names(view: TextView) -> list[str]:
    layers, heads = view.results.shape
    return list(map(str, every_head(layers, heads)))
