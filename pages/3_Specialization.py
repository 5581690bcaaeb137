"""Specialization: which heads are alike, and what each of them is for."""

from functools import partial

import streamlit as st

from attn_core.charts.clusters import cluster_names, role_map
from attn_core.measures.few_pairs import too_few
from attn_core.measures.statistics import STATISTICS
from attn_core.ui import derived
from attn_core.ui.shell import page
from attn_core.ui.shell.view import head_part
from attn_core.ui.widgets import show
from attn_core.ui.widgets.pick import head_chart

view = page.begin()
with show.starting():
    from attn_core.ui.specialization import roles_part, scatter
    from attn_core.ui.specialization.roles_part import show_examples_of_kinds, show_kinds, show_kinds_of_head
statistics = view.results.statistics
clusters = derived.clustering(view.choice)
heads = statistics.assign(cluster=cluster_names(clusters.labels))
counts = roles_part.count_roles(view)
roles_part.show_counts(view, counts)

st.header("All heads", anchor=False)
left, right = st.columns(2, gap="large")
with left:
    st.caption("What tells its strong pairs from random ones best. **Click: head A.**")
    head_chart(view.marked(role_map(heads)), "role-map", "The role of every head")
with right:
    scatter.show_scatter(view, heads)

with head_part(view):
    if not too_few(statistics):
        roles_part.explain_role(statistics.set_index(["layer", "head"]).loc[view.head_a.row])
        left, right = st.columns([2, 3], gap="large")
        with left:
            show_kinds_of_head(view)
        with right:
            show_examples_of_kinds(view)

show_kinds(view)
roles_part.table_of_roles(counts)
show.folded("Noise by layer", "noise", partial(roles_part.show_noise, view))
of_clusters = partial(roles_part.explain_clusters, view, clusters)
show.folded("Clusters: how many, and what sets each apart", "clusters", of_clusters)

show.help("Specialization")
raw = [column for s in STATISTICS for column in (s.name, s.chance)]
table = heads[["layer", "head", "role", "second_role", "role_rule", "cluster", *raw]].join(
    clusters.z_scores.add_prefix("z_")
)
z_scores = {f"z_{s.name}": st.column_config.NumberColumn(f"{s.label} (z)", format="%+.2f") for s in STATISTICS}
show.table(table, "features", z_scores, fold="The statistics of every head")
kinds = view.results.kinds
show.table(kinds, "kinds", show.shares(*kinds.filter(like="share")), fold="Kinds of every head's strong pairs")
