"""Every figure, drawn: whole, titled and told in words, its axes and colours named, and a mark for each row of its table."""

import re
from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import product
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from attn_core.charts import interventions, kinds, patterns, series
from attn_core.charts.anchors import anchor_grid, stability_map, token_map, uniqueness_curve
from attn_core.charts.claims import claim_picture
from attn_core.charts.claims_grid import claims_grid
from attn_core.charts.clusters import profile_table, role_map, silhouette_curve
from attn_core.charts.comparison import best_match_map, depth_curves, value_map
from attn_core.charts.distances import distance_distribution, distances_at_a_glance, layer_curve, share_sensitivity
from attn_core.charts.heads import head_map, matrix_crop
from attn_core.charts.likeness import likeness_map
from attn_core.charts.marks import Figure, Marked
from attn_core.charts.paper import to_svg
from attn_core.charts.roles import THIS_MODEL, heads_of_roles
from attn_core.charts.scatter import Axis, scatter
from attn_core.charts.segments import power_map
from attn_core.charts.specification_curve import specification_curve
from attn_core.charts.style import colours
from attn_core.claims.claim import CLAIMS
from attn_core.comparison.match import HeadMatch
from attn_core.head import Head
from attn_core.measures.clusters import cluster_heads, cluster_profiles
from attn_core.measures.kinds import KINDS, kind_table
from attn_core.measures.roles import role_counts
from attn_core.measures.statistics import BY_NAME, STATISTICS
from attn_core.models.files import COPIES
from tests.charts.made_claims import made_cells, made_claims, made_settings
from tests.charts.test_clusters import heads_table
from tests.charts.test_distances import BINNED

LAYERS, ACROSS = 6, 12
RANDOM = np.random.default_rng(0)
CELLS = pd.DataFrame(product(range(1, LAYERS + 1), range(1, ACROSS + 1)), columns=["layer", "head"])
SIZE = len(CELLS)
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
    anchor="(every)thing", in_words="", coverage=1.0, chance_coverage=0.1, chance_token_coverage=0.1, lift=10.0, occurrences=4,
    runners_up="", excess=0.9, is_anchor=CELLS["head"] % 2 == 0, anchor_stability=0.4, chance_anchor_stability=0.1,
    anchor_coverage=0.5, chance_anchor_coverage=0.1, pairs=1000, windows=1,
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
    [(name, removed, removed / 9, 0.1, 0.4) for name in ("least important first", "most important first", "greedy", "random")
     for removed in (1, 4)],
    columns=["order", "removed", "effect", "low", "high"],
)  # fmt: skip
BITS = pd.DataFrame(
    [(layer, kind, heads, 8.0 - layer) for layer in (0, 1) for kind in interventions.KINDS.values()
     for heads in ("all heads", "without L1H1 and L1H2")],
    columns=["layer", "kind", "heads", "bits"],
)  # fmt: skip
CLUSTERED = HEADS.assign(cluster=[f"cluster {1 + place % 3}" for place in range(SIZE)])
ROLE_COUNTS = role_counts(HEADS["role"])
PROFILES = cluster_profiles(cluster_heads(heads_table()))


def made_curves() -> pd.DataFrame:
    rows = [
        (name, "mean_distance", layer + 1, layer / (layers - 1), 10.0 * layer + layers, 50.0, np.nan, 99.0)
        for name, layers in (("<a>", 3), ("b", 5))
        for layer in range(layers)
    ]
    return pd.DataFrame(rows, columns=["subject", "statistic", "layer", "depth", "value", "chance", "low", "high"])


def axis(label: str, low: float, high: float) -> Axis:
    return Axis(label, np.random.default_rng(1).uniform(low, high, SIZE), low, "~r")


FIGURES: dict[str, Callable[[], Figure]] = {
    "heads": lambda: head_map(HEADS, BY_NAME["mean_distance"]),
    "shares of heads": lambda: head_map(HEADS, BY_NAME["near_share"]),
    "layers": lambda: layer_curve(HEADS, MEANS, BY_NAME["mean_distance"], True),
    "crop": lambda: matrix_crop(
        RANDOM.random((24, 24)), ["everything"] * 99, 9, 40, "context similarity", colours("sequential", "light"), (0, 1), (9, 40)
    ),
    "anchors": lambda: anchor_grid(COVERED),
    "stability": lambda: stability_map(COVERED),
    "token": lambda: token_map(COVERED),
    "uniqueness": lambda: uniqueness_curve(UNIQUE),
    "roles": lambda: role_map(HEADS),
    "clusters": lambda: role_map(CLUSTERED, "cluster"),
    "heads of roles": lambda: heads_of_roles(pd.DataFrame(dict.fromkeys((THIS_MODEL, *COPIES.values()), ROLE_COUNTS))),
    "likeness": lambda: likeness_map(RANDOM.random((SIZE, SIZE)), CLUSTERED, 0.01),
    "profiles": lambda: profile_table(PROFILES),
    "silhouettes": lambda: silhouette_curve({2: 0.4, 3: 0.3}, 2),
    "scatter": lambda: scatter(
        HEADS.assign(cluster="cluster 1"), axis("Mean distance (tokens)", 20, 180), axis("Repetition", 0, 1), "role"
    ),
    "kinds": lambda: kinds.kinds_at_a_glance(kind_table(SHARES, SHARES)),
    "kinds of a head": lambda: kinds.kinds_of_head(kind_table(SHARES, SHARES).head(len(KINDS))),
    "distances": lambda: distances_at_a_glance(BINNED, "words"),
    "distances of a head": lambda: distance_distribution(BINNED[BINNED["layer"] == 1].assign(head=1), "words"),
    "shares": lambda: share_sensitivity(
        pd.concat([MEANS.assign(share=share) for share in (0.001, 0.1)], ignore_index=True), BY_NAME["mean_distance"], 0.1
    ),
    "depth": lambda: depth_curves(made_curves(), BY_NAME["mean_distance"]),
    "differences": lambda: value_map(HEADS, "mean_distance", BY_NAME["mean_distance"], 200),
    "match": lambda: best_match_map(
        HeadMatch(RANDOM.uniform(-0.2, 0.9, (SIZE, SIZE)), np.full((2, SIZE, SIZE), 0.1), ((LAYERS, ACROSS),) * 2, 300, 1).table()
    ),
    "removed": lambda: interventions.removal_map(REMOVED, "colour: importance, measured"),
    "effect": lambda: interventions.effect_beside_chance(0.03, np.array([0.01, 0.04])),
    "orders": lambda: interventions.pruning(ORDERS, "random", 0.05),
    "bits": lambda: interventions.by_layer_in_bits(BITS, 6.5),
    "scores": lambda: patterns.score_map(SCORED, 0.5),
    "relations": lambda: patterns.relation_map(SCORED, "score", "similarity", 9),
    "both scores": lambda: patterns.similarity_against_attention(SCORED.assign(score=axis("", 0.3, 1).values)),
    "power": lambda: power_map(RANDOM.random((LAYERS, ACROSS)), RANDOM.dirichlet(np.ones(SIZE)).reshape(LAYERS, ACROSS)),
    "steps": lambda: series.layers_by_step(STEPS[STEPS["head"] == 1].reset_index(drop=True), BY_NAME["mean_distance"]),
    "steps of heads": lambda: series.drift_by_step(STEPS),
    "claims": lambda: claim_picture(made_claims()),
    "claims grid": lambda: claims_grid(made_cells()),
    "settings": lambda: specification_curve(
        made_settings(), {"share": [(0.01, "1%"), (0.1, "10%")], "special": [("in", "in"), ("out", "out")]}, CLAIMS[0]
    ),
}  # fmt: skip

# The rows that a figure draws, where they are not the heads; a line in steps has two points a row.
ROWS = {
    "crop": 24 * 24, "uniqueness": len(UNIQUE), "profiles": len(PROFILES), "silhouettes": 2, "kinds": SIZE * len(KINDS),
    "kinds of a head": len(KINDS), "distances": len(BINNED), "distances of a head": len(BINNED) // 2, "shares": 2 * LAYERS,
    "depth": len(made_curves()), "effect": 2, "orders": 6, "bits": len(BITS), "relations": LAYERS,
    "heads of roles": 2 * len(ROLE_COUNTS), "likeness": SIZE * (SIZE - 1),
    "steps": 3 * LAYERS, "steps of heads": len(STEPS),
    "claims": 4 * len(CLAIMS) - 2, "claims grid": 2 * len(CLAIMS), "settings": 8,
}  # fmt: skip
# What the points of a figure are as high as, in the order of their rows.
HEIGHTS = {
    "layers": HEADS["mean_distance"], "depth": made_curves()["value"], "bits": BITS["bits"],
    "shares": pd.concat([MEANS["mean_distance"]] * 2), "orders": np.sqrt(ORDERS["effect"][:-2]),
    "both scores": axis("", 0.3, 1).values, "scatter": axis("", 0, 1).values, "silhouettes": [0.4, 0.3],
}  # fmt: skip
TITLE = "A figure of made-up numbers"
NAMED = re.compile(r"^[XY]-axis titled '.+' for|^[XY]-axis for a discrete scale with \d+ values?: [^\d]")


def marked(name: str) -> Figure:
    """The figure, with heads A and B in it where it shows heads."""
    made = FIGURES[name]()
    shows_heads = "head_a" in str(made.to_dict())
    return Marked(made, Head.of_row(1, 1), Head.of_row(2, 2)) if shows_heads else made  # type: ignore[arg-type]


@cache
def drawn(name: str) -> ElementTree.Element:
    return ElementTree.fromstring(to_svg(marked(name), TITLE))


def labels(figure: ElementTree.Element, kind: str) -> list[str]:
    of_kind = (one for one in figure.iter() if f"role-{kind}" in one.get("class", "").split())
    return [one.attrib["aria-label"] for one in of_kind if "aria-label" in one.attrib]  # a grid has none


def marks(figure: ElementTree.Element) -> Counter[str]:
    """How many marks are drawn by their class, of a line its points; what is written does not count."""
    found: Counter[str] = Counter()
    for group in figure.iter():
        classes = group.get("class", "").split()
        if "role-mark" in classes and "mark-text" not in classes:
            is_line = "mark-line" in classes
            found[" ".join(classes)] += len(re.findall("[ML]", group[0].get("d", ""))) if is_line else len(group)
    return found


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_is_drawn_whole_with_title_description_and_named_axes(name: str) -> None:
    figure = drawn(name)
    written = ["".join(one.itertext()) for one in figure.iter() if one.tag.endswith("}text")]
    assert TITLE in written
    assert not [words for words in written if re.search(r"\b(NaN|nan|undefined|null|None|Infinity)\b", words)]
    assert "NaN" not in ElementTree.tostring(figure, "unicode")
    axes = labels(figure, "axis")
    assert axes and not [axis for axis in axes if not NAMED.match(axis)]
    told = str(FIGURES[name]().description)
    assert re.match(r".{30}", told) and re.search(r"\d", told) and not re.search(r"\bnan\b|None", told)


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_has_a_mark_for_each_row_of_its_table(name: str) -> None:
    assert max(marks(drawn(name)).values()) == ROWS.get(name, SIZE)


@pytest.mark.parametrize("name", HEIGHTS)
def test_points_are_as_high_as_their_numbers(name: str) -> None:
    points = max((one for one in drawn(name).iter() if "mark-symbol role-mark" in one.get("class", "")), key=len)
    below = [float(point.get("transform", "").split(",")[1].rstrip(")")) for point in points]
    assert np.corrcoef(below, HEIGHTS[name])[0, 1] < -0.9999


@pytest.mark.parametrize("name", FIGURES)
def test_what_a_colour_means_is_told_by_a_legend_an_axis_or_words_beside_it(name: str) -> None:
    layers = FIGURES[name]().to_dict()["layer"]
    coloured = {layer["encoding"].get("color", {}).get("field") for layer in layers} - {None}
    of_axes = {layer["encoding"].get(axis, {}).get("field") for layer in layers for axis in "xy"}
    written = [layer["encoding"] for layer in layers if layer["mark"]["type"] == "text"]
    of_words = {encoding.get(by, {}).get("field") for encoding in written for by in ("text", "color")}
    assert coloured <= of_axes | of_words or "color" in " ".join(labels(drawn(name), "legend"))
