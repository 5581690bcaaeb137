"""Every figure of the catalogue, of made-up tables."""

from collections.abc import Mapping
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from attn_core.charts.catalogue import NO_WORDS, Drawn, Tables, draw_figure
from attn_core.charts.curve import NO_COPIES, THIS_MODEL, Copies
from attn_core.charts.pairs import ONE_TEXT
from attn_core.charts.sources import DIFFERENT, SAME
from attn_core.claims.claim import CLAIMS
from attn_core.comparison.match import HeadMatch
from attn_core.head import Head
from attn_core.measures.clusters import FEATURES, cluster_heads, cluster_profiles
from attn_core.measures.distances import distance_table
from attn_core.measures.kinds import KINDS, kind_table
from attn_core.measures.roles import MIXED, NAMES, role_counts
from attn_core.measures.similarity_scores import CLASSES, reach_table, score_table
from attn_core.measures.stable_roles import SETTINGS
from attn_core.measures.statistics import STATISTICS
from attn_core.measures.window_counts import add_up, count_window
from attn_core.models.files import COPIES
from attn_core.patterns.scores import CHOSEN
from attn_core.similarity.distribution import BINS
from attn_core.similarity.words import Unit
from tests.measures.made_up import made_passage, measured, random_choice


def heads_table(layers: int = 3, heads: int = 4) -> pd.DataFrame:
    """The statistics of heads with every role among them."""
    layer, head = np.indices((layers, heads)).reshape(2, -1) + 1
    names = [*NAMES, MIXED]
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(layers * heads, len(FEATURES))), columns=FEATURES)
    return table.assign(
        layer=layer, head=head, role=[names[at % len(names)] for at in range(layers * heads)], second_role="",
        anchor="the", repeated_tokens="", pairs=1000, windows=1,
        anchor_is_separator=False, like_distance_same_sentence_share=0.1, chance_anchor_coverage=-9.0,
    )  # fmt: skip


LAYERS, ACROSS = 6, 12
RANDOM = np.random.default_rng(0)
CELLS = pd.DataFrame(product(range(1, LAYERS + 1), range(1, ACROSS + 1)), columns=["layer", "head"])
SIZE = len(CELLS)
FIRST = Head.of_row(1, 1)
COUNTED = add_up([count_window(measured(random_choice(made_passage([0] * 30), 40, seed=1)))])
DISTANCES, BINNED = distance_table(COUNTED.parts.distances), COUNTED.distance_bins
ROLES = {name: heads_table(LAYERS, ACROSS)[name] for name in ("role", "second_role")}
HEADS = CELLS.assign(
    **{name: RANDOM.random(SIZE) for statistic in STATISTICS for name in (statistic.name, statistic.chance)},
    anchor="the",
    anchor_is_separator=False,
    like_distance_same_sentence_share=0.1,
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
RANKED = COVERED.drop(columns=["anchor", "anchor_word", "runners_up"]).assign(rank=1, token="thing", token_id=7)
UNIQUE = pd.DataFrame({"layer": [1, 2], "anchor_uniqueness": [0.4, 0.8]})
REMOVED = CELLS.assign(importance=np.linspace(0.001, 0.5, SIZE), off=CELLS["head"] == 3)
SCORED = CELLS.assign(
    score=1.0, chance_score=0.5, pairs=9, attends=0.6, attended=0.7, relation="first name and last name"
)
STEPS = CELLS.merge(pd.DataFrame({"step": [0, 100, 100_000]}), how="cross").assign(
    mean_distance=9.0, chance_mean_distance=8.0, drift=0.5, chance_drift=1.0
)
SCORE_COUNTS = np.random.default_rng(1).integers(1, 99, (LAYERS, ACROSS, len(CLASSES), BINS))
SHARES = RANDOM.dirichlet(np.ones(len(KINDS)), (LAYERS, ACROSS))
ORDERS = pd.DataFrame(
    [(name, removed, removed / 9, 0.1, 0.4) for name in ("least important first", "role", "other", "random")
     for removed in (1, 4)],
    columns=["order", "removed", "effect", "low", "high"],
)  # fmt: skip
BITS = pd.DataFrame(
    [(layer, heads, 8.0 - layer, 9.0 - layer, 6.5) for layer in (0, 1) for heads in ("all", "without L1H1 and L1H2")],
    columns=["layer", "heads", "entropy", "cross_entropy", "chance_entropy"],
)  # fmt: skip
SILHOUETTES = pd.DataFrame({"clusters": [2, 3, 4], "silhouette": [0.2, 0.3, 0.1]})
STRIPS = pd.DataFrame(
    [(name, at, at, at, "words", name == "gold") for name in ("head outputs", "gold") for at in range(1, 9)],
    columns=["name", "segment", "first_sentence", "last_sentence", "preview", "gold"],
)
ROLES_BY_STEP = pd.DataFrame(
    [(of, step, role, heads) for of in (THIS_MODEL, *COPIES.values()) for step, heads in ((0, 1), (500, 9))
     for role in NAMES[:2]],
    columns=["of", "step", "role", "heads"],
)  # fmt: skip
OF_HEAD = pd.DataFrame(
    [(row, of, value, "word", "a.txt") for row in ("Noise", "Length")
     for of, value in ((ONE_TEXT, 2.0), (ONE_TEXT, 0.0), *((copy, 1.0) for copy in COPIES.values()))],
    columns=["row", "of", "value", "said", "text"],
)  # fmt: skip
CLUSTERED = HEADS.assign(cluster=[f"cluster {1 + place % 3}" for place in range(SIZE)])
ROLE_COUNTS = role_counts(HEADS["role"]).rename("heads").rename_axis("role").reset_index()
STABLE = HEADS.assign(stable=HEADS["layer"] % 2 == 0)
NINE = CELLS.assign(**dict.fromkeys(SETTINGS, HEADS["role"]))
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
        subject="a", step=None, value=one["value"] + [0.0, 0.01, 0.02, 0.03], share=[0.003, 0.01] * 2,
        special=["in", "in", "out", "out"], measure="dot", unit="tokens", layout="plain",
    )  # fmt: skip


def made_cells() -> pd.DataFrame:
    """All claims as cells of a grid, beside a second column."""
    cells = made_claims().assign(
        row=[claim.heading for claim in CLAIMS], number="9% [8, 10]", how_many="3 of 4 settings"
    )
    cells = cells.assign(most=True, chosen=False)
    return pd.concat([cells.assign(subject=name, column=name) for name in ("<a>", "b, untrained copy 1")])


def made(
    name: str,
    tables: Mapping[str, pd.DataFrame],
    *statistics: str,
    words: Mapping[str, Any] = NO_WORDS,
    unit: Unit = "tokens",
    copies: Copies = NO_COPIES,
    **arguments: Any,
) -> "partial[Drawn]":
    """A function that draws a figure of the catalogue."""
    of = Tables("page", tables, tables.__getitem__, unit, copies=copies)
    return partial(draw_figure, name, of, *statistics, words=words, **arguments)


BY_SHARE = pd.concat([MEANS.assign(share=share) for share in (0.001, 0.1)], ignore_index=True)
KIND_TABLE = kind_table(SHARES, SHARES)
MATCH = HeadMatch(
    RANDOM.uniform(-0.2, 0.9, (SIZE, SIZE)), np.full((2, SIZE, SIZE), 0.1), ((LAYERS, ACROSS),) * 2, 300
).table()  # fmt: skip
PART = pd.DataFrame(
    RANDOM.random((24, 30)), [f"{row} everything" for row in range(24)], [f"{at} everything" for at in range(30)]
)
TOKENS = pd.DataFrame({"token": ["the", "."] * 20, "value": RANDOM.uniform(-1, 1, 40), "picked": [True] + [False] * 39})
FIGURES: dict[str, "partial[Drawn]"] = {
    "heads": made("heads", {"heads": HEADS}),
    "shares of heads": made("heads", {"heads": HEADS}, "near_share"),
    "layers": made("layers", {"heads": HEADS, "layers": MEANS}),
    "crop": made("crop", {"cells": PART}, words={"head": "L1H1", "letter": "a"}, label="context similarity",
        scheme="sequential", cut=(0, 1), picked=("9 everything", "20 everything")),
    "text": made("text", {"tokens": TOKENS}, words={"head": "L1H1"}, label="similarity to the", diverging=True,
        shades=["#d3a45c", "#ffffff", "#2a8c86"]),
    "matrix": made("matrix", {"cells": PART - 0.5}, words={"head": "L1H1", "letter": "a"}, label="context similarity",
        scheme="diverging", cut=(-0.5, 0.5)),
    "why": made("why", {"why": pd.DataFrame({"part": [SAME, DIFFERENT], "value": [2.0, 3.5], "common": 1.5})},
        words={"head": "L1H1", "letter": "a"}),
    "anchors": made("anchors", {"anchors": RANKED}),
    "sources": made("sources", {"sources": CELLS.assign(rank=1, token="thing", token_id=7, occurrences=4, share=0.5,
        chance_share=0.1)}),
    "stability": made("stability", {"heads": COVERED}),
    "token": made("token", {"around": COVERED}, words={"word": "the"}),
    "uniqueness": made("uniqueness", {"layers": UNIQUE}),
    "roles": made("roles", {"heads": HEADS}),
    "clusters": made("clusters", {"heads": CLUSTERED}),
    "stable roles": made("roles", {"heads": STABLE}),
    "roles of a head": made("roles-of-head", {"roles": NINE}, head=FIRST),
    "heads of roles": made("role-counts", {"role_counts": pd.concat([
        ROLE_COUNTS.assign(subject=subject, stable=stable)
        for subject in (THIS_MODEL, *COPIES.values()) for stable in (True, False)], ignore_index=True)}),
    "likeness": made(
        "likeness", {"overlap": pd.DataFrame(RANDOM.random((SIZE, SIZE))), "heads": CLUSTERED}, chance=0.01
    ),
    "profiles": made("profiles", {"profiles": PROFILES}),
    "silhouettes": made("silhouettes", {"silhouettes": SILHOUETTES}, chosen=3),
    "scatter": made("scatter", {"heads": CLUSTERED}, "near_share", "mean_distance"),
    "kinds": made("kinds", {"kinds": KIND_TABLE}),
    "kinds of a head": made("kinds-of-head", {"kinds": KIND_TABLE}, head=FIRST),
    "distances": made("distances", {"distance_bins": BINNED}, unit="words"),
    "similarity scores": made("scores", {"similarities": score_table(SCORE_COUNTS)}),
    "reach": made("reach", {"layers": MEANS, "reach": reach_table(SCORE_COUNTS)}),
    "distances of a head": made("distances-of-head", {"distances": DISTANCES, "distance_bins": BINNED},
        unit="words", head=FIRST),
    "shares": made("shares", {"layers_by_share": BY_SHARE}, "mean_distance", chosen=0.1),
    "depth": made("curves", {"curves": made_curves()}, "mean_distance"),
    "beyond chance": made("beyond-chance", {"beyond_chance": HEADS.assign(which="first", minus_chance=0.1, few=False)},
        "mean_distance", words={"subject": "this model"}, which="first"),
    "differences": made("differences", {"differences": HEADS.assign(difference=HEADS["mean_distance"], few=False)},
        "mean_distance", words={"difference": "this model − untrained copy"}),
    "match": made("best-matches", {"best_matches": MATCH}),
    "importance": made("importance", {"importance": REMOVED.assign(effect=REMOVED["importance"])}),
    "removed": made("removal", {"importance": REMOVED}, kind="importance"),
    "effect": made("effect", {"effects": pd.DataFrame({"effect": [0.03, 0.01, 0.04]})}, words={"names": "L1H1"}),
    "orders": made("curve", {"curve": ORDERS}),
    "bits": made("entropies", {"entropies": BITS}),
    "scores": made("pattern", {"scores": SCORED}, before=0.5),
    "scores by attention": made("pattern-attention", {"scores": SCORED.assign(score=RANDOM.random(SIZE))}),
    "relations": made("relations", {"relation_heads": SCORED.assign(map=CHOSEN)}),
    "power": made("topics", {"power": CELLS.assign(power=RANDOM.random(SIZE), weight=RANDOM.dirichlet(np.ones(SIZE)))}),
    "steps": made("layers-by-step", {"layers": STEPS[STEPS["head"] == 1].reset_index(drop=True)}, "mean_distance",
        copies={"untrained copy": STEPS}),
    "bits by step": made("entropies-by-step", {"entropies": BITS.assign(step=[0, 1, 0, 1])},
        copies={"untrained copy": BITS.assign(step=[0, 1, 0, 1])}),
    "roles by text": made("head-roles", {"text_roles": OF_HEAD.assign(value=OF_HEAD["value"] / 2)},
        words={"head": FIRST}),
    "statistics by text": made("head-statistics", {"text_heads": OF_HEAD}, words={"head": FIRST}),
    "drift": made("drift", {"drift": STEPS}),
    "drift of a head": made("drift-of-head", {"drift": STEPS[STEPS["head"] == 1].reset_index(drop=True)},
        words={"head": FIRST}),
    "roles by step": made("roles-by-step", {"role_counts": ROLES_BY_STEP}),
    "segments": made("segments", {"segments": STRIPS}),
    "claims": made("claims", {"claims": made_claims()}),
    "claims grid": made("claims-grid", {"cells": made_cells()}, words={"across": "subject"}),
    "settings": made("specification", {"claims": made_settings()}, claim=CLAIMS[0]),
    "other measures": made("other-measures", {"claims": made_settings()}, claim=CLAIMS[0]),
}  # fmt: skip
