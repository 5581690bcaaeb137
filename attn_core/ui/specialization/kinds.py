"""What heads do in proportion: all heads at a glance, one head in detail, pairs to read of each kind and of each group."""

import pandas as pd
import streamlit as st

from attn_core.charts.kinds import kinds_at_a_glance, kinds_of_head
from attn_core.head import Head
from attn_core.measures.examples import pair_in_text
from attn_core.measures.kinds import kind_examples
from attn_core.ui.caches import of_choice
from attn_core.ui.shell.view import TextView, View
from attn_core.ui.widgets import show
from attn_core.ui.widgets.escape import marked, plain
from attn_core.ui.widgets.pick import head_chart
from attn_core.ui.widgets.sections import section

SMALL = 0.05  # of the pairs: a group below it is counted, and not read


def show_kinds(view: View) -> None:
    """The kinds of all heads in one chart."""
    kinds = view.results.kinds
    section("What all heads do in proportion, by layer")
    st.caption(
        "Each strong pair counts once, as the first kind of the legend that fits it. **Click a bar to choose head A.**"
    )
    head_chart(
        view.marked(kinds_at_a_glance(kinds)), "kinds", "Kinds of the strong pairs of every head, by layer", kinds
    )


def show_kinds_of_head(view: View) -> None:
    """The kinds of head A beside chance."""
    kinds, a = view.results.kinds, view.head_a
    st.markdown("**Its strong pairs by kind** (grey ticks: all pairs, the chance level)")
    title = f"Kinds of the strong pairs of {a}"
    show.chart(kinds_of_head(_of_head(kinds, a)), "kinds-of-head", title, across=0.4)


def show_examples_of_kinds(view: TextView) -> None:
    """The strongest pair of each kind of head A."""
    st.markdown("**Its strongest pair of each kind**")
    kinds = _of_head(view.results.kinds, view.head_a)
    shares = dict(zip(kinds["kind"], kinds["share"], strict=True))
    examples = kind_examples(view.results.windows, view.head_a).items()
    st.markdown("\n".join(f"- *{kind}*, {shares[kind]:.0%}: {marked(pair_in_text(*pair))}" for kind, pair in examples))


def _of_head(kinds: pd.DataFrame, head: Head) -> pd.DataFrame:
    return kinds[(kinds["layer"] == head.row[0]) & (kinds["head"] == head.row[1])]


def show_groups(view: TextView) -> None:
    """What head A joins, group by group, each with its share, its tokens, and a pair to read."""
    groups = of_choice.pair_groups(view.choice, view.head_a)
    if groups is None:
        st.caption("Too few strong pairs, or all of them alike: there is nothing to group.")
        return
    st.caption(
        f"{len(groups.pairs):,} of its strong pairs in groups, by the tokens that they touch and the direction of their outputs "
        f"(k-means; the number by silhouette, {groups.silhouette:.2f}). Drawn again with replacement, the groups agree to "
        f"{groups.stability:.2f} (adjusted Rand index; chance: 0)."
    )
    lines, every = [], range(1, int(groups.labels.max()) + 1)
    large = [group for group in every if groups.share(group) >= SMALL]
    for group in large:
        tokens = ", ".join(f"“{plain(token)}” {share:.0%}" for token, share in groups.tokens(group))
        example = marked(pair_in_text(*groups.examples(group)[0]))
        lines.append(f"- **{groups.share(group):.0%} of the pairs** touch {tokens}: {example}")
    if small := len(every) - len(large):
        rest = 1 - sum(map(groups.share, large))
        lines.append(
            f"- **{rest:.0%} of the pairs** are in {small} smaller group{'s' if small > 1 else ''}, under {SMALL:.0%} each."
        )
    st.markdown("\n".join(lines))
