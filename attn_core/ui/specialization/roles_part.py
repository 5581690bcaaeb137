"""What the Specialization page asks for, how it explains roles and clusters, and what heads do in proportion: all at a glance,
one in detail, pairs to read of each kind.
"""

import pandas as pd
import streamlit as st

from attn_core.charts.clusters import profile_table, silhouette_curve
from attn_core.charts.distances import layer_curve
from attn_core.charts.kinds import kinds_at_a_glance, kinds_of_head
from attn_core.head import Head
from attn_core.measures.clusters import Clustering, cluster_profiles
from attn_core.measures.examples import pair_in_text
from attn_core.measures.few_pairs import too_few
from attn_core.measures.kinds import kind_examples
from attn_core.measures.roles import ANCHOR, MIXED, ROLES, role_counts
from attn_core.measures.statistics import BY_NAME
from attn_core.texts.token_names import quoted
from attn_core.ui.shell.view import View
from attn_core.ui.widgets import show
from attn_core.ui.widgets.escape import marked, plain
from attn_core.ui.widgets.pick import head_chart


def explain_clusters(view: View, clusters: Clustering) -> None:
    """The silhouettes by number of clusters, and what sets each cluster apart."""
    if too_few(view.results.statistics):
        st.caption("No clusters: too few strong pairs.")
        return
    if clusters.silhouettes:
        show.chart(
            silhouette_curve(clusters.silhouettes, clusters.number),
            "silhouette",
            "How well the heads part into clusters, by their number",
        )
    st.caption("Mean z-score of each statistic. 0 is the mean of all heads, ±1 a standard deviation between heads.")
    show.chart(profile_table(cluster_profiles(clusters)), "profiles", "What sets each cluster of heads apart")


def explain_role(head: pd.Series) -> None:
    """The rule that gave a head its role, and its anchor where the rule does not name it. head: its row, with role and rule."""
    above_chance = head["anchor"] and head["anchor_coverage"] > head["chance_anchor_coverage"]
    anchor = f" Its anchor is {plain(quoted(head['anchor']))}." if above_chance else " It has no anchor above chance."
    named = ANCHOR.name in (head["role"], head["second_role"])
    st.markdown(f"{plain(head['role_rule'])}.{'' if named else anchor}")


def count_roles(view: View) -> pd.DataFrame:
    """The number of heads of each role, of those that have it second, and of heads of each copy of the model that have it."""
    roles = view.results.statistics
    counts = pd.DataFrame({"heads": role_counts(roles["role"])})
    counts["as second"] = role_counts(roles["second_role"]).reindex(counts.index, fill_value=0)
    for name, heads in view.copies.heads.items():
        both = heads[["role", "second_role"]].melt()["value"]
        counts[name] = role_counts(both).reindex(counts.index, fill_value=0)
    return counts


def show_counts(view: View, counts: pd.DataFrame) -> None:
    """How many heads have which role, in the copies too; nothing where pairs are too few for one. counts: as of `count_roles`."""
    if too_few(view.results.statistics):
        return
    named = counts.drop(MIXED.name)
    have = named.drop(columns=["heads", "as second"])
    have.insert(0, "this model", named["heads"] + named["as second"])
    st.markdown(f"**{named['heads'].sum():.0f} of {len(view.results.statistics)} heads have a role.** First or second:")
    lines = (
        f"- {name}: {', '.join(f'{plain(role)} {number:.0f}' for role, number in column.items())}"
        for name, column in have.items()
    )
    st.markdown("\n".join(lines))


def table_of_roles(counts: pd.DataFrame) -> None:
    """Every role with what it means and how many heads have it. counts: as of `count_roles`."""
    meanings = {role.name: role.meaning for role in ROLES}
    meaning_of_each = [meanings.get(role, "none of these stands out") for role in counts.index]
    show.table(
        counts.assign(**{"strong pairs": meaning_of_each}).rename_axis("role").reset_index(),
        "roles",
        fold="The roles: how many heads have each",
    )


def show_noise(view: View) -> None:
    """The noise by layer, as a rate and in decibels."""
    results = view.results
    for side, name in zip(st.columns(2, gap="large"), ("noise_rate", "snr_db"), strict=True):
        with side:
            statistic = BY_NAME[name]
            st.caption(f"{statistic.question} Each point is a head, grey lines are copies of the model.")
            figure = layer_curve(results.statistics, results.layers, statistic, copies=view.copies.layers)
            show.chart(figure, name.replace("_", "-"), f"{statistic.label} of every head, by layer")


def show_kinds(view: View) -> None:
    """The kinds of all heads in one chart."""
    kinds = view.results.kinds
    if too_few(view.results.statistics):
        return
    st.header("What all heads do in proportion, by layer", anchor=False)
    st.caption(
        "Each strong pair counts once, as the first kind of the legend that fits it. **Click a bar to choose head A.**"
    )
    head_chart(view.marked(kinds_at_a_glance(kinds)), "kinds", "Kinds of the strong pairs of every head, by layer")


def show_kinds_of_head(view: View) -> None:
    """The kinds of head A beside chance."""
    kinds, a = view.results.kinds, view.head_a
    st.markdown(
        "**Its strong pairs by kind**, each counted once, as the first that fits it (grey ticks: all pairs, the chance level)"
    )
    title = f"Kinds of the strong pairs of {a}"
    show.chart(kinds_of_head(_of_head(kinds, a)), "kinds-of-head", title)


def show_examples_of_kinds(view: View) -> None:
    """The strongest pair of each kind of head A."""
    st.markdown("**Its strongest pair of each kind**")
    kinds = _of_head(view.results.kinds, view.head_a)
    shares = dict(zip(kinds["kind"], kinds["share"], strict=True))
    examples = kind_examples(view.results.windows, view.head_a).items()
    st.markdown("\n".join(f"- *{kind}*, {shares[kind]:.0%}: {marked(pair_in_text(*pair))}" for kind, pair in examples))


def _of_head(kinds: pd.DataFrame, head: Head) -> pd.DataFrame:
    return kinds[(kinds["layer"] == head.row[0]) & (kinds["head"] == head.row[1])]
