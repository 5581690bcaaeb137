"""Specialization: what each head is for, by its role and by its cluster."""

from functools import partial

import streamlit as st

from attn_core.charts.clusters import cluster_names
from attn_core.measures.few_pairs import too_few
from attn_core.measures.statistics import STATISTICS
from attn_core.ui import derived
from attn_core.ui.shell import page
from attn_core.ui.shell.view import head_part
from attn_core.ui.widgets import show

view = page.begin()
with show.starting():
    from attn_core.ui.specialization import of_all_heads, of_roles
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

show.how_to_read(
    """
- A **role** is the property that tells a head's strong pairs from random pairs best, in bits a pair. Its heads *repeat* one token
  (beyond the token that each repeats most), pair *neighbours* (at most two tokens apart), touch *separators* ([SEP], sentence
  ends), stay in a *sentence* (neighbours aside), or gather around an *anchor* token. *Mixed*: nothing stands out. A head of
  which two properties stand out has a second role.
- **Grey bars** are copies of the model that never learned: the untrained copy has weights drawn anew, the other has the model's
  own weights in random order.
- **Kinds** add up to all strong pairs of a head. *Neighbours* are at most two tokens apart; the *anchor* is the head's in that
  window. Grey ticks are chance: the same over all pairs.
- **Clusters** are Ward's, of the z-scored statistics, as many as give the largest mean **silhouette**: how much closer heads are
  to their own cluster than to the next, from -1 to 1. Any cloud of points gives some. A profile is the mean z-score: 0 is the
  mean of all heads, 1 a standard deviation between heads.
- **Noise** is how often a token of this text and one of a reference text are as similar as a strong pair must be, 1 where text
  makes no difference. The reference texts are four of the samples, read as this one is: under *shuffled text* both are shuffled.
  It is *not applicable*, and empty, where the model reads fewer than nine in ten of their tokens.
- The paper's two kinds of heads are our *repetition* and *anchor*. Most heads that pair repetitions pair those of one token, such
  as "the", with few others: that is an anchor.
""",
    "The paper shows single heads; the statistics, the clusters and the other roles are ours. An anchor that is a "
    "separator counts as *separators*, and neighbours do not count as *sentence*.",
)
raw = [column for s in STATISTICS for column in (s.name, s.chance)]
table = heads[["layer", "head", "role", "second_role", "role_rule", "cluster", *raw]].join(
    clusters.z_scores.add_prefix("z_")
)
z_scores = {f"z_{s.name}": st.column_config.NumberColumn(f"{s.label} (z)", format="%+.2f") for s in STATISTICS}
show.folded_table("The statistics of every head", table, "features", view.provenance(), z_scores)
kinds = view.results.kinds
shares = show.shares("share", "chance_share")
show.folded_table("Kinds of every head's strong pairs", kinds, "kinds", view.provenance(), shares)
