"""What heads do in proportion, on the screen: all heads at a glance, one head in detail, a pair to read of each kind."""

import pandas as pd
import streamlit as st

from attn_core.charts.kinds import kinds_at_a_glance, kinds_of_head
from attn_core.measures.examples import pair_in_text
from attn_core.measures.kinds import kind_examples
from attn_core.ui.caches import readings
from attn_core.ui.shell.frame import TextView, View
from attn_core.ui.widgets import show
from attn_core.ui.widgets.escape import plain
from attn_core.ui.widgets.marked_text import marked
from attn_core.ui.widgets.pick import head_chart
from attn_core.ui.widgets.sections import section


def show_kinds(view: View) -> None:
    """The kinds of all heads in one chart, those of head A beside chance, and where there is a text, one pair of each."""
    kinds, a = view.results.kinds, view.head_a
    section("What heads do in proportion")
    st.caption(
        "Each strong pair counts once, as the first kind of the legend that fits it. **Click a bar to choose head A.**"
    )
    head_chart(
        view.marked(kinds_at_a_glance(kinds)), "kinds", "Kinds of the strong pairs of every head, by layer", kinds
    )
    left, right = st.columns([2, 3], gap="large")
    with left:
        st.markdown(f"**{a}: its strong pairs by kind**")
        mine = kinds[(kinds["layer"] == a.row[0]) & (kinds["head"] == a.row[1])]
        show.chart(kinds_of_head(mine), "kinds-of-head", f"Kinds of the strong pairs of {a}", across=0.4)
        st.caption("Bars: its strong pairs. Grey ticks: all pairs, the chance level.")
    with right:
        if view.text:
            _examples(view.text, mine)
    if view.text:
        _groups(view.text)


def _examples(view: TextView, kinds: pd.DataFrame) -> None:
    """The strongest pair of each kind of head A. kinds: the rows of that head."""
    st.markdown("**Its strongest pair of each kind**")
    shares = dict(zip(kinds["kind"], kinds["share"], strict=True))
    for kind, pair in kind_examples(view.results.windows, view.head_a).items():
        st.markdown(f"*{kind}*, {shares[kind]:.0%}: {marked(pair_in_text(*pair))}")


def _groups(view: TextView) -> None:
    """What head A joins, group by group, each with its share, its tokens, and pairs to read."""
    section(f"What {view.head_a} joins")
    groups = readings.pair_groups(view.choice, view.head_a)
    if groups is None:
        st.caption("Too few strong pairs, or all of them alike: there is nothing to group.")
        return
    st.caption(
        f"{len(groups.pairs):,} of its strong pairs in groups, by the tokens that they touch and the direction of their outputs "
        f"(k-means; the number by silhouette, {groups.silhouette:.2f}). Drawn again with replacement, the groups agree to "
        f"{groups.stability:.2f} (adjusted Rand index; chance: 0)."
    )
    columns = st.columns(2, gap="large")
    for group in range(1, int(groups.labels.max()) + 1):
        with columns[(group - 1) % 2].container(border=True):
            tokens = ", ".join(f"“{plain(token)}” {share:.0%}" for token, share in groups.tokens(group))
            st.markdown(f"**{groups.share(group):.0%} of the pairs** touch {tokens}")
            for pair in groups.examples(group):
                st.markdown(marked(pair_in_text(*pair)))
