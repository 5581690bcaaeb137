"""How steady the anchors of a study are over its windows."""

import altair as alt
import pandas as pd

from attn_core.charts.described import between_heads, grid, share
from attn_core.charts.marks import LEGEND, gradient, head_grid, map_height, tokens_in_cells, with_tokens
from attn_core.charts.once import once
from attn_core.charts.style import layered, tip


@once
def stability_map(heads: pd.DataFrame) -> alt.LayerChart:
    """Layers x heads: every head's anchor over all texts, coloured by the share of windows that have it as theirs."""
    shown = ["anchor_coverage", "chance_anchor_coverage", "anchor_stability", "chance_anchor_stability"]
    data = with_tokens(heads[["layer", "head", "anchor", *shown]])
    base = head_grid(
        data,
        tip("anchor:N"),
            tip("anchor_stability:Q", ".0%", "its anchor in so many windows"),
            tip("chance_anchor_stability:Q", ".0%", "another head's"),
            tip("anchor_coverage:Q", ".0%", "coverage"),
            tip("chance_anchor_coverage:Q", ".0%", "chance of the best token"),
    )  # fmt: skip
    colour = alt.Color(
        "anchor_stability:Q",
        scale=alt.Scale(domain=[0, 1], scheme="purples"),
        legend=gradient("share of windows", ".0%"),
    )
    names = tokens_in_cells(base, data).encode(
        color=alt.condition("datum.anchor_stability > 0.45", alt.value("#ffffff"), alt.value("#1f2328"))
    )
    return layered(
        [base.mark_rect().encode(color=colour), names],
        height=map_height(data) + LEGEND,
        description=f"Anchors of {grid(data)}: share of windows in which a head's anchor is that of all texts, from "
        f"{between_heads(data, 'anchor_stability', share)}; another head's {share(data['chance_anchor_stability'].mean())}.",
    )
