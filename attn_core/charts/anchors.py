"""Anchor tokens: the grid of all heads with the tokens in it, uniqueness by layer, the heads around one token."""

from collections.abc import Mapping

import altair as alt
import pandas as pd

from attn_core.charts.copies import NO_COPIES, copies_in_words, copy_lines
from attn_core.charts.described import between_heads, by_layer, grid, share
from attn_core.charts.marks import (
    LEGEND,
    click,
    frames,
    gradient,
    head_grid,
    in_cells,
    longest,
    map_height,
    shading,
    tokens_in_cells,
    with_tokens,
)
from attn_core.charts.style import ACCENT, CLICKED, above, layered, tip
from attn_core.head import Head
from attn_core.measures.anchors import shown_anchors
from attn_core.measures.few_pairs import too_few
from attn_core.measures.statistics import ANCHOR_UNIQUENESS
from attn_core.texts.token_names import quoted, readable

_PERCENT = ".0%"


def anchor_grid(overview: pd.DataFrame) -> alt.LayerChart:
    """Layers x heads with the anchor's token in each cell, coloured by coverage above chance. A head whose first token is not
    above chance is grey and names none.

    overview: one row a head, as of `anchor_overview`. Clicking a cell selects its head.
    """
    values = (overview["coverage"] - overview["chance_coverage"]).where(overview["is_anchor"], 0.0).clip(lower=0)
    named = overview["in_words"].map(readable).where(values > 0, "none above chance")
    data = with_tokens(overview.assign(value=values, in_words=named), values > 0)
    base = head_grid(
        data,
        tip("in_words:N", title="anchor"),
        tip("coverage:Q", ".1%"),
        tip("chance_coverage:Q", ".1%", "chance of the best token"),
        tip("chance_token_coverage:Q", ".1%", "chance of this token"),
        tip("lift:Q", ".1f", "lift (times the token's chance)"),
        tip("occurrences:Q"),
        tip("runners_up:N", title="runners-up"),
    )
    legend = gradient("colour: coverage above chance; grey: not above", _PERCENT)
    colour, ink_of_words = shading("value", float(values.max()) or 1.0, legend, above, not values.any())
    words = tokens_in_cells(base, data, cursor="pointer").encode(color=ink_of_words)
    top = data.loc[values.idxmax()]
    furthest = (
        f"furthest above chance is {quoted(top['anchor'])} in {Head.of_row(top['layer'], top['head'])}, "
        f"{share(top['coverage'])} (chance {share(top['chance_coverage'])})"
    )
    return layered(
        [base.mark_rect(**CLICKED).encode(color=colour).add_params(click()), words, *frames(data)],
        height=map_height(data) + LEGEND,
        description=f"Anchors of {grid(data)}: coverage from {between_heads(data, 'coverage', share)}; "
        f"{furthest if values.any() else 'none above chance'}.",
    )


def uniqueness_curve(layers: pd.DataFrame, copies: Mapping[str, pd.DataFrame] = NO_COPIES) -> alt.LayerChart:
    """Distinct anchors / heads by layer, in their 95 % band where a study has one; copies of the model grey."""
    name, (low, high) = ANCHOR_UNIQUENESS.name, ANCHOR_UNIQUENESS.bounds
    x = alt.X("layer:O", title="layer", axis=alt.Axis(labelAngle=0))
    base = alt.Chart(layers).encode(x=x)
    line = base.mark_line(strokeWidth=2.5, color=ACCENT, point=alt.OverlayMarkDef(size=50, color=ACCENT)).encode(
        y=alt.Y(
            f"{name}:Q",
            title="distinct anchors / heads",
            scale=alt.Scale(domain=[0, 1]),
            axis=alt.Axis(format=_PERCENT),
        ),
        tooltip=[tip("layer:O"), tip(f"{name}:Q", _PERCENT, "distinct anchors / heads")],
    )
    band = base.mark_area(color=ACCENT, opacity=0.3).encode(y=f"{low}:Q", y2=f"{high}:Q")
    return layered(
        [*([band] if low in layers else []), *copy_lines(copies, ANCHOR_UNIQUENESS, x), line],
        height=320,
        description=f"Distinct anchors / heads by layer: {by_layer(layers, name, share)}"
        f"{copies_in_words(copies, ANCHOR_UNIQUENESS)}.",
    )


def token_map(around: pd.DataFrame) -> alt.LayerChart:
    """Layers x heads, coloured by how much more strong pairs one token touches than by chance; bold: it is the anchor.

    around: as of `heads_around`. Clicking a cell selects its head.
    """
    around = around.assign(excess=around["excess"].clip(lower=0))
    legend = gradient("coverage above chance; bold: anchor", _PERCENT)
    limit = float(around["excess"].max()) or 1.0
    colour, ink_of_numbers = shading("excess", limit, legend, above, too_few(around))
    across = around["head"].nunique()
    base = head_grid(
        around,
        tip("coverage:Q", ".1%"),
        tip("chance_token_coverage:Q", ".1%", "chance"),
        tip("is_anchor:N", title="is the head's anchor"),
    )
    cells = base.mark_rect(**CLICKED).encode(color=colour)
    text = alt.Text("coverage:Q", format=_PERCENT)
    numbers = [
        in_cells(
            base.transform_filter(f"{'' if anchor else '!'}datum.is_anchor"),
            across,
            longest(around["coverage"], _PERCENT),
            cursor="pointer",
            fontWeight="bold" if anchor else "normal",
            opacity=1 if anchor else 0.85,
        ).encode(text=text, color=ink_of_numbers)
        for anchor in (True, False)
    ]
    return layered(
        [cells.add_params(click()), *numbers, *frames(around)],
        height=map_height(around) + LEGEND,
        description=f"Map of {grid(around)}: share of strong pairs that touch the token, from "
        f"{between_heads(around, 'coverage', share)}; chance {share(around['chance_token_coverage'].iloc[0])}; the anchor of "
        f"{int(around['is_anchor'].sum())} heads.",
    )


def stability_map(heads: pd.DataFrame) -> alt.LayerChart:
    """Layers x heads: every head's anchor over all texts, coloured by the share of windows that have it as theirs."""
    shown = ["anchor_coverage", "chance_anchor_coverage", "anchor_stability", "chance_anchor_stability"]
    above_chance = heads["anchor_coverage"] > heads["chance_anchor_coverage"]
    data = with_tokens(heads[["layer", "head", *shown]].assign(anchor=shown_anchors(heads)), above_chance)
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
