"""Figures at the widths of a journal: no letter below eight points, nothing cut or printed over, every mark named."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from attn_core.charts import interventions, kinds, patterns, series
from attn_core.charts.anchors import anchor_grid, stability_map, token_map, uniqueness_curve
from attn_core.charts.clusters import profile_table, role_map, silhouette_curve
from attn_core.charts.comparison import best_match_map, depth_curves, value_map
from attn_core.charts.distances import distance_distribution, distances_at_a_glance, layer_curve, share_sensitivity
from attn_core.charts.heads import head_map, matrix_crop
from attn_core.charts.learning import learned_by_step, sureness_by_step
from attn_core.charts.marks import Figure, Marked
from attn_core.charts.paper import COLUMN, COLUMNS, FORMS, Caption, to_svg
from attn_core.charts.scatter import Axis, scatter
from attn_core.charts.segments import gap_scores, power_map
from attn_core.charts.style import colours
from attn_core.comparison.match import HeadMatch
from attn_core.head import Head
from attn_core.measures.clusters import cluster_heads, cluster_profiles
from attn_core.measures.kinds import KINDS, kind_table
from attn_core.measures.statistics import BY_NAME, STATISTICS
from attn_core.series.gathered import claim_cells
from tests.charts.test_clusters import heads_table
from tests.charts.test_comparison import made_curves
from tests.charts.test_distances import BINNED
from tests.quick import quick_only
from tests.series.made_up import claims

EIGHT_POINTS = 8 / 72 * 96  # pixels, at 96 an inch
LAYERS, ACROSS = 6, 12
RANDOM = np.random.default_rng(0)
CELLS = pd.DataFrame(product(range(1, LAYERS + 1), range(1, ACROSS + 1)), columns=["layer", "head"])
SIZE = len(CELLS)
ROLES = {name: heads_table(LAYERS, ACROSS)[name] for name in ("role", "second_role", "role_rule")}
HEADS = CELLS.assign(
    **{name: RANDOM.random(SIZE) for statistic in STATISTICS for name in (statistic.name, statistic.chance)},
    anchor="the",
    repeated_tokens="the sea",
).assign(**ROLES, mean_distance=np.linspace(20, 199, SIZE), near_share=1.0, pairs=1000)
MEANS = HEADS.groupby("layer").mean(numeric_only=True).reset_index()
COVERED = CELLS.assign(
    anchor="(every)thing", in_words="", coverage=1.0, chance_coverage=0.1, chance_token_coverage=0.1, lift=10.0, occurrences=4,
    runners_up="", excess=0.9, is_anchor=CELLS["head"] % 2 == 0, anchor_stability=0.4, chance_anchor_stability=0.1,
    anchor_coverage=0.5, chance_anchor_coverage=0.1, pairs=1000,
)  # fmt: skip
UNIQUE = pd.DataFrame({"layer": [1, 2], "anchor_uniqueness": [0.4, 0.8], "random_pairs": 0.1, "own_places": 0.5})
REMOVED = CELLS.assign(role="mixed", importance=np.linspace(0.001, 0.5, SIZE), change=0.123, off=CELLS["head"] == 3)
SCORED = CELLS.assign(
    score=1.0,
    chance_score=0.5,
    p_adjusted=0.01,
    pairs=9,
    attends=0.6,
    attended=0.7,
    relation="first name and last name",
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


def axis(label: str, low: float, high: float) -> Axis:
    return Axis(label, np.random.default_rng(1).uniform(low, high, SIZE), low, "~r")


FIGURES: dict[str, Callable[[], Figure]] = {
    "heads": lambda: head_map(HEADS, BY_NAME["mean_distance"]),
    "shares of heads": lambda: head_map(HEADS, BY_NAME["near_share"]),
    "layers": lambda: layer_curve(HEADS, MEANS, BY_NAME["mean_distance"], True),
    "crop": lambda: matrix_crop(
        RANDOM.random((24, 24)), ["everything"] * 99, 9, 40, "context similarity", colours("sequential", "light"), (0, 1), (9, 40)
    ),
    "anchors": lambda: anchor_grid(COVERED, "coverage"),
    "stability": lambda: stability_map(COVERED),
    "token": lambda: token_map(COVERED),
    "uniqueness": lambda: uniqueness_curve(UNIQUE),
    "roles": lambda: role_map(HEADS),
    "profiles": lambda: profile_table(cluster_profiles(cluster_heads(heads_table(), number=3))),
    "silhouettes": lambda: silhouette_curve({2: 0.4, 3: 0.3}, {2: 0.2, 3: 0.18}, 2),
    "scatter": lambda: scatter(
        HEADS.assign(cluster="cluster 1"), axis("Mean distance (tokens)", 20, 180), axis("Repetition", 0, 1), "role", None
    ),
    "kinds": lambda: kinds.kinds_at_a_glance(kind_table(SHARES, SHARES)),
    "kinds of a head": lambda: kinds.kinds_of_head(kind_table(SHARES, SHARES).head(len(KINDS))),
    "distances": lambda: distances_at_a_glance(BINNED),
    "distances of a head": lambda: distance_distribution(BINNED[BINNED["layer"] == 1]),
    "shares": lambda: share_sensitivity(
        pd.concat([MEANS.assign(share=share) for share in (0.001, 0.1)], ignore_index=True), BY_NAME["mean_distance"], 0.1
    ),
    "depth": lambda: depth_curves(made_curves(), BY_NAME["mean_distance"]),
    "differences": lambda: value_map(HEADS, "mean_distance", BY_NAME["mean_distance"], 200),
    "match": lambda: best_match_map(
        HeadMatch(RANDOM.uniform(-0.2, 0.9, (SIZE, SIZE)), np.full((2, SIZE, SIZE), 0.1), ((LAYERS, ACROSS),) * 2, 300, 1).table()
    ),
    "removed": lambda: interventions.removal_map(REMOVED, "colour: importance, measured"),
    "changes": lambda: interventions.change_map(REMOVED),
    "effect": lambda: interventions.effect_beside_chance(0.03, np.array([0.01, 0.04])),
    "importance": lambda: interventions.importance_scatter(
        REMOVED.assign(distance=axis("", 1, 9).values), "distance", "Mean distance", ".1f", 5
    ),
    "orders": lambda: interventions.pruning(ORDERS, "random", 0.05),
    "bits": lambda: interventions.by_layer_in_bits(BITS, 6.5),
    "scores": lambda: patterns.score_map(SCORED, True, 0.5),
    "relations": lambda: patterns.relation_map(SCORED, "score", "similarity", 9),
    "both scores": lambda: patterns.similarity_against_attention(SCORED.assign(score=axis("", 0.3, 1).values)),
    "power": lambda: power_map(RANDOM.random((LAYERS, ACROSS)), RANDOM.dirichlet(np.ones(SIZE)).reshape(LAYERS, ACROSS)),
    "gaps": lambda: gap_scores(RANDOM.random(40), (10, 20), (12,), 0.5, "depth of the gap"),
    "steps": lambda: series.layers_by_step(STEPS[STEPS["head"] == 1].reset_index(drop=True), BY_NAME["mean_distance"]),
    "steps of heads": lambda: series.drift_by_step(STEPS),
    "learned": lambda: learned_by_step(
        claim_cells(claims({"reach": ["open", "learned"], "noise": ["open", "open"]}, steps=(0, 8)))
    ),
    "sureness": lambda: sureness_by_step(STEPS.assign(entropy=9 - STEPS["layer"], cross_entropy=1.0, chance_entropy=8.0)),
}  # fmt: skip


@dataclass(frozen=True)
class Text:
    """What is written, and its place in pixels: the middle, the way that it takes across and down."""

    words: str
    x: float
    y: float
    across: float
    down: float
    size: float


def drawn(name: str, form: str) -> ElementTree.Element:
    made = FIGURES[name]()
    marks = "head_a" in str(made.to_dict())
    figure = Marked(made, Head.of_row(1, 1), Head.of_row(2, 2)) if marks else made  # type: ignore[arg-type]
    return ElementTree.fromstring(to_svg(figure, Caption("A figure of made-up numbers", "a text", {}), 980, form))


def texts(part: ElementTree.Element, x: float = 0, y: float = 0) -> Iterator[Text]:
    """All that is seen to be written; thin letters are as wide as a third of their height, all others as half of it."""
    moved = part.attrib.get("transform", "")
    if at := re.match(r"translate\(([-\d.e]+),([-\d.e]+)\)", moved):
        x, y = x + float(at[1]), y + float(at[2])
    if part.tag.endswith("text") and "0" not in (part.attrib.get("opacity"), part.attrib.get("fill-opacity")):
        size, lines = float(part.attrib["font-size"].removesuffix("px")), list(part) or [part]
        long = size * max(
            sum(0.3 if letter in " iltfjr.,:;()" else 0.53 for letter in "".join(line.itertext())) for line in lines
        )
        turned = re.search(r"rotate\(([-\d.]+)\)", moved)
        angle = np.radians(float(turned[1])) if turned else 0.0
        side = {"start": 0.5, "end": -0.5}.get(part.attrib.get("text-anchor", "start"), 0) * long
        if long:
            yield Text(
                "".join(part.itertext()), x + side * np.cos(angle), y + side * np.sin(angle),
                abs(long * np.cos(angle)) + abs(size * np.sin(angle)), abs(long * np.sin(angle)) + abs(size * np.cos(angle)),
                size,
            )  # fmt: skip
    for child in part:
        yield from texts(child, x, y)


@pytest.mark.parametrize("form", quick_only([form for form, width in FORMS.items() if width], "85 mm, no title"))
@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_for_a_journal_is_read_and_nothing_in_it_is_cut(name: str, form: str) -> None:
    figure = drawn(name, form)
    width, height = float(figure.attrib["width"]), float(figure.attrib["height"])
    assert width == pytest.approx(FORMS[form], abs=2)
    written = list(texts(figure))
    assert [text.words for text in written if text.size < EIGHT_POINTS] == []
    cut = [text.words for text in written if text.x - text.across / 2 < -2 or text.x + text.across / 2 > width + 2]
    assert cut + [text.words for text in written if text.y + text.down / 2 > height + 2] == []
    assert [text.words for text in written if "…" in text.words] == []


@pytest.mark.parametrize(
    "name", ["heads", "shares of heads", "token", "roles", "profiles", "distances", "match", "changes"]
)
def test_no_two_numbers_of_a_map_touch_in_a_column(name: str) -> None:
    cells = [
        text
        for text in texts(drawn(name, "85 mm, no title"))
        if re.fullmatch(r"[-+−.\d%]+|L\d+H\d+|[a-z]{3,4}", text.words)
    ]
    rows = [[text for text in cells if abs(text.y - y) < 2] for y in {round(text.y) for text in cells}]
    assert max(map(len, rows)) >= 6
    for row in rows:
        places = sorted(row, key=lambda text: text.x)
        for one, other in zip(places, places[1:], strict=False):
            assert other.x - one.x >= (one.across + other.across) / 2 - 1, (one.words, other.words)


def test_a_colour_bar_ends_inside_the_figure_and_has_a_name() -> None:
    for name, named in {
        "heads": "colour: mean distance minus chance",
        "crop": "context similarity",
        "power": "colour: power",
    }.items():
        written = [text.words for text in texts(drawn(name, "85 mm, no title"))]
        assert any(words.startswith(named) for words in written), name


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("kinds of a head", "grey: chance"), ("distances of a head", "grey: chance"), ("shares", "dashed: chance"),
        ("depth", "dashed: chance"), ("layers", "points: heads, line: their mean, dashed: chance"), ("steps", "dashed: chance"),
        ("sureness", "dashed: an even guess"), ("gaps", "dot: found, grey: true, dashed: threshold"),
        ("token", "bold: anchor"), ("orders", "dashed: random orders"), ("crop", "red: the picked pair"),
    ],
)  # fmt: skip
def test_what_no_legend_tells_is_told_beside_an_axis_or_a_colour_bar(name: str, told: str) -> None:
    for form in ("85 mm, no title", "180 mm, no title"):
        assert any(told in text.words for text in texts(drawn(name, form))), form


def test_what_stands_beside_its_place_has_a_white_ground() -> None:
    svg = ElementTree.tostring(drawn("layers", "85 mm, no title"), "unicode")
    for word in ("A", "B"):
        grounds = re.findall(rf"<[^>]*text [^>]*>{word}</", svg)
        assert (
            len(grounds) == 2 and 'stroke="#ffffff"' in grounds[0] and "stroke" not in grounds[1].replace("stroke-", "")
        )


def test_columns_are_those_of_journals() -> None:
    assert [round(width / 96 * 25.4) for width in (COLUMN, COLUMNS)] == [85, 180]
