"""Anchor tokens: the token that each head gathers around, how much of its own it is, and where it stands."""

import streamlit as st

from attn_core.charts.anchors import anchor_grid, token_map, uniqueness_curve
from attn_core.measures.anchors import anchor_overview, anchor_table, heads_around, occurrence_table, token_labels
from attn_core.measures.frames import head_name
from attn_core.ui import cache, show
from attn_core.ui.escape import plain
from attn_core.ui.fact import beside_chance, facts, shares
from attn_core.ui.frame import page
from attn_core.ui.pick import head_a_from
from attn_core.ui.token_choice import choose_token

view = page(
    "Anchor tokens",
    "Which token does each head gather around? A head's **anchor** is the token that touches the most of its strong pairs; "
    "the paper finds that heads tend to have an anchor of their own.",
)
a, b = ((layer + 1, head + 1) for layer, head in (view.head_a, view.head_b))
choice, windows, provenance = view.choice, view.analysis.windows, view.analysis.provenance()
by = st.segmented_control(
    "The token with the largest",
    ["coverage", "lift"],
    default="coverage",
    required=True,
    key="anchor",
    bind="query-params",
    help="Coverage: the share of strong pairs that it touches. Lift: coverage / chance, from three occurrences on.",
)
labels = token_labels(windows)
ranked = anchor_table(view.analysis.coverage, by)
heads = anchor_overview(ranked, labels)
unique = cache.uniqueness(choice, by)
at_random = cache.random_anchor_coverage(choice, by)

with facts():
    beside_chance(
        "Distinct anchors within a layer",
        f"{unique['anchor_uniqueness'].mean():.0%}",
        f"independent heads: {unique['own_places'].mean():.0%}",
        "Distinct anchors / heads, mean of the layers. Independent heads are as concentrated, around random places.",
    )
    beside_chance(
        "Mean coverage of the anchors",
        f"{heads['coverage'].mean():.0%}",
        f"chance: {heads['chance_coverage'].mean():.0%}",
        f"For heads of random pairs the best token covers {at_random:.0%}: the best of many covers some by luck alone.",
    )
    if by == "coverage":
        heads["stability"] = view.analysis.anchor_stability.ravel()
        heads["chance_stability"] = heads["shared_in_model"] / max(len(heads) - 1, 1)
        beside_chance(
            f"Same anchor in {f'{len(windows)} windows' if len(windows) > 1 else '2 halves'}",
            f"{heads['stability'].mean():.0%}",
            f"another head: {heads['chance_stability'].mean():.0%}",
            "Share of the parts of the text in which a head keeps its anchor, mean of the heads; below it, how often "
            "another head of the model has that anchor.",
        )
    beside_chance("Different anchors in the model", f"{heads['anchor_id'].nunique()} in {len(heads)} heads", None)

st.caption("The anchor of every head, coloured by how far it stands above chance. **Click a cell to choose head A.**")
show.chart(anchor_grid(heads, by, a, b), "anchor-grid", on_select=head_a_from("anchor-grid"))

mine = ranked[(ranked["layer"] == a[0]) & (ranked["head"] == a[1])]
st.subheader(f"{head_name(*a)}: “{plain(mine['token'].iloc[0])}” and runners-up", anchor=False)
numbers = shares("coverage", "chance_coverage", "stability", "chance_stability")
numbers["in_words"] = st.column_config.TextColumn("anchor")
numbers["lift"] = st.column_config.NumberColumn("lift", format="%.1f")
shown = ["rank", "token", "coverage", "chance_coverage", "lift", "occurrences"]
st.dataframe(mine.assign(token=mine["token_id"].map(labels))[shown], hide_index=True, column_config=numbers, height=220)

st.subheader("Has each head an anchor of its own?", anchor=False)
show.chart(uniqueness_curve(unique), "uniqueness")

st.subheader("The heads around one token", anchor=False)
token = choose_token(heads, view.analysis.coverage, labels)
around = heads_around(view.analysis.coverage, token)
st.caption(
    f"Share of each head's strong pairs that touch it, coloured by the difference to chance "
    f"({around['chance_coverage'].iloc[0]:.1%} of all pairs). Bold: it is the head's anchor."
)
show.chart(token_map(around, a, b), "token-map", on_select=head_a_from("token-map"))
places = ["window", "sentence", "context"] if len(windows) > 1 else ["sentence", "context"]
show.table(occurrence_table(windows, token), "occurrences", provenance, column_order=places, height=300)

show.how_to_read(
    """
- **Coverage**: the share of a head's strong pairs that touch the token. **Chance**: the share of all pairs that do; it grows
  with the number of occurrences. **Lift**: coverage / chance. By coverage the most common token of a text has a head start;
  by lift rare tokens come up.
- **An anchor of its own?** Heads of *random pairs* all have the most common token of the text. *Independent* heads are as
  concentrated as these, but around places drawn at random: above that line heads avoid each other's anchors, below it they
  share them.
- A part of a word stands with the words that it is a part of: ##ing (walking, talking).
- **Shared**: in how many other heads, of the layer and of the model, the token is the anchor.
"""
)
show.our_choice(
    "Which pairs are strong, and what breaks a tie (the rarer token). By lift, a token needs three occurrences, since the "
    "lift of a rarer one is mostly luck. [CLS] and [SEP] may be anchors: see the switch in the sidebar."
)
st.subheader("Numbers", anchor=False)
show.table(heads.drop(columns="anchor"), "anchors", provenance, columns=numbers)
