"""Specialization: what each head is for, by its role and by its cluster."""

from functools import partial

import streamlit as st

from attn_core.charts.clusters import cluster_names
from attn_core.measures.few_pairs import too_few
from attn_core.measures.statistics import STATISTICS
from attn_core.ui import derived
from attn_core.ui.shell import page
from attn_core.ui.shell.view import head_part
from attn_core.ui.specialization import of_all_heads, of_roles
from attn_core.ui.widgets import show

view = page.begin()
clusters = derived.clustering(view.choice)
heads = view.results.statistics.assign(cluster=cluster_names(clusters.labels))
named = not too_few(heads)

left, right = st.columns([3, 2], gap="large")
with left:
    st.header("All heads", anchor=False)
    colour = of_roles.show_map(view, heads)
with right:
    st.header("Heads of each role", anchor=False)
    of_roles.show_counts(view)
with head_part(view):
    if named:
        of_roles.explain_head(view)

show.folded("Any two statistics", "scatter", partial(of_all_heads.show_scatter, view, heads, colour))
if named:
    show.folded("Kinds of pairs, by layer", "kinds-of-all", partial(of_all_heads.show_kinds, view))
of_clusters = partial(of_all_heads.explain_clusters, view, clusters)
show.folded("Clusters: how many, and what sets each apart", "clusters", of_clusters)
show.folded("Noise by layer", "noise", partial(of_all_heads.show_noise, view))
show.folded("Which heads pair the same tokens?", "likeness", partial(of_all_heads.show_likeness, view, heads))

raw = [column for s in STATISTICS for column in (s.name, s.chance)]
table = heads[["layer", "head", "role", "second_role", "role_rule", "cluster", *raw]].join(
    clusters.z_scores.add_prefix("z_")
)
z_scores = {f"z_{s.name}": st.column_config.NumberColumn(f"{s.label} (z)", format="%+.2f") for s in STATISTICS}
show.table(table, "features", z_scores, fold="The statistics of every head")
shares = show.shares("share", "chance_share")
show.table(view.results.kinds, "kinds", shares, fold="Kinds of every head's strong pairs")
show.help("Specialization")
