"""The charts that are registered for tables: one line each in a notebook, and the figures of a report."""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import altair as alt
import pandas as pd

from attn_core.charts.anchors import anchor_grid
from attn_core.charts.bars import kinds_at_a_glance
from attn_core.charts.claims import claim_picture
from attn_core.charts.clusters import role_map
from attn_core.charts.comparison import best_match_map, depth_curves
from attn_core.charts.curve import LAYER, curve, layer_curve
from attn_core.charts.distances import distances_at_a_glance
from attn_core.charts.heads import head_map
from attn_core.charts.interventions import bits_by_kind, by_layer_in_bits, removal_map
from attn_core.charts.paper import theme
from attn_core.charts.scatter import Axis, scatter
from attn_core.charts.segments import segment_strips
from attn_core.charts.series import drift_by_step, layers_by_step
from attn_core.checks import check_choice
from attn_core.errors import InputError
from attn_core.measures.anchors import anchor_overview
from attn_core.measures.statistics import ANCHOR_UNIQUENESS, BY_NAME, Statistic
from attn_core.similarity.words import Unit

WIDTH = 760  # pixels: a cell of a notebook beside its margin
REACH, SENTENCE, SEPARATORS, NOISE = "mean_distance", "same_sentence_share", "separator_attention", "noise_rate"
CURVES = ((REACH,), (SENTENCE,), (SEPARATORS,))


@dataclass(frozen=True)
class Tables:
    """What charts are drawn of.

    of: "text" (a text, or a subject of a study), "training", "comparison", or as the kind of a run is called. names: of the
    tables that there are. unit: what pairs are of. subject: whose they are, where there are several.
    """

    of: str
    names: Collection[str]
    table: Callable[[str], pd.DataFrame]
    unit: Unit = "tokens"
    subject: str = ""

    def __getitem__(self, name: str) -> pd.DataFrame:
        return self.table(name)


@dataclass(frozen=True)
class Registered:
    """A chart of a table, and how it is read.

    of, table: which tables it is drawn of. make: takes these and the statistics. statistics: unless others are named. reported:
    those that a report draws it of. column: that the table must have. wide: as wide as a page, not half of it.
    """

    name: str
    of: str
    table: str
    make: Callable[..., alt.LayerChart]
    title: str
    reading: str = ""
    statistics: tuple[str, ...] = ()
    reported: tuple[tuple[str, ...], ...] = ((),)
    column: str = ""
    wide: bool = False


@dataclass(frozen=True)
class Drawn:
    """A registered chart of the tables of something."""

    name: str
    chart: alt.LayerChart
    title: str
    reading: str
    wide: bool


def chart(results: Any, name: str, *statistics: str) -> alt.LayerChart:
    """A chart of the pages, of an `Analysis` or a study (of its first subject, or of another by `study.of`).

    name: "claims", the picture of the paper's claims, of a study alone; "heads", a map of all heads, and "layers", a curve
    over the layers, by one statistic (the mean distance unless one is named); "scatter", all heads by two; "distances", how
    far strong pairs reach by layer; "kinds" of strong pairs; "roles"; "anchors"; "uniqueness" of the anchors by layer;
    "segments", of an analysis alone. statistics: columns of the heads table that have a chance level, such as
    "repetition_share".

    Returns an Altair chart, which a notebook shows and `.save("heads.html")` writes. Raises InputError for a chart or a
    statistic that does not exist.

    >>> type(attn_core.chart(analysis, "heads", "repetition_share")).__name__
    'LayerChart'
    >>> attn_core.chart(analysis, "head")
    Traceback (most recent call last):
    attn_core.errors.InputError: A chart is claims, heads, layers, scatter, distances, kinds, roles, anchors, uniqueness or \
segments, not 'head'.
    """
    tables = results.of() if hasattr(results, "of") else results
    if not hasattr(type(tables), "distance_bins"):
        raise InputError(
            f"A chart is drawn of an Analysis or a study, not of a value of type {type(results).__name__}."
        )
    check_choice(name, tuple(BY_CHART), "A chart")
    one = BY_CHART[name]
    if not hasattr(type(tables), one.table):
        of = "many texts: draw it of a study" if name == "claims" else "one text: draw it of an Analysis"
        raise InputError(f"The chart {name!r} is of {of}.")
    if statistics and len(statistics) != len(one.statistics):
        raise InputError(
            f"The chart {name!r} shows {len(one.statistics) or 'no'} statistics by name, not {len(statistics)}."
        )
    for statistic in statistics:
        check_choice(statistic, tuple(BY_NAME), "A statistic")
    drawn = _draw(one, Tables(one.of, (), partial(getattr, tables), tables.unit), statistics or one.statistics)
    return drawn.chart.properties(title=drawn.title, width=WIDTH).configure(**theme())


def figures_of(of: Tables, registered: Iterable[Registered]) -> Iterator[Drawn]:
    """Every chart that is registered for one of the tables, of numbers that are known."""
    for one in registered:
        if one.of == of.of and one.table in of.names and (not one.column or one.column in of[one.table]):
            for statistics in one.reported:
                if all(_is_known(of[one.table], name) for name in statistics):
                    yield _draw(one, of, statistics)


def _draw(one: Registered, of: Tables, statistics: tuple[str, ...]) -> Drawn:
    shown = [BY_NAME[name].over(of.unit) for name in statistics]
    made = one.make(of, *shown)
    asked = " ".join(statistic.question for statistic in shown)
    return Drawn(
        "-".join((one.name, *statistics)), made, one.title.format(*(statistic.label for statistic in shown)),
        f"{asked} {one.reading}".strip(), one.wide,
    )  # fmt: skip


def _is_known(table: pd.DataFrame, statistic: str) -> bool:
    if "statistic" in table:
        return bool(table["value"][table["statistic"] == statistic].notna().any())
    return statistic in table and bool(table[statistic].notna().any())


def _scatter(of: Tables, x: Statistic, y: Statistic) -> alt.LayerChart:
    heads = of["heads"]
    across, up = (
        Axis(one.axis_title, heads[one.name].to_numpy(), float(heads[one.chance].mean()), one.axis_format)
        for one in (x, y)
    )
    return scatter(heads, across, up, "role")


def _anchors(of: Tables) -> alt.LayerChart:
    anchors = of["anchors"]
    return anchor_grid(anchor_overview(anchors, dict(zip(anchors["token_id"], anchors["token"], strict=True))))


def _segments(of: Tables) -> alt.LayerChart:
    from attn_core.segmentation import by_name  # scikit-learn and nltk take seconds to import

    segments = of["segments"]
    return segment_strips(segments.assign(name=[by_name(method).title for method in segments["method"]], preview=""))


def _depths(of: Tables, statistic: Statistic) -> alt.LayerChart:
    curves = of["curves"]
    return depth_curves(curves[(curves["statistic"] == statistic.name) & curves["value"].notna()], statistic)


def _importance(of: Tables) -> alt.LayerChart:
    heads = of["importance"][["layer", "head", "effect"]].rename(columns={"effect": "importance"})
    return removal_map(heads.assign(off=False), "importance (1 − cosine)")


def _entropies(of: Tables) -> alt.LayerChart:
    entropies = of["entropies"]
    return by_layer_in_bits(
        bits_by_kind(entropies.assign(heads="all heads")), float(entropies["chance_entropy"].iloc[0])
    )


LAYERS = (
    "A point is a head, the line the mean of a layer, its band the 95% interval where there is one; dashed is chance."
)
MAP = "A cell is a head, a row a layer; the colour is the difference to chance."
REGISTERED = (
    Registered("claims", "text", "claims", lambda of: claim_picture(of["claims"]),
        "The claims: effects with their 95% intervals among the thresholds",
        "Only where the whole interval lies in a shaded zone is a claim supported or contradicted; the thresholds are ours.",
        wide=True),
    Registered("heads", "text", "heads", lambda of, one: head_map(of["heads"], one),
        "{} of every head, and its chance level", MAP, (REACH,), ((NOISE,),)),
    Registered("layers", "text", "layers", lambda of, one: layer_curve(of["heads"], of["layers"], one),
        "{} by layer, and its chance level", LAYERS, (REACH,), CURVES),
    Registered("scatter", "text", "heads", _scatter, "Heads by {} and {}", "", (REACH, "repetition_share"), ()),
    Registered("distances", "text", "distance_bins", lambda of: distances_at_a_glance(of["distance_bins"], of.unit),
        "How often strong pairs are so far apart, times chance",
        "A row is a layer, a column a range of distances. Above 1 strong pairs have that distance more often than chance gives."),
    Registered("kinds", "text", "kinds", lambda of: kinds_at_a_glance(of["kinds"]),
        "Kinds of the strong pairs of every head, and by chance",
        "A bar is a head; each strong pair counts once, as the first kind in the order of the legend that fits. The bar at the "
        "left is what chance gives."),
    Registered("roles", "text", "heads", lambda of: role_map(of["heads"]),
        "The role of every head", "A cell is a head, a row a layer.", column="role"),
    Registered("anchors", "text", "anchors", _anchors, "The anchor of every head: the token that most of its strong pairs touch",
        f"{MAP} In the cell stands the token that most of the head's strong pairs touch."),
    Registered("uniqueness", "text", "layers", lambda of: curve(of["layers"], LAYER, ANCHOR_UNIQUENESS),
        "Distinct anchors / heads by layer", "1: every head of the layer has an anchor of its own.",
        column="anchor_uniqueness"),
    Registered("segments", "text", "segments", _segments, "Where the topic changes", reported=()),
    Registered("layers-by-step", "training", "layers", lambda of, one: layers_by_step(of["layers"], one),
        "{} of each layer, step by step", "A line is a layer, dashed is chance.", reported=((REACH,),)),
    Registered("drift", "training", "drift", lambda of: drift_by_step(of["drift"]),
        "How far the heads of each layer are from what they become at the last step",
        "A line is a layer, the mean of its heads; dashed is chance: matrices whose tokens stand in a random order."),
    Registered("curves", "comparison", "curves", _depths, "{} by depth",
        "A line is a subject; dashed in its colour is its chance level.", reported=(*CURVES, (NOISE,))),
    Registered("best-matches", "comparison", "best_matches", lambda of: best_match_map(of["best_matches"]),
        "The head of B that is most like each head of A",
        "The colour is the rank correlation of their similarity matrices over the words of the text."),
    Registered("importance", "ablation", "importance", _importance, "The effect of each head, removed alone",
        "A cell is a head, a row a layer; the colour, on a root scale, is the effect of removing it alone."),
    Registered("entropies", "ablation", "entropies", _entropies, "Entropy and cross-entropy of the language-model head by layer",
        "Across: layers, 0 the embeddings. Upwards: bits, mean over texts; bars are 95% intervals over texts. Dashed across: an "
        "even guess among all words of the vocabulary."),
)  # fmt: skip
BY_CHART = {one.name: one for one in REGISTERED if one.of == "text"}
