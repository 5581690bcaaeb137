"""Does the share of strongest pairs matter? One statistic by layer for several shares, from one reading."""

from collections.abc import Sequence
from dataclasses import asdict

import streamlit as st

from attn_core.charts.distances import share_sensitivity
from attn_core.measures.statistics import BY_LABEL, Statistic
from attn_core.study.in_words import pairs_in_words
from attn_core.ui.caches.of_choice import layers_by_share
from attn_core.ui.choice import Choice
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import segmented


def show_sensitivity(choice: Choice, statistics: Sequence[Statistic]) -> None:
    """The curves of one of the statistics, and the widget that chooses it."""
    st.caption("The same curve for other shares of strongest pairs, from the same head outputs. Dashed: chance.")
    curves = layers_by_share(choice)
    labels = [statistic.label for statistic in statistics]
    chosen = segmented("Statistic", labels, "sensitivity")
    shares = curves["share"].unique().tolist()
    show.chart(
        share_sensitivity(curves, BY_LABEL[chosen], choice.settings.share),
        "sensitivity",
        f"{chosen} by layer, for {len(shares)} shares of strongest pairs",
        shows={"pairs": pairs_in_words(asdict(choice.settings), shares)},
    )
