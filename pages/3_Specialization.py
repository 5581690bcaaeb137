"""Specialization: what each head is for, by its role and by its cluster."""

from collections.abc import Mapping
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from attn_core.analysis.one_text import Analysis
from attn_core.charts.curve import THIS_MODEL
from attn_core.charts.groups import Group, cluster_names
from attn_core.charts.role_words import role_rules
from attn_core.head import Head
from attn_core.measures.clusters import Clustering, cluster_heads, cluster_profiles
from attn_core.measures.comparison import overlap_of_all
from attn_core.measures.examples import pair_in_text
from attn_core.measures.kinds import kind_examples
from attn_core.measures.roles import FEW, MIXED, REMOVED, role_counts
from attn_core.measures.stable_roles import STABLE
from attn_core.measures.statistics import BY_LABEL, BY_NAME, STATISTICS
from attn_core.ui import reasons
from attn_core.ui.shell import page
from attn_core.ui.shell.completion import NOISE, SOURCES
from attn_core.ui.shell.page import View, head_part
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import one_of, segmented
from attn_core.ui.widgets.escape import marked, plain

NO_NOISE = "the model reads fewer than nine in ten tokens of the reference texts."
NO_PAIRS = "under the centred cosine all pairs have a mean of 0."
NOISE_BY_LAYER = {"common_share": NO_PAIRS, "noise_rate": NO_NOISE, "snr_db": NO_NOISE}  # and why there may be none
GROUPS: list[Group] = ["role", "cluster"]


def show_map(view: View, heads: pd.DataFrame) -> Group:
    """Draw the map of heads. Returns whether its colours are roles or clusters. heads: with both columns."""
    by = segmented("Colour", GROUPS, "colour", label_visibility="collapsed")
    if by == "role":
        view.show_roles()
    else:
        view.show("clusters", tables={"heads": lambda: heads})
    return by


def show_counts(view: View) -> None:
    """Draw the number of heads of each role, stable and not, for the model and its copies."""
    subjects = {THIS_MODEL: view.heads_with_stable, **view.copies.heads}
    tables = {"role_counts": partial(counts_of_roles, subjects)}
    view.show("role-counts", tables=tables, inputs=(view.roles is None, *map(len, subjects.values())))


def counts_of_roles(subjects: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """One row per subject, role, and stable or not: subject, role, stable, heads (NaN before it is read)."""
    names, parts = role_counts(subjects[THIS_MODEL]["role"]).index, list[pd.DataFrame]()
    for subject, heads in subjects.items():
        for stable in (True, False):
            own = heads.loc[heads["stable"].eq(True) == stable, "role"] if len(heads) else None
            number = np.nan if own is None else role_counts(own).reindex(names).to_numpy()
            parts.append(pd.DataFrame({"role": names, "heads": number}).assign(subject=subject, stable=stable))
    return pd.concat(parts, ignore_index=True)


def explain_head(view: View) -> None:
    """Draw why head A has its role, this under nine settings, its kinds of pairs with chance, and one of each kind."""
    head = view.head_a
    (rule,) = view.kept(("rule", head), lambda: role_rules(head.rows_of(view.results.statistics)))
    st.markdown(f"{plain(rule)}.")
    st.markdown(what_it_reads(view))
    left, middle, right = st.columns([3, 3, 4], gap="medium")
    with left:
        st.caption(stability(view))
        tables = {"roles": lambda: pd.DataFrame() if view.roles is None else view.roles}
        view.show("roles-of-head", tables=tables, inputs=view.roles is None, head=head)
    with middle:
        st.caption("Each pair counts once, as the first kind that fits.")
        view.show("kinds-of-head", head=head)
    with right:
        st.caption("Its strongest pair of each kind.")
        st.markdown(view.kept(("examples", head), partial(examples, view.results, head)))


def stability(view: View) -> str:
    """A sentence on how many of the nine settings give head A its role at the scalar product and 1 %."""
    if view.roles is None:
        return "Its role under nine settings is not read yet."
    row = view.head_a.rows_of(view.roles).iloc[0]
    is_stable = "is not stable" if row[STABLE] in (MIXED, FEW) else "is stable"
    return f"Its role {is_stable}: {row['settings']} of nine settings give that of the scalar product and 1%."


def what_it_reads(view: View) -> str:
    """A sentence on the token that head A's strong pairs read, beside the copies, or on why that is not known."""
    read = view.completion.ask(SOURCES)
    if read is None:
        return "What its strong pairs read is not known yet."
    if read.problem:
        return plain(read.problem)
    said = view.head_a.rows_of(reasons.sources_of(view, read.table))["said"].item()
    return plain(f"{said}.") if said else "What its strong pairs read is said only beside copies of the model."


def examples(results: Analysis, head: Head) -> str:
    """The strongest pair of each kind of a head in its text, as a list in Markdown."""
    shares = head.rows_of(results.kinds).set_index("kind")["share"]
    pairs = kind_examples(results.windows, head).items()
    return "\n".join(f"- *{kind}*, {shares[kind]:.0%}: {marked(pair_in_text(*pair))}" for kind, pair in pairs)


def show_scatter(view: View, heads: pd.DataFrame, by: Group) -> None:
    """Draw the heads as points by two chosen statistics. by: the column of `heads` that colours them."""
    is_read = view.completion.ask(NOISE)  # before, noise is NaN and yet a choice
    labels = [one.label for one in STATISTICS if heads[one.name].notna().all() or not is_read]
    with st.container(horizontal=True):
        x = BY_LABEL[one_of("x axis", labels, "x", "Mean distance", width=220)]
        y = BY_LABEL[one_of("y axis", labels, "y", "Repetition", width=220)]
    view.show("scatter", x.name, y.name, tables={"heads": lambda: heads}, by=by)


def show_kinds(view: View) -> None:
    """Draw the kinds of the strong pairs of every head."""
    st.caption("Each strong pair counts once, as the first kind of the legend that fits it.")
    view.show("kinds")


def explain_clusters(view: View, clusters: Clustering) -> None:
    """Draw the silhouettes by number of clusters, and the profile of each cluster."""
    if view.few:
        st.caption("No clusters: too few strong pairs.")
        return
    if clusters.silhouettes:
        silhouettes = pd.Series(clusters.silhouettes, name="silhouette").rename_axis("clusters")
        view.show("silhouettes", tables={"silhouettes": silhouettes.reset_index}, chosen=clusters.number)
    view.show("profiles", tables={"profiles": partial(cluster_profiles, clusters)})


def show_noise(view: View) -> None:
    """Draw, by layer, how much of a similarity any pair has, and the noise as a rate and in decibels."""
    for name, why_not in show.in_columns(NOISE_BY_LAYER.items(), 3):
        if view.results.layers[name].notna().any():
            st.caption(BY_NAME[name].question)
            view.show("layers", name)
        else:
            st.caption(f"{BY_NAME[name].label} is not applicable: {why_not}")


def show_likeness(view: View, heads: pd.DataFrame) -> None:
    """Draw the share of strong pairs that every two heads have in common. heads: with the column cluster."""
    here = heads["role"].ne(REMOVED).to_numpy()
    if here.sum() < 2:
        st.caption("There is no second head to compare with.")
        return
    overlap, chance = view.kept("overlap", partial(overlap_of_all, view.results.windows))
    tables = {"overlap": lambda: pd.DataFrame(overlap[np.ix_(here, here)]), "heads": lambda: heads[here]}
    view.show("likeness", tables=tables, chance=chance)


def with_clusters(results: Analysis) -> tuple[Clustering, pd.DataFrame]:
    """The clusters of the heads, and the heads table with their names."""
    clusters = cluster_heads(results.statistics)
    return clusters, results.statistics.assign(cluster=cluster_names(clusters.labels))


view = page.begin()
clusters, heads = view.kept("clusters", partial(with_clusters, view.results))
named = not view.few

left, right = st.columns([3, 2], gap="large")
with left:
    st.header("Role of every head", anchor=False)
    colour = show_map(view, heads)
    view.say_fair_chance()
with right:
    st.header("Heads of each role", anchor=False)
    show_counts(view)
with head_part(view):
    if named:
        explain_head(view)

show.folded("Any two statistics", "scatter", partial(show_scatter, view, heads, colour))
if named:
    show.folded("Kinds of pairs, by layer", "kinds-of-all", partial(show_kinds, view))
of_clusters = partial(explain_clusters, view, clusters)
show.folded("Clusters: how many, and what sets each apart", "clusters", of_clusters)
show.folded("Common share and noise, by layer", "noise", partial(show_noise, view))
show.folded("Which heads pair the same tokens?", "likeness", partial(show_likeness, view, heads))

raw = [column for s in STATISTICS for column in (s.name, f"chance_{s.name}")]
table = heads[["layer", "head", "role", "second_role", "cluster", *raw]].join(clusters.z_scores.add_prefix("z_"))
z_scores = {f"z_{s.name}": st.column_config.NumberColumn(f"{s.label} (z)", format="%+.2f") for s in STATISTICS}
show.table(table, "features", z_scores, fold="The statistics of every head")
show.table(view.results.kinds, "kinds", fold="Kinds of every head's strong pairs")
show.help("Specialization")
