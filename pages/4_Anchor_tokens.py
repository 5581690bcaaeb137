"""Anchor tokens: the token that each head gathers around, how much of its own it is, and where it stands."""

import streamlit as st

from attn_core.charts.anchors import anchor_grid, token_map, uniqueness_curve
from attn_core.measures.anchors import anchor_overview, anchor_table, heads_around, occurrence_table, token_labels
from attn_core.ui import cache, show
from attn_core.ui.escape import plain
from attn_core.ui.frame import page
from attn_core.ui.pick import head_a_from

SHARES = {
    column: st.column_config.NumberColumn(column.replace("_", " ").replace("chance ", "chance: "), format="percent")
    for column in ("coverage", "chance_coverage", "stability", "chance_stability")
}
LIFT = st.column_config.NumberColumn("lift", help="Coverage / chance.", format="%.1f")
view = page(
    "Anchor tokens",
    "Which token does each head gather around? A head's **anchor** is the token that touches the most of its strong pairs; "
    "the paper finds that heads tend to have an anchor of their own.",
)
a, b = ((layer + 1, head + 1) for layer, head in (view.head_a, view.head_b))
analysis, found = view.analysis, view.analysis.coverage
provenance = analysis.provenance()

by = st.segmented_control(
    "Anchor", RANKINGS, format_func=RANKINGS.get, default="coverage", required=True, key="anchor", bind="query-params"
)
labels = token_labels(analysis.windows)
ranked = anchor_table(found, by)
heads = anchor_overview(ranked, labels)
unique = cache.uniqueness(view.choice, by)
random_coverage = cache.random_anchor_coverage(view.choice, by)
coverage, chance = heads["coverage"].mean(), heads["chance_coverage"].mean()

facts = st.columns(4)
fact = {"delta_color": "off", "delta_arrow": "off"}
facts[0].metric("Different anchors", f"{heads['anchor_id'].nunique()} in {len(heads)} heads")
facts[1].metric(
    "Distinct within a layer",
    f"{unique['anchor_uniqueness'].mean():.0%}",
    f"independent heads: {unique['own_places'].mean():.0%}",
    help="Distinct anchors / heads, mean of the layers. Independent heads are as concentrated, around random places.",
    **fact,
)
facts[2].metric(
    "Mean coverage",
    f"{coverage:.0%}",
    f"chance: {chance:.0%}",
    help=f"A head of random pairs covers {random_coverage:.0%} with its best token: the most common token of the text.",
    **fact,
)
if by == "coverage":
    parts = f"{len(analysis.windows)} windows" if len(analysis.windows) > 1 else "2 halves"
    heads["stability"] = analysis.anchor_stability.ravel()
    heads["chance_stability"] = heads["shared_in_model"] / max(len(heads) - 1, 1)
    facts[3].metric(
        f"Same anchor in {parts}",
        f"{heads['stability'].mean():.0%}",
        f"another head's: {heads['chance_stability'].mean():.0%}",
        help="Share of the parts of the text in which a head keeps its anchor, mean of the heads; beside it, how often "
        "another head of the model has that anchor.",
        **fact,
    )

st.caption(
    "The anchor of every head; colour: how far it stands above chance. **Click a cell to make it head A everywhere.**"
)
show.chart(anchor_grid(heads, by, a, b), "anchor-grid", on_select=head_a_from("anchor-grid"))

left, right = st.columns(2, gap="large")
with left:
    st.subheader("Has each head an anchor of its own?", anchor=False)
    show.chart(uniqueness_curve(unique), "uniqueness")
with right:
    mine = ranked[(ranked["layer"] == a[0]) & (ranked["head"] == a[1])]
    st.subheader(f"L{a[0]}H{a[1]}: “{plain(mine['token'].iloc[0])}” and runners-up", anchor=False)
    runners_up = mine.assign(token=mine["token_id"].map(labels)).drop(columns=["layer", "head", "token_id"])
    st.dataframe(runners_up, hide_index=True, column_config=SHARES | {"lift": LIFT})

st.subheader("The heads around one token", anchor=False)
leading = heads["anchor_id"].value_counts()
at = {int(token_id): index for index, token_id in enumerate(found.token_ids)}
tokens = sorted(at, key=lambda t: (-leading.get(t, 0), -found.occurrences[at[t]], t))
token = int(
    st.selectbox(
        "Token, those that are the anchor of most heads first",
        [str(token_id) for token_id in tokens],
        format_func=lambda t: (
            f"{labels[int(t)]}: anchor of {leading.get(int(t), 0)} heads, {found.occurrences[at[int(t)]]} times in the text"
        ),
        key="token",
        bind="query-params",
    )
)
left, right = st.columns([7, 5], gap="large")
with left:
    around = heads_around(found, token)
    st.caption(
        "Share of each head's strong pairs that touch the token, coloured by the difference to chance; bold: its anchor."
    )
    show.chart(token_map(around, a, b), "token-map", on_select=head_a_from("token-map"))
with right:
    st.caption(f"Where it stands. Chance: {around['chance_coverage'].iloc[0]:.1%} of random pairs touch it.")
    show.table(occurrence_table(analysis.windows, token), "occurrences", provenance, height=340)

show.how_to_read(
    """
- **Coverage**: the share of a head's strong pairs that touch the token. **Chance**: the share of random pairs that do, which
  grows with the number of its occurrences. **Lift**: coverage / chance. The most common token of a text has a head start
  by coverage; by lift the head start is gone, and rare tokens come up.
- **Uniqueness** has two chance levels. Heads of random pairs all have the most common token of the text. Heads that are as
  concentrated as these, but around places drawn at random, are what *independent* heads would give: above that line heads
  avoid each other's anchors, below it they share them.
- A **part of a word** stands with the words that it is a part of: ##ing (walking, talking).
- **Shared**: in how many other heads of the layer, and of the model, the token is the anchor.
"""
)
show.our_choice(
    "The paper's threshold for strong pairs and its rule for ties are not known to us. Of two tokens with equal coverage the "
    "rarer is the anchor; by lift, a token needs three occurrences. [CLS] and [SEP] may be anchors (see the sidebar)."
)
st.subheader("Numbers", anchor=False)
show.table(heads, "anchors", provenance, columns=SHARES | {"lift": LIFT})
