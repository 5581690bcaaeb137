"""Specialization and Anchor tokens: what is no table there, by the numbers of the library."""

import attn_core
from attn_core.charts.descriptions import counted
from attn_core.measures.clusters import cluster_heads
from attn_core.measures.comparison import overlap_of_all
from attn_core.measures.stable_roles import SETTINGS
from attn_core.models.baselines import copy_of
from attn_core.models.files import COPIES, ModelSpec
from tests.families import Folder
from tests.ui.pages import described, opened, text_of

TITLE = "A refrain"
TEXT = text_of(TITLE)


def test_a_switch_colours_the_map_by_cluster(tiny: ModelSpec) -> None:
    app = opened("pages/3_Specialization.py", model=tiny.name, text=TITLE, colour="cluster")
    clusters = cluster_heads(attn_core.analyze(TEXT, tiny).heads).labels
    for cluster in set(clusters.tolist()):
        assert f"{(clusters == cluster).sum()} cluster {cluster}" in described(app, "The cluster of every head")


def test_the_roles_of_head_a_and_which_are_stable_are_those_of_the_library(tiny_folder: Folder) -> None:
    spec = ModelSpec(str(tiny_folder("gpt2")))
    roles = attn_core.analyze(TEXT, spec).roles
    stable = roles[~roles["stable_role"].isin(["mixed", "too few pairs"])]
    for head in (stable.index[0], next(head for head in roles.index if head not in stable.index)):
        row = roles.loc[head]
        app = opened("pages/3_Specialization.py", model=spec.name, text=TITLE, a=f"L{row['layer']}H{row['head']}")
        assert described(app, f"share of strong pairs. role: {counted(row[[*SETTINGS]])}.")
        assert described(app, f"; stable: {counted(stable['stable_role'])}.")
        (said,) = [one.value for one in app.caption if "of nine settings" in one.value]
        assert ("is stable" in said) == (head in stable.index) and f" {row['settings']} of nine" in said


def test_the_map_of_heads_two_by_two_has_their_overlap(tiny: ModelSpec) -> None:
    app = opened("pages/3_Specialization.py", model=tiny.name, text=TITLE, **{"open-likeness": "true"})
    overlap, chance = overlap_of_all(attn_core.analyze(TEXT, tiny).windows)
    alt, heads = described(app, "of every two"), len(overlap)
    mean = (overlap.sum() - heads) / (heads * (heads - 1))
    assert f"mean of every two {mean:.0%}, chance {chance:.0%}" in alt


def test_the_anchors_stand_beside_the_largest_of_each_copy(tiny: ModelSpec) -> None:
    app = opened("pages/4_Anchor_tokens.py", model=tiny.name, text=TITLE)
    (said,) = [caption.value for caption in app.caption if "of a copy" in caption.value]
    for kind, name in COPIES.items():
        heads = attn_core.analyze(TEXT, copy_of(tiny, kind)).heads
        assert f"{name} {heads['anchor_coverage'].max():.1%}" in said
