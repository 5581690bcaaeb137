"""The catalogue of figures: the name and title of each, the table that it draws, and the function that draws it.

Pages, reports and `attn_core.chart` draw from it. To add a figure, write a function from a data frame to an Altair
chart in a file of this folder and add a line to `CATALOGUE`: a page draws it by its name.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import pandas as pd

from attn_core.charts import (
    anchors,
    claims,
    curve,
    groups,
    head_map,
    interventions,
    pairs,
    patterns,
    segment_bars,
    sources,
    specification_curve,
    word_grid,
)
from attn_core.charts.paper import theme
from attn_core.charts.style import Figure
from attn_core.claims.claim import CLAIMS, Claim
from attn_core.errors import InputError, check_choice
from attn_core.head import Head
from attn_core.interventions.ablation import THRESHOLD
from attn_core.interventions.ablation_tables import RANDOM
from attn_core.measures.distances import bins_of_head
from attn_core.measures.similarity_scores import with_reach
from attn_core.measures.statistics import ANCHOR_UNIQUENESS, BY_NAME, NEAR_OVER_FAR, Statistic
from attn_core.patterns.scores import CHOSEN, ENOUGH, Map
from attn_core.similarity.words import Unit
from attn_core.study.descriptions import differing
from attn_core.study.settings import distinct

WIDTH = 760  # pixels, width of a notebook cell
REACH, SENTENCE, SEPARATORS, NOISE = "mean_distance", "same_sentence_share", "separator_attention", "noise_rate"
CURVES = ((REACH,), (SENTENCE,), ("repetition_share",), (SEPARATORS,))
ONCE = ((),)
NO_WORDS: Mapping[str, Any] = {}
TEXT, TRAINING, COMPARISON, ABLATION, PAGE = "text", "training", "comparison", "ablation", "page"
EVERY_SETTING = "every setting"  # kind of tables with the claims under each setting


@dataclass(frozen=True)
class Tables:
    """A set of tables for figures.

    kind: "text" (also a subject of a study), "training", "comparison", "page" (tables that only a page has), or the
    kind of a run. names: of the tables. unit: of the pairs. subject: name of the subject if there are several, else
    empty. copies: the table layers of copies of the model, by name.
    """

    kind: str
    names: Collection[str]
    table: Callable[[str], pd.DataFrame]
    unit: Unit = "tokens"
    subject: str = ""
    copies: curve.Copies = field(default_factory=dict)

    def __getitem__(self, name: str) -> pd.DataFrame:
        return self.table(name)


@dataclass(frozen=True)
class Entry:
    """A figure of the catalogue.

    name: of its file and widget, to which its statistics are added, and `part`. title: what it shows. Title and part
    may have fields: {0} is the label of the first statistic, {head} the argument `head`. kind, table: the kind of
    tables, and the table that it draws. draw: function of that table (of_all: of all tables), the statistics and the
    arguments. statistics: the default ones. reported: the statistics of each figure of a report. each: the arguments of
    each. column: required column of the table. wide: whether it has the full width of a report.
    """

    name: str
    kind: str
    table: str
    title: str
    draw: Callable[..., Figure]
    statistics: tuple[str, ...] = ()
    reported: tuple[tuple[str, ...], ...] = ()
    each: Callable[[Tables], Iterable[Mapping[str, Any]]] = lambda _of: ({},)
    column: str = ""
    wide: bool = False
    part: str = ""
    of_all: bool = False


class Drawn(NamedTuple):
    """A figure with its name and title."""

    name: str
    chart: Figure
    title: str
    wide: bool


def draw_figure(
    name: str, of: Tables, *statistics: str, words: Mapping[str, Any] = NO_WORDS, **arguments: Any
) -> Drawn:
    """The figure of that name.

    statistics: columns of the heads table. words: what its title names. arguments: those of its function.
    """
    one = BY_FIGURE[name]
    shown = [BY_NAME[statistic].over(of.unit) for statistic in statistics or one.statistics]
    fields = {**words, **arguments}
    file = "-".join(filter(None, (name, *statistics, one.part.format(**fields))))
    title = one.title.format(*(statistic.label for statistic in shown), **fields)
    figure = one.draw(of if one.of_all else of[one.table], *shown, **arguments)
    figure.description = f"{title}. {figure.description}."
    return Drawn(file, figure, title, one.wide)


def reported(of: Tables, *names: str) -> Iterator[tuple[str, tuple[str, ...], Mapping[str, Any]]]:
    """The name, statistics and arguments of each figure that a report of the tables has; none that would be empty.

    names: of the wanted figures, by default all.
    """
    for one in CATALOGUE:
        wanted = one.kind == of.kind and one.table in of.names and (not names or one.name in names)
        if wanted and (not one.column or one.column in of[one.table]):
            for statistics, arguments in product(one.reported, one.each(of)):
                if all(_is_known(of[one.table], statistic) for statistic in statistics):
                    yield one.name, statistics, arguments


def chart(results: Any, name: str, *statistics: str) -> Figure:
    """Altair chart of an `Analysis`, or of the first subject of a study (`study.of` returns the others).

    name: "heads", a map of all heads, or "layers", a curve by layer, by one statistic (default: the mean distance);
    "scatter", all heads by two statistics; "distances" of strong pairs by layer; "kinds" of strong pairs; "roles";
    "anchors"; "uniqueness" of the anchors by layer; of an analysis "segments"; of a study "claims". statistics: columns
    of the heads table with a chance level, such as "repetition_share".

    A notebook displays the chart, `.save("heads.html")` saves it. Raises InputError for an unknown chart or statistic.

    >>> type(attn_core.chart(analysis, "heads", "repetition_share")).__name__
    'LayerChart'
    >>> attn_core.chart(analysis, "head")
    Traceback (most recent call last):
    attn_core.errors.InputError: A chart of an Analysis is heads, layers, scatter, distances, kinds, roles, anchors, \
uniqueness or segments, not 'head'.
    """
    tables = results.of() if hasattr(results, "of") else results
    of_study = hasattr(type(tables), "claims")
    if not of_study and not hasattr(type(tables), "distance_bins"):
        raise InputError(f"A chart shows an Analysis or a study, not a value of type {type(results).__name__}.")
    other = "segments" if of_study else "claims"
    check_choice(
        name, [one for one in CHARTS if one != other], f"A chart of {'a study' if of_study else 'an Analysis'}"
    )
    one = BY_FIGURE[name]
    if statistics and len(statistics) != (number := len(one.statistics)):
        raise InputError(f"The chart {name!r} shows {number or 'no'} statistics by name, not {len(statistics)}.")
    for statistic in statistics:
        check_choice(statistic, tuple(BY_NAME), "A statistic")
    # `claims` has the settings of the study, the table of that name every setting.
    table = tables.table if of_study and name != "claims" else partial(getattr, tables)
    drawn = draw_figure(name, Tables(TEXT, (), table, tables.unit), *statistics)
    return drawn.chart.properties(title=drawn.title, width=WIDTH).configure(**theme())


def _is_known(table: pd.DataFrame, statistic: str) -> bool:
    if "statistic" in table:
        return bool(table["value"][table["statistic"] == statistic].notna().any())
    return statistic in table and bool(table[statistic].notna().any())


def _distances_of_head(of: Tables, head: Head) -> Figure:
    bins = bins_of_head(of["distances"], of["distance_bins"], head).sort_values("start")
    return pairs.bars_beside_chance(bins, "distance", f"distance ({of.unit}; ranges double)")


def _segments(table: pd.DataFrame) -> Figure:
    from attn_core.segmentation import METHODS  # scikit-learn and nltk take seconds to import

    if "name" not in table:
        table = table.assign(name=[METHODS[method].title for method in table["method"]], preview="", gold=False)
    return segment_bars.segment_strips(table)


def _beyond_chance(both: pd.DataFrame, statistic: Statistic, which: str) -> Figure:
    own = both[both["which"] == which].reset_index(drop=True)
    return head_map.value_map(own, "minus_chance", statistic, float(both["minus_chance"].abs().max()))


def _relations(heads: pd.DataFrame, seen_by: Map = CHOSEN) -> Figure:
    heads = heads[heads["map"] == seen_by]
    enough = heads["pairs"] >= ENOUGH
    return patterns.relation_map(heads[enough if enough.any() else ~enough])


def _claims_with_effects(of: Tables) -> list[dict[str, Claim]]:
    """The claims that have an effect under at least one setting."""
    known = set(of["claims"].dropna(subset="value")["effect"])
    return [{"claim": claim} for claim in CLAIMS if claim.effect in known]


def _specification(table: pd.DataFrame, claim: Claim) -> Figure:
    rows = distinct(table, claim.effect)
    return specification_curve.specification_curve(rows, differing(rows, claim.effect), claim)


CATALOGUE = (
    Entry("claims", TEXT, "claims", "The claims: effects with their 95% intervals among the thresholds",
        claims.claim_picture, reported=ONCE, wide=True),
    Entry("roles", TEXT, "heads", "The role of every head", groups.role_map, reported=ONCE, column="role"),
    Entry("heads", TEXT, "heads", "{0} of every head, and its chance level",
        head_map.statistic_map, (REACH,), ((NOISE,),)),
    Entry("layers", TEXT, "layers", "{0} by layer",
        lambda of, one, chance_of="": curve.layer_curve(of["heads"], of["layers"], one, of.copies, chance_of),
        (REACH,), CURVES, of_all=True),
    Entry("scatter", TEXT, "heads", "Heads by {0} and {1}", groups.scatter, (REACH, "repetition_share")),
    Entry("distances", TEXT, "distance_bins", "Distances of strong pairs by layer: how often, over chance",
        lambda of: pairs.distances_at_a_glance(of["distance_bins"], of.unit), reported=ONCE, of_all=True),
    Entry("scores", TEXT, "similarities", "Similarity of all pairs by layer and distance",
        lambda of: pairs.scores_by_layer(of["similarities"], of.unit), reported=ONCE, of_all=True),
    Entry("reach", TEXT, "reach", "How often near pairs are more alike than far ones, by layer",
        lambda of: curve.layer_curve(of["reach"], with_reach(of["layers"], of["reach"]), NEAR_OVER_FAR, of.copies),
        reported=ONCE, of_all=True),
    Entry("kinds", TEXT, "kinds", "Kinds of the strong pairs of every head, and by chance",
        pairs.kinds_at_a_glance, reported=ONCE),
    Entry("anchors", TEXT, "anchors", "The anchor of every head: the token that most of its strong pairs touch",
        lambda table: anchors.anchor_grid(
            anchors.anchor_overview(table, table.set_index("token_id")["token"].to_dict())
        ), reported=ONCE),
    Entry("sources", TEXT, "sources", "The source of every head: the token that its strong pairs read, beyond chance",
        anchors.source_grid, reported=ONCE, column="rank"),
    Entry("uniqueness", TEXT, "layers", "Distinct anchors over heads, by layer",
        lambda of: curve.curve(of["layers"], curve.LAYER, ANCHOR_UNIQUENESS, copies=of.copies),
        reported=ONCE, column="anchor_uniqueness", of_all=True),
    Entry("stability", TEXT, "heads", "Windows in which each head keeps its anchor",
        anchors.stability_map, reported=ONCE, column="anchor_stability"),
    Entry("segments", TEXT, "segments", "Where the topic changes", _segments),
    Entry("relations", TEXT, "relation_heads",
        "How well the best head of each layer sees each relation; chosen and scored on the same texts",
        _relations, reported=ONCE, wide=True),
    Entry("entropies", TEXT, "entropies", "Entropy and cross-entropy of the language-model head by layer",
        interventions.by_layer_in_bits, reported=ONCE),
    Entry("specification", EVERY_SETTING, "claims", "{claim.name} under every setting",
        _specification, reported=ONCE, each=_claims_with_effects, wide=True, part="{claim.effect}"),
    Entry("layers-by-step", TRAINING, "layers", "{0} of each layer, by step; dashed: chance",
        lambda of, one: curve.layers_by_step(of["layers"], one, of.copies), reported=((REACH,),), of_all=True),
    Entry("entropies-by-step", TRAINING, "entropies",
        "Entropy and cross-entropy of the predicted words, by step",
        lambda of: interventions.by_step_in_bits(of["entropies"], of.copies), of_all=True),
    Entry("drift", TRAINING, "drift", "Distance of the heads of each layer from the last step; dashed: chance",
        curve.drift_by_step, reported=ONCE),
    Entry("curves", COMPARISON, "curves", "{0} of both; dashed: chance",
        lambda curves, one: curve.depth_curves(curves[curves["statistic"] == one.name].dropna(subset="value"), one),
        reported=(*CURVES, (NOISE,))),
    Entry("best-matches", COMPARISON, "best_matches", "The most similar head of the other model for each head",
        head_map.best_match_map, reported=ONCE),
    Entry("importance", ABLATION, "importance", "The effect of each head, removed alone",
        lambda heads: interventions.removal_map(
            heads.assign(importance=heads["effect"], off=False), "importance (1 − cosine)"
        ), reported=ONCE),
    Entry("curve", ABLATION, "curve", "The effect by the number of removed heads",
        lambda curve, allowed=THRESHOLD: interventions.pruning(curve, RANDOM, allowed), reported=ONCE, wide=True),
    # Of pages alone.
    Entry("distances-of-head", PAGE, "distances", "Distances of the strong pairs of {head}",
        _distances_of_head, of_all=True),
    Entry("shares", PAGE, "layers_by_share", "{0} by layer, for several shares of strongest pairs",
        curve.share_sensitivity),
    Entry("clusters", PAGE, "heads", "The cluster of every head", lambda heads: groups.role_map(heads, "cluster")),
    Entry("role-counts", PAGE, "role_counts", "Heads of each role", groups.heads_of_roles),
    Entry("roles-of-head", PAGE, "roles", "The role of {head} by measure and share of strong pairs",
        groups.settings_grid),
    Entry("kinds-of-head", PAGE, "kinds", "Kinds of the strong pairs of {head}",
        lambda kinds, head: pairs.bars_beside_chance(head.rows_of(kinds), "kind", "kind")),
    Entry("silhouettes", PAGE, "silhouettes", "How well the heads part into clusters, by their number",
        lambda data, chosen: curve.curve(data, groups.NUMBER, groups.SILHOUETTE, note=f"chosen: {chosen}")),
    Entry("profiles", PAGE, "profiles", "What sets each cluster of heads apart", groups.profile_table),
    Entry("likeness", PAGE, "overlap", "Strong pairs that every two heads have in common",
        lambda of, chance: groups.likeness_map(of["overlap"], of["heads"], chance), of_all=True),
    Entry("token", PAGE, "around", "How much every head gathers around {word}", anchors.token_map),
    Entry("topics", PAGE, "power", "How much more alike every head makes near sentences than far ones",
        segment_bars.power_map),
    Entry("pattern", PAGE, "scores", "How well every head sees the pattern by similarity", patterns.score_map),
    Entry("pattern-attention", PAGE, "scores", "The pattern by similarity against by attention, every head a point",
        patterns.score_scatter),
    Entry("crop", PAGE, "cells", "{head}: {label} around one pair", word_grid.matrix, part="{letter}"),
    Entry("text", PAGE, "tokens", "The text as {head} sees it", word_grid.text_grid, part="{head}"),
    Entry("matrix", PAGE, "cells", "{head}: {label}", word_grid.matrix, part="{letter}"),
    Entry("why", PAGE, "why", "{head}: the similarity of two tokens, by what they read",
        sources.similarity_bar, part="{letter}"),
    Entry("removal", PAGE, "importance", "The {kind} of every head, and which are removed",
        lambda heads, kind: interventions.removal_map(heads, f"{kind} (1 − cosine)")),
    Entry("effect", PAGE, "effects", "Effect of removing {names}, among other heads",
        interventions.effect_beside_chance),
    Entry("beyond-chance", PAGE, "beyond_chance", "{0} of every head, {subject}, minus chance",
        _beyond_chance, part="{which}"),
    Entry("differences", PAGE, "differences", "{0} of every head, {difference}",
        lambda heads, one: head_map.value_map(heads, "difference", one)),
    Entry("other-measures", PAGE, "claims", "{claim.name} under every setting, and other measures",
        _specification, part="{claim.effect}"),
    Entry("claims-grid", PAGE, "cells", "Which claims hold, by {across}", claims.claims_grid),
    Entry("drift-of-head", PAGE, "drift", "Distance of {head} from the last step; dashed: chance",
        lambda drift: curve.layers_by_step(drift, curve.DRIFT)),
    Entry("head-roles", PAGE, "text_roles", "In how many texts each role is the stable role of {head}",
        pairs.shares_of_texts),
    Entry("head-statistics", PAGE, "text_heads", "Statistics of {head} in each text, over chance", pairs.over_chance),
    Entry("roles-by-step", PAGE, "role_counts", "Roles of the heads, by step", curve.roles_by_step),
)  # fmt: skip
BY_FIGURE = {one.name: one for one in CATALOGUE}
BESIDE_COPIES = ("layers", "uniqueness", "reach")  # figures that draw the table layers of copies too
CHARTS = ("claims", "heads", "layers", "scatter", "distances", "kinds", "roles", "anchors", "uniqueness", "segments")
