"""Specialization: which heads are alike, and what each of them is for."""

import pandas as pd
import streamlit as st

from attn_core.analysis import DRAWS
from attn_core.charts.clusters import cluster_names, profile_table, projection, role_map, silhouette_curve
from attn_core.measures.clusters import METHODS, cluster_profiles
from attn_core.measures.frames import head_name
from attn_core.measures.roles import ROLES, assign_roles, pair_in_text, role_counts, role_examples
from attn_core.measures.statistics import STATISTICS
from attn_core.ui import cache, show
from attn_core.ui.escape import plain
from attn_core.ui.frame import page
from attn_core.ui.marked_text import marked
from attn_core.ui.pick import head_a_from

NAMES = {"Ward": "ward", "k-means": "k-means", "HDBSCAN": "hdbscan"}
view = page(
    "Specialization",
    "Which heads do the same thing, and what is each of them for? The paper describes heads that pair repetitions of one "
    "token, and heads that pair a common token with its surroundings.",
)
a, b = ((layer + 1, head + 1) for layer, head in (view.head_a, view.head_b))
choice, analysis = view.choice, view.analysis
provenance = analysis.provenance()

controls = st.columns(3, gap="large")
method = controls[0].segmented_control(
    "Clustering", METHODS, format_func=LABELS.get, default="ward", required=True, key="method", bind="query-params"
)
chosen = controls[1].segmented_control(
    "Number of clusters",
    ["auto", *map(str, range(2, 9))],
    default="auto",
    required=True,
    key="clusters",
    bind="query-params",
    disabled=method == "hdbscan",
    help="auto: the number with the largest mean silhouette. HDBSCAN finds its own number.",
)
threshold = controls[2].slider(
    "A role exceeds chance by at least (% of the pairs)",
    min_value=5,
    max_value=50,
    value=10,
    step=5,
    key="role",
    bind="query-params",
)
number = None if chosen == "auto" or method == "hdbscan" else int(chosen)
clustering = cache.clustering(choice, method, number)
roles = assign_roles(analysis.statistics, threshold / 100)
heads = analysis.statistics.assign(
    **roles,
    cluster=clustering.labels,
    name=[head_name(*head) for head in zip(analysis.statistics["layer"], analysis.statistics["head"], strict=True)],
)

left, right = st.columns([7, 3], gap="large")
with left:
    st.subheader("Heads that are alike lie together", anchor=False)
    st.caption("Each point is a head. **Click one to make it head A everywhere**; drag and scroll to zoom.")
    named = heads[["layer", "head", "name", "role", "anchor"]]
    show.chart(projection(named, clustering, a, b), "projection", on_select=head_a_from("projection"))
with right:
    st.subheader("Are the clusters real?", anchor=False)
    stability = cache.cluster_stability(choice, method, number)
    st.metric(
        "Stability (adjusted Rand index)",
        f"{stability.mean():.2f}",
        f"chance: 0 · lowest of {DRAWS} draws: {stability.min():.2f}",
        delta_color="off",
        delta_arrow="off",
    )
    pooled = " within each of the pooled windows" if len(analysis.windows) > 1 else ""
    st.caption(
        f"Strong pairs drawn again with replacement{pooled}, heads clustered anew: 1 is the same clusters each time."
    )
    if clustering.silhouettes:
        by_chance = cache.silhouette_chance(choice, method)
        show.chart(silhouette_curve(clustering.silhouettes, by_chance, clustering.number), "silhouette")
        st.caption("Only what lies clearly above the dashed line speaks for separate groups.")
    else:
        left_out = int((clustering.labels == 0).sum())
        st.caption(f"HDBSCAN finds {clustering.number} dense groups and leaves {left_out} heads out.")

st.subheader("What sets each cluster apart", anchor=False)
st.caption("Mean z-score of each statistic. 0 is the mean of all heads, ±1 a standard deviation between heads.")
show.chart(profile_table(cluster_profiles(clustering)), "profiles")

left, right = st.columns([7, 5], gap="large")
with left:
    st.subheader("What each head is for", anchor=False)
    st.caption("The property that tells its strong pairs from random pairs best. **Click a cell to choose head A.**")
    show.chart(role_map(heads, a, b), "role-map", on_select=head_a_from("role-map"))
with right:
    head = heads[heads["name"] == head_name(*a)].iloc[0]
    st.subheader(f"{head['name']}: {head['role']}", anchor=False)
    st.markdown(f"{plain(head['role_rule'])}.")
    for example in role_examples(analysis.windows, view.head_a, head["role"], head["anchor_id"]):
        st.markdown(f"> {marked(pair_in_text(*example))}")
    st.caption(f"Its strongest pairs that show it. Its anchor is “{plain(head['anchor'])}”.")
    counts = pd.DataFrame(
        {"heads": role_counts(heads["role"]), "by chance": cache.roles_by_chance(choice, threshold / 100)}
    )
    meanings = {role.name: f"strong pairs {role.meaning}" for role in ROLES}
    counts.insert(2, "meaning", [meanings.get(role, "none of these stands out") for role in counts.index])
    st.dataframe(counts.rename_axis("role").reset_index(), hide_index=True)

show.how_to_read(
    """
- The **projection** flattens the statistics (z-scored) onto their two main directions. Heads that lie together may still
  differ in what the picture leaves out: the axes say how much of the variance they show.
- **Silhouette**: how much closer heads are to their own cluster than to the next. Any cloud of points gives some;
  the dashed line is what one cloud with the same correlations and no clusters gives.
- **Stability**: when the strong pairs are drawn again, do the same heads stay together? It says nothing of other texts.
- A **role** goes to the property with the most bits a pair: half the pairs against 2 % by chance tells more than two
  thirds against 13 %. Heads of random pairs get almost no role (*by chance*).
- The paper's two kinds are our *repetition* and *anchor*. The other roles are ours.
"""
)
show.our_choice(
    "The statistics, the clustering and the roles are ours; the paper shows single heads. An anchor that is a separator "
    "counts as *separators*, and neighbours do not count as *sentence*."
)
st.subheader("Numbers", anchor=False)
raw = [column for s in STATISTICS for column in (s.name, s.chance)]
table = heads[["layer", "head", "role", "role_rule", "cluster", *raw]].assign(
    cluster=cluster_names(clustering.labels), **clustering.z_scores.add_prefix("z_")
)
z_columns = {f"z_{s.name}": st.column_config.NumberColumn(f"{s.label} (z)", format="%+.2f") for s in STATISTICS}
show.table(table, "features", provenance, columns=z_columns)
