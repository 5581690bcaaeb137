"""What heads are for: a map of all heads, how many have each role, and one head in detail."""

import pandas as pd
import streamlit as st

from attn_core.charts.bars import bars_beside_chance, heads_of_roles
from attn_core.charts.clusters import Group, role_map
from attn_core.charts.curve import THIS_MODEL
from attn_core.measures.examples import pair_in_text
from attn_core.measures.kinds import kind_examples
from attn_core.measures.roles import role_counts
from attn_core.ui.shell.view import View
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import segmented
from attn_core.ui.widgets.escape import marked, plain
from attn_core.ui.widgets.pick import head_chart

GROUPS: list[Group] = ["role", "cluster"]


def show_map(view: View, heads: pd.DataFrame) -> Group:
    """The map of all heads, and the switch of what its colours are of, which is returned. heads: with role and cluster."""
    by = segmented("Colour", GROUPS, "colour", label_visibility="collapsed")
    head_chart(view.marked(role_map(heads, by)), "role-map", f"The {by} of every head")
    return by


def show_counts(view: View) -> None:
    """How many heads of the model and of its copies have each role."""
    subjects = {THIS_MODEL: view.results.statistics, **view.copies.heads}
    counts = pd.DataFrame({name: role_counts(heads["role"]) for name, heads in subjects.items()})
    show.chart(
        heads_of_roles(counts.reindex(role_counts(view.results.statistics["role"]).index)),
        "roles",
        "Heads of each role",
    )


def explain_head(view: View) -> None:
    """Why head A has its role, its strong pairs by kind beside chance, and the strongest of each kind."""
    layer, head = view.head_a.row
    heads, kinds = view.results.statistics, view.results.kinds
    st.markdown(f"{plain(heads.set_index(['layer', 'head']).loc[view.head_a.row, 'role_rule'])}.")
    mine = kinds[(kinds["layer"] == layer) & (kinds["head"] == head)]
    left, right = st.columns([2, 3], gap="large")
    with left:
        st.caption("Each pair counts once, as the first kind that fits.")
        title = f"Kinds of the strong pairs of {view.head_a}"
        show.chart(bars_beside_chance(mine, "kind", "kind", title), "kinds-of-head", title)
    with right:
        st.markdown("**Its strongest pair of each kind**")
        shares = mine.set_index("kind")["share"]
        examples = kind_examples(view.results.windows, view.head_a).items()
        st.markdown(
            "\n".join(f"- *{kind}*, {shares[kind]:.0%}: {marked(pair_in_text(*pair))}" for kind, pair in examples)
        )
