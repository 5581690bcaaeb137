"""Does the share of strongest pairs matter? One statistic by layer for several shares, from one reading."""

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

from attn_core.charts.distances import share_sensitivity
from attn_core.measures.statistics import BY_LABEL, Statistic
from attn_core.ui.caches import readings
from attn_core.ui.choice import Choice
from attn_core.ui.widgets import show
from attn_core.ui.widgets.sections import section

SHARES = (0.001, 0.003, 0.01, 0.03, 0.1)


def show_sensitivity(choice: Choice, statistics: Sequence[Statistic]) -> None:
    """The curves of one of the statistics, and the widget that chooses it."""
    section("Does the share of pairs matter?")
    st.caption("The same curve for other shares of strongest pairs, from the same head outputs. Dashed: chance.")
    curves = layers_by_share(choice)
    labels = [statistic.label for statistic in statistics]
    chosen = st.segmented_control(
        "Statistic", labels, default=labels[0], required=True, key="sensitivity", bind="query-params"
    )
    show.chart(share_sensitivity(curves, BY_LABEL[chosen], choice.settings.share), "sensitivity")


def layers_by_share(choice: Choice) -> pd.DataFrame:
    """The layers table of every share, with a column share; the chosen share is among them."""
    return pd.concat([_layers(choice, share) for share in sorted({*SHARES, choice.settings.share})], ignore_index=True)


def _layers(choice: Choice, share: float) -> pd.DataFrame:
    settings = replace(choice.settings, share=share)
    found = readings.layers(choice.spec, choice.text, choice.language, choice.layout, choice.window, settings)
    return found.assign(share=share)
