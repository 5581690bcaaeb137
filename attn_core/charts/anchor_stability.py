"""How steady the anchors of a study are over its windows."""

import altair as alt
import pandas as pd

from attn_core.charts.described import between_heads, grid, share
from attn_core.charts.marks import LEGEND, gradient, head_grid, map_height, tokens_in_cells, with_tokens
from attn_core.charts.once import once
from attn_core.charts.style import layered


@once
def stability_map(heads: pd.DataFrame) -> alt.LayerChart:
    """Layers x heads: every head's anchor over all texts, coloured by the share of windows that have it as theirs."""
    shown = ["anchor_coverage", "chance_anchor_coverage", "anchor_stability", "chance_anchor_stability"]
    data = with_tokens(heads[["layer", "head", "anchor", *shown]])
    base = head_grid(
        data,
        alt.Tooltip("anchor:N"),
            alt.Tooltip("anchor_stability:Q", title="its anchor in so many windows", format=".0%"),
            alt.Tooltip("chance_anchor_stability:Q", title="another head's", format=".0%"),
            alt.Tooltip("anchor_coverage:Q", title="coverage", format=".0%"),
            alt.Tooltip("chance_anchor_coverage:Q", title="chance of the best token", format=".0%"),
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
        base.mark_rect().encode(color=colour),
        names,
        height=map_height(data) + LEGEND,
        description=f"Anchors of {grid(data)}: share of windows in which a head's anchor is that of all texts, from "
        f"{between_heads(data, 'anchor_stability', share)}; another head's {share(data['chance_anchor_stability'].mean())}.",
    )
