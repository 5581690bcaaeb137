"""Every figure of made-up tables."""

from collections.abc import Callable
from itertools import product

import numpy as np
import pandas as pd

from attn_core.charts import interventions, patterns
from attn_core.charts.anchors import anchor_grid, stability_map, token_map
from attn_core.charts.claims import claim_picture, claims_grid
from attn_core.charts.curve import (
    LAYER,
    THIS_MODEL,
    curve,
    depth_curves,
    drift_by_step,
    layer_curve,
    layers_by_step,
    roles_by_step,
    share_sensitivity,
)
from attn_core.charts.groups import heads_of_roles, likeness_map, profile_table, role_map, scatter
from attn_core.charts.head_map import best_match_map, statistic_map, value_map
from attn_core.charts.pairs import bars_beside_chance, distances_at_a_glance, kinds_at_a_glance
from attn_core.charts.segments import power_map, segment_strips
from attn_core.charts.specification_curve import specification_curve
from attn_core.charts.style import Figure, colours
from attn_core.charts.word_grid import matrix_crop
from attn_core.claims.claim import CLAIMS
from attn_core.comparison.match import HeadMatch
from attn_core.measures.clusters import FEATURES, cluster_heads, cluster_profiles
from attn_core.measures.kinds import KINDS, kind_table
from attn_core.measures.roles import MIXED, NAMES, role_counts
from attn_core.measures.statistics import ANCHOR_UNIQUENESS, BY_NAME, STATISTICS
from attn_core.measures.window_counts import add_up, count_window
from attn_core.models.files import COPIES
from tests.measures.made_up import made_passage, measured, random_choice


def heads_table(layers: int = 3, heads: int = 4) -> pd.DataFrame:
    """The statistics of heads with every role among them."""
    layer, head = np.indices((layers, heads)).reshape(2, -1) + 1
    names = [*NAMES, MIXED.name]
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(layers * heads, len(FEATURES))), columns=FEATURES)
    return table.assign(
        layer=layer, head=head, role=[names[at % len(names)] for at in range(layers * heads)], second_role="",
        role_rule="a rule", anchor="the", repeated_tokens="", pairs=1000, windows=1, chance_anchor_coverage=-9.0,
    )  # fmt: skip


LAYERS, ACROSS = 6, 12
RANDOM = np.random.default_rng(0)
CELLS = pd.DataFrame(product(range(1, LAYERS + 1), range(1, ACROSS + 1)), columns=["layer", "head"])
SIZE = len(CELLS)
BINNED = add_up([count_window(measured(random_choice(made_passage([0] * 30), 40, seed=1)))]).distance_bins
ROLES = {name: heads_table(LAYERS, ACROSS)[name] for name in ("role", "second_role", "role_rule")}
HEADS = CELLS.assign(
    **{name: RANDOM.random(SIZE) for statistic in STATISTICS for name in (statistic.name, statistic.chance)},
    anchor="the",
    repeated_tokens="the sea",
    pairs=1000,
    windows=1,
).assign(**ROLES, mean_distance=np.linspace(20, 199, SIZE), near_share=1.0)
MEANS = HEADS.groupby("layer").mean(numeric_only=True).reset_index()
COVERED = CELLS.assign(
    anchor="thing", anchor_word="(every)thing", coverage=1.0, chance_coverage=0.1, chance_token_coverage=0.1, lift=10.0,
    occurrences=4, runners_up="", excess=0.9, is_anchor=CELLS["head"] % 2 == 0, anchor_stability=0.4,
    chance_anchor_stability=0.1, anchor_coverage=0.5, chance_anchor_coverage=0.1, pairs=1000, windows=1,
)  # fmt: skip
UNIQUE = pd.DataFrame({"layer": [1, 2], "anchor_uniqueness": [0.4, 0.8]})
REMOVED = CELLS.assign(importance=np.linspace(0.001, 0.5, SIZE), off=CELLS["head"] == 3)
SCORED = CELLS.assign(
    score=1.0, chance_score=0.5, pairs=9, attends=0.6, attended=0.7, relation="first name and last name"
)
STEPS = CELLS.merge(pd.DataFrame({"step": [0, 100, 100_000]}), how="cross").assign(
    mean_distance=9.0, chance_mean_distance=8.0, drift=0.5, chance_drift=1.0
)
SHARES = RANDOM.dirichlet(np.ones(len(KINDS)), (LAYERS, ACROSS))
ORDERS = pd.DataFrame(
    [(name, removed, removed / 9, 0.1, 0.4) for name in ("least important first", "role", "other", "random")
     for removed in (1, 4)],
    columns=["order", "removed", "effect", "low", "high"],
)  # fmt: skip
BITS = pd.DataFrame(
    [(layer, kind, heads, 8.0 - layer) for layer in (0, 1) for kind in interventions.KINDS.values()
     for heads in ("all heads", "without L1H1 and L1H2")],
    columns=["layer", "kind", "heads", "bits"],
)  # fmt: skip
STRIPS = pd.DataFrame(
    [(name, at, at, at, "words") for name in ("head outputs", "gold") for at in range(1, 9)],
    columns=["name", "segment", "first_sentence", "last_sentence", "preview"],
)
ROLES_BY_STEP = pd.DataFrame(
    [(step, role, heads) for step, heads in ((0, 1), (500, 9)) for role in NAMES[:2]], columns=["step", "role", "heads"]
)
CLUSTERED = HEADS.assign(cluster=[f"cluster {1 + place % 3}" for place in range(SIZE)])
ROLE_COUNTS = role_counts(HEADS["role"])
PROFILES = cluster_profiles(cluster_heads(heads_table()))


def made_curves() -> pd.DataFrame:
    rows = [
        (name, "mean_distance", layer + 1, layer / (layers - 1), 10.0 * layer + layers, 50.0)
        for name, layers in (("<a>", 3), ("b", 5))
        for layer in range(layers)
    ]
    return pd.DataFrame(rows, columns=["subject", "statistic", "layer", "depth", "value", "chance"])


BASELINES = ("untrained", "shuffled_weights", "shuffled_text")


def made_claims() -> pd.DataFrame:
    """All claims, each supported by half of what lies between its thresholds, but C6, which is not applicable."""
    rows = []
    for claim in CLAIMS:
        step = claim.supported - claim.contradicted
        low, high = sorted((claim.supported + step / 4, claim.supported + step))
        none = claim.claim == "C6"
        row = {
            "claim": claim.claim, "effect": claim.effect, "value": claim.supported + step / 2,
            "chance": claim.contradicted,
            "low": np.nan if none else low, "high": np.nan if none else high,
            "texts": 9, "verdict": "not applicable" if none else "supported", "reason": "No separator." if none else "",
            "more_than_untrained": "" if none else "yes", "needs_word_order": "",
            **dict.fromkeys(BASELINES[:2], claim.contradicted), "shuffled_text": np.nan,
            **{f"{name}_{end}": np.nan for name in BASELINES for end in ("low", "high")},
        }  # fmt: skip
        rows.append(row)
    return pd.DataFrame(rows)


def made_settings() -> pd.DataFrame:
    """The first claim under four settings, each with a larger effect than the one before."""
    one = made_claims().iloc[[0] * 4].reset_index(drop=True)
    return one.assign(
        value=one["value"] + [0.0, 0.01, 0.02, 0.03], share=[0.01, 0.1] * 2, special=["in", "in", "out", "out"]
    )


def made_cells() -> pd.DataFrame:
    """All claims as cells of a grid, beside a second column."""
    cells = made_claims().assign(name=[claim.name for claim in CLAIMS], number="9% [8, 10]", how_many="3 of 4 settings")
    cells = cells.assign(most=True, chosen=False)
    return pd.concat([cells.assign(subject=name, column=name) for name in ("<a>", "b, untrained copy 1")])


FIGURES: dict[str, Callable[[], Figure]] = {
    "heads": lambda: statistic_map(HEADS, BY_NAME["mean_distance"]),
    "shares of heads": lambda: statistic_map(HEADS, BY_NAME["near_share"]),
    "layers": lambda: layer_curve(HEADS, MEANS, BY_NAME["mean_distance"]),
    "crop": lambda: matrix_crop(
        RANDOM.random((24, 24)), ["everything"] * 99, 9, 40, "context similarity", colours("sequential"), (0, 1),
        (9, 40)
    ),
    "anchors": lambda: anchor_grid(COVERED),
    "stability": lambda: stability_map(COVERED),
    "token": lambda: token_map(COVERED),
    "uniqueness": lambda: curve(UNIQUE, LAYER, ANCHOR_UNIQUENESS),
    "roles": lambda: role_map(HEADS),
    "clusters": lambda: role_map(CLUSTERED, "cluster"),
    "heads of roles": lambda: heads_of_roles(pd.DataFrame(dict.fromkeys((THIS_MODEL, *COPIES.values()), ROLE_COUNTS))),
    "likeness": lambda: likeness_map(RANDOM.random((SIZE, SIZE)), CLUSTERED, 0.01),
    "profiles": lambda: profile_table(PROFILES),
    "scatter": lambda: scatter(CLUSTERED, BY_NAME["near_share"], BY_NAME["mean_distance"], "role"),
    "kinds": lambda: kinds_at_a_glance(kind_table(SHARES, SHARES)),
    "kinds of a head": lambda: bars_beside_chance(kind_table(SHARES, SHARES).head(len(KINDS)), "kind", "kind", "Kinds"),
    "distances": lambda: distances_at_a_glance(BINNED, "words"),
    "distances of a head": lambda: bars_beside_chance(
        BINNED[BINNED["layer"] == 1], "distance", "distance (words)", "Distances"
    ),
    "shares": lambda: share_sensitivity(
        pd.concat([MEANS.assign(share=share) for share in (0.001, 0.1)], ignore_index=True),
        BY_NAME["mean_distance"], 0.1
    ),
    "depth": lambda: depth_curves(made_curves(), BY_NAME["mean_distance"]),
    "differences": lambda: value_map(HEADS, "mean_distance", BY_NAME["mean_distance"], 200),
    "match": lambda: best_match_map(
        HeadMatch(
            RANDOM.uniform(-0.2, 0.9, (SIZE, SIZE)), np.full((2, SIZE, SIZE), 0.1), ((LAYERS, ACROSS),) * 2, 300
        ).table()
    ),
    "removed": lambda: interventions.removal_map(REMOVED, "colour: importance, measured"),
    "effect": lambda: interventions.effect_beside_chance(0.03, np.array([0.01, 0.04])),
    "orders": lambda: interventions.pruning(ORDERS, "random", 0.05),
    "bits": lambda: interventions.by_layer_in_bits(BITS, 6.5),
    "scores": lambda: patterns.score_map(SCORED, 0.5),
    "relations": lambda: patterns.relation_map(SCORED, "score", "similarity", 9),
    "power": lambda: power_map(
        RANDOM.random((LAYERS, ACROSS)), RANDOM.dirichlet(np.ones(SIZE)).reshape(LAYERS, ACROSS)
    ),
    "steps": lambda: layers_by_step(STEPS[STEPS["head"] == 1].reset_index(drop=True), BY_NAME["mean_distance"]),
    "drift": lambda: drift_by_step(STEPS),
    "roles by step": lambda: roles_by_step(ROLES_BY_STEP),
    "segments": lambda: segment_strips(STRIPS),
    "claims": lambda: claim_picture(made_claims()),
    "claims grid": lambda: claims_grid(made_cells()),
    "settings": lambda: specification_curve(
        made_settings(), {"share": [(0.01, "1%"), (0.1, "10%")], "special": [("in", "in"), ("out", "out")]}, CLAIMS[0]
    ),
}  # fmt: skip
