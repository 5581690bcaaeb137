"""Registry of the charts of each table: a notebook requests one by name, a report draws several."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import altair as alt
import pandas as pd

from attn_core.charts.anchors import anchor_grid, stability_map
from attn_core.charts.claims import claim_picture
from attn_core.charts.curve import LAYER, Copies, curve, depth_curves, drift_by_step, layer_curve, layers_by_step
from attn_core.charts.groups import role_map, scatter
from attn_core.charts.head_map import best_match_map, statistic_map
from attn_core.charts.interventions import bits_by_kind, by_layer_in_bits, pruning, removal_map
from attn_core.charts.pairs import distances_at_a_glance, kinds_at_a_glance
from attn_core.charts.paper import theme
from attn_core.charts.patterns import relation_map
from attn_core.charts.segments import segment_strips
from attn_core.charts.specification_curve import specification_curve
from attn_core.claims.claim import CLAIMS, Claim
from attn_core.errors import InputError, check_choice
from attn_core.interventions.ablation import THRESHOLD
from attn_core.interventions.tables import RANDOM
from attn_core.measures.anchors import anchor_overview
from attn_core.measures.statistics import ANCHOR_UNIQUENESS, BY_NAME, Statistic
from attn_core.patterns.scores import CHOSEN, ENOUGH
from attn_core.similarity.words import Unit
from attn_core.study.descriptions import differing
from attn_core.study.settings import distinct

WIDTH = 760  # pixels, width of a notebook cell
REACH, SENTENCE, SEPARATORS, NOISE = "mean_distance", "same_sentence_share", "separator_attention", "noise_rate"
CURVES = ((REACH,), (SENTENCE,), ("repetition_share",), (SEPARATORS,))
MOST = 24  # relations shown at most
EVERY_SETTING = "every setting"  # kind of tables with the claims under each setting


@dataclass(frozen=True)
class Tables:
    """A set of tables for charts.

    of: "text" (also a subject of a study), "training", "comparison", or the kind of a run. names: of the tables. unit:
    of the pairs. subject: name of the subject if there are several, else empty. copies: the table layers of copies of
    the model, by name.
    """

    of: str
    names: Collection[str]
    table: Callable[[str], pd.DataFrame]
    unit: Unit = "tokens"
    subject: str = ""
    copies: Copies = field(default_factory=dict)

    def __getitem__(self, name: str) -> pd.DataFrame:
        return self.table(name)


@dataclass(frozen=True)
class Registered:
    """A registered chart.

    of, table: kind of tables, and the required table. make: function of the tables and of statistics. statistics: the
    default ones. reported: those of each chart in a report. column: required column of the table. wide: whether it has
    the full width of a report.
    """

    name: str
    of: str
    table: str
    make: Callable[..., alt.LayerChart]
    title: str
    statistics: tuple[str, ...] = ()
    reported: tuple[tuple[str, ...], ...] = ((),)
    column: str = ""
    wide: bool = False


class Drawn(NamedTuple):
    """A finished chart with its name and title."""

    name: str
    chart: alt.LayerChart
    title: str
    wide: bool


def chart(results: Any, name: str, *statistics: str) -> alt.LayerChart:
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
    attn_core.errors.InputError: A chart is claims, heads, layers, scatter, distances, kinds, roles, anchors, \
uniqueness or segments, not 'head'.
    """
    tables = results.of() if hasattr(results, "of") else results
    of_study = hasattr(type(tables), "claims")
    if not of_study and not hasattr(type(tables), "distance_bins"):
        raise InputError(f"A chart shows an Analysis or a study, not a value of type {type(results).__name__}.")
    check_choice(name, tuple(BY_CHART), "A chart")
    one = BY_CHART[name]
    if one.table == ("segments" if of_study else "claims"):
        raise InputError(f"The chart {name!r} needs {'a study' if name == 'claims' else 'an Analysis'}.")
    if statistics and len(statistics) != (number := len(one.statistics)):
        raise InputError(f"The chart {name!r} shows {number or 'no'} statistics by name, not {len(statistics)}.")
    for statistic in statistics:
        check_choice(statistic, tuple(BY_NAME), "A statistic")
    # `claims` has the settings of the study, the table of that name every setting.
    table = tables.table if of_study and name != "claims" else partial(getattr, tables)
    drawn = _draw(one, Tables(one.of, (), table, tables.unit), statistics or one.statistics)
    return drawn.chart.properties(title=drawn.title, width=WIDTH).configure(**theme())


def drawn_of(of: Tables, *charts: str) -> Iterator[Drawn]:
    """The charts of the tables, except those with only NaN. charts: names of the wanted ones, by default all."""
    for one in (*REGISTERED, *_specifications(of)):
        if one.of != of.of or (charts and one.name not in charts):
            continue
        if one.table in of.names and (not one.column or one.column in of[one.table]):
            for statistics in one.reported:
                if all(_is_known(of[one.table], name) for name in statistics):
                    yield _draw(one, of, statistics)


def _draw(one: Registered, of: Tables, statistics: tuple[str, ...]) -> Drawn:
    shown = [BY_NAME[name].over(of.unit) for name in statistics]
    title = one.title.format(*(statistic.label for statistic in shown))
    return Drawn("-".join((one.name, *statistics)), one.make(of, *shown), title, one.wide)


def _is_known(table: pd.DataFrame, statistic: str) -> bool:
    if "statistic" in table:
        return bool(table["value"][table["statistic"] == statistic].notna().any())
    return statistic in table and bool(table[statistic].notna().any())


def _anchors(of: Tables) -> alt.LayerChart:
    anchors = of["anchors"]
    return anchor_grid(anchor_overview(anchors, dict(zip(anchors["token_id"], anchors["token"], strict=True))))


def _segments(of: Tables) -> alt.LayerChart:
    from attn_core.segmentation import METHODS  # scikit-learn and nltk take seconds to import

    segments = of["segments"]
    return segment_strips(segments.assign(name=[METHODS[method].title for method in segments["method"]], preview=""))


def _depths(of: Tables, statistic: Statistic) -> alt.LayerChart:
    curves = of["curves"]
    return depth_curves(curves[(curves["statistic"] == statistic.name) & curves["value"].notna()], statistic)


def _importance(of: Tables) -> alt.LayerChart:
    heads = of["importance"][["layer", "head", "effect"]].rename(columns={"effect": "importance"})
    return removal_map(heads.assign(off=False), "importance (1 − cosine)")


def _entropies(of: Tables) -> alt.LayerChart:
    entropies = of["entropies"]
    table = bits_by_kind(entropies.assign(heads="all heads"))
    return by_layer_in_bits(table, float(entropies["chance_entropy"].iloc[0]))


def _relations(of: Tables) -> alt.LayerChart:
    heads = of["relation_heads"]
    heads = heads[heads["map"] == CHOSEN]
    enough = heads["pairs"] >= ENOUGH
    return relation_map(heads[enough if enough.any() else ~enough], "score", "score", MOST)


def _specifications(of: Tables) -> Iterator[Registered]:
    """The specification curve of every claim that has an effect under at least one setting."""
    known = set(of["claims"].dropna(subset="value")["effect"]) if of.of == EVERY_SETTING else set()
    for claim in CLAIMS:
        if claim.effect in known:
            make, title = partial(_specification, claim), f"{claim.name} under every setting"
            yield Registered(f"specification-{claim.effect}", EVERY_SETTING, "claims", make, title, wide=True)


def _specification(claim: Claim, of: Tables) -> alt.LayerChart:
    rows = distinct(of["claims"], claim.effect)
    return specification_curve(rows, differing(rows, claim.effect), claim)


REGISTERED = (
    Registered("claims", "text", "claims", lambda of: claim_picture(of["claims"]),
        "The claims: effects with their 95% intervals among the thresholds", wide=True),
    Registered("heads", "text", "heads", lambda of, one: statistic_map(of["heads"], one),
        "{} of every head, and its chance level", (REACH,), ((NOISE,),)),
    Registered("layers", "text", "layers", lambda of, one: layer_curve(of["heads"], of["layers"], one, of.copies),
        "{} by layer", (REACH,), CURVES),
    Registered("scatter", "text", "heads", lambda of, x, y: scatter(of["heads"], x, y, "role"),
        "Heads by {} and {}", (REACH, "repetition_share"), ()),
    Registered("distances", "text", "distance_bins", lambda of: distances_at_a_glance(of["distance_bins"], of.unit),
        "Distances of strong pairs by layer: how often, over chance"),
    Registered("kinds", "text", "kinds", lambda of: kinds_at_a_glance(of["kinds"]),
        "Kinds of the strong pairs of every head, and by chance"),
    Registered("roles", "text", "heads", lambda of: role_map(of["heads"]), "The role of every head", column="role"),
    Registered("anchors", "text", "anchors", _anchors,
        "The anchor of every head: the token that most of its strong pairs touch"),
    Registered("uniqueness", "text", "layers",
        lambda of: curve(of["layers"], LAYER, ANCHOR_UNIQUENESS, copies=of.copies),
        "Distinct anchors over heads, by layer", column="anchor_uniqueness"),
    Registered("stability", "text", "heads", lambda of: stability_map(of["heads"]),
        "Windows in which each head keeps its anchor", column="anchor_stability"),
    Registered("segments", "text", "segments", _segments, "Where the topic changes", reported=()),
    Registered("relations", "text", "relation_heads", _relations,
        "How well the best head of each layer sees each relation; chosen and scored on the same texts", wide=True),
    Registered("entropies", "text", "entropies", _entropies,
        "Entropy and cross-entropy of the language-model head by layer"),
    Registered("layers-by-step", "training", "layers", lambda of, one: layers_by_step(of["layers"], one),
        "{} of each layer, by step; dashed: chance", reported=((REACH,),)),
    Registered("drift", "training", "drift", lambda of: drift_by_step(of["drift"]),
        "Distance of the heads of each layer from the last step; dashed: chance"),
    Registered("curves", "comparison", "curves", _depths, "{} by depth; dashed: chance", reported=(*CURVES, (NOISE,))),
    Registered("best-matches", "comparison", "best_matches", lambda of: best_match_map(of["best_matches"]),
        "The head of B that is most like each head of A"),
    Registered("importance", "ablation", "importance", _importance, "The effect of each head, removed alone"),
    Registered("curve", "ablation", "curve", lambda of: pruning(of["curve"], RANDOM, THRESHOLD),
        "The effect by the number of removed heads, for every order", wide=True),
)  # fmt: skip
OF_STUDIES = ("stability", "relations", "entropies")  # charts that only some studies have
BY_CHART = {one.name: one for one in REGISTERED if one.of == "text" and one.name not in OF_STUDIES}
