"""The charts of the pages in one line each, for notebooks, without Streamlit."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import altair as alt
import pandas as pd

from attn_core.analysis.one_text import Analysis
from attn_core.charts.anchors import anchor_grid, uniqueness_curve
from attn_core.charts.claims import claim_picture
from attn_core.charts.clusters import role_map
from attn_core.charts.distances import distances_at_a_glance, layer_curve
from attn_core.charts.heads import head_map
from attn_core.charts.kinds import kinds_at_a_glance
from attn_core.charts.paper import theme
from attn_core.charts.scatter import Axis, scatter
from attn_core.charts.segments import segment_strips
from attn_core.checks import check_choice
from attn_core.errors import InputError
from attn_core.findings.table import claims_table
from attn_core.findings.verdicts import findings
from attn_core.measures.anchors import anchor_overview, token_labels
from attn_core.measures.statistics import BY_NAME, Statistic
from attn_core.similarity.words import Unit

WIDTH = 760  # pixels: a cell of a notebook beside its margin
NOBODY = {"layer": 0, "head": 0}  # layers and heads count from 1: no head is marked as A or B
PREVIEW = 80  # characters of a segment


class HeadTables(Protocol):
    """What an `Analysis` and a `Study` have in common."""

    @property
    def heads(self) -> pd.DataFrame: ...
    @property
    def layers(self) -> pd.DataFrame: ...
    @property
    def distance_bins(self) -> pd.DataFrame: ...
    @property
    def kinds(self) -> pd.DataFrame: ...
    @property
    def anchors(self) -> pd.DataFrame: ...
    @property
    def unit(self) -> Unit: ...


class HasClaims(Protocol):
    """What a comparison and a reproduction have."""

    @property
    def claims(self) -> pd.DataFrame: ...


@dataclass(frozen=True)
class _Kind:
    """How a chart is made of tables and statistics, its title, and the statistics that it shows where none are named."""

    make: Callable[..., alt.LayerChart]
    title: str
    statistics: tuple[str, ...] = ()


def chart(tables: HeadTables | HasClaims, name: str, *statistics: str) -> alt.LayerChart:
    """A chart of the pages, of an `Analysis` or a study.

    name: "claims", the picture of the paper's claims, of a study, a comparison of studies or a reproduction; "heads", a
    map of all heads, and "layers", a curve over the layers, by one statistic (the mean distance unless one is named);
    "scatter", all heads by two; "distances", how far strong pairs reach by layer; "kinds" of strong pairs; "roles"; "anchors";
    "uniqueness" of the anchors by layer; "segments", of an analysis alone. statistics: columns of the heads table that have a
    chance level, such as "repetition_share".

    Returns an Altair chart, which a notebook shows and `.save("heads.html")` writes. Raises InputError for a chart or a
    statistic that there is not.

    >>> type(attn_core.chart(analysis, "heads", "repetition_share")).__name__
    'LayerChart'
    >>> attn_core.chart(analysis, "head")
    Traceback (most recent call last):
    attn_core.errors.InputError: A chart is claims, heads, layers, scatter, distances, kinds, roles, anchors, uniqueness or \
segments, not 'head'.
    """
    if not hasattr(type(tables), "distance_bins") and not (name == "claims" and hasattr(type(tables), "claims")):
        raise InputError(
            f"A chart is drawn of an Analysis or a study, claims of a comparison or a reproduction too, not of a value of type "
            f"{type(tables).__name__}."
        )
    check_choice(name, tuple(KINDS), "A chart")
    kind = KINDS[name]
    if statistics and len(statistics) != len(kind.statistics):
        raise InputError(
            f"The chart {name!r} shows {len(kind.statistics) or 'no'} statistics by name, not {len(statistics)}."
        )
    for statistic in statistics:
        check_choice(statistic, tuple(BY_NAME), "A statistic")
    shown = [BY_NAME[statistic] for statistic in statistics or kind.statistics]
    title = kind.title.format(*(statistic.label for statistic in shown))
    # With the looks and the parameters that a chart of a page has from its page.
    return unmarked(kind.make(tables, *shown)).properties(title=title, width=WIDTH).configure(**theme())


def unmarked(made: alt.LayerChart) -> alt.LayerChart:
    """A chart that can mark the heads A and B, with neither of them."""
    return made.add_params(*(alt.param(name=name, value=NOBODY) for name in ("head_a", "head_b")))


def _scatter(tables: HeadTables, x: Statistic, y: Statistic) -> alt.LayerChart:
    heads = tables.heads
    across, up = (
        Axis(
            one.over(tables.unit).axis_title,
            heads[one.name].to_numpy(),
            float(heads[one.chance].mean()),
            one.axis_format,
        )
        for one in (x, y)
    )
    return scatter(heads, across, up, "role")


def _anchors(tables: HeadTables) -> alt.LayerChart:
    table = tables.anchors
    named = dict(zip(table["token_id"], table["token"], strict=True))
    windows = tables.windows if isinstance(tables, Analysis) else ()
    return anchor_grid(anchor_overview(table, token_labels(windows) or named, windows))


def _segments(tables: HeadTables) -> alt.LayerChart:
    if not isinstance(tables, Analysis):
        raise InputError("Segments are of one text: draw them of an Analysis.")
    from attn_core.segmentation import by_name  # scikit-learn and nltk take seconds to import

    table, text = tables.segments, tables.reading.document.text
    return segment_strips(
        table.assign(
            name=[by_name(method).title for method in table["method"]],
            preview=[text[start:end][:PREVIEW] for start, end in zip(table["start"], table["end"], strict=True)],
        )
    )


REACH = "mean_distance"


def _claims(results: Any) -> alt.LayerChart:
    if isinstance(results, Analysis):
        raise InputError("The claims are asked of many texts: draw them of a study.")
    beside = hasattr(type(results), "claims")
    return claim_picture(results.claims if beside else claims_table(findings(results)))


KINDS = {
    "claims": _Kind(_claims, "The claims: effects with their 95% intervals among the bars"),
    "heads": _Kind(
        lambda tables, one: head_map(tables.heads, one.over(tables.unit)),
        "{} of every head, and its chance level",
        (REACH,),
    ),
    "layers": _Kind(
        lambda tables, one: layer_curve(tables.heads, tables.layers, one.over(tables.unit)),
        "{} by layer, and its chance level",
        (REACH,),
    ),
    "scatter": _Kind(_scatter, "Heads by {} and {}", (REACH, "repetition_share")),
    "distances": _Kind(
        lambda tables: distances_at_a_glance(tables.distance_bins, tables.unit),
        "How often strong pairs are so far apart, times chance",
    ),
    "kinds": _Kind(
        lambda tables: kinds_at_a_glance(tables.kinds), "Kinds of the strong pairs of every head, and by chance"
    ),
    "roles": _Kind(lambda tables: role_map(tables.heads), "The role of every head"),
    "anchors": _Kind(_anchors, "The anchor of every head: the token that most of its strong pairs touch"),
    "uniqueness": _Kind(lambda tables: uniqueness_curve(tables.layers), "Distinct anchors / heads by layer"),
    "segments": _Kind(_segments, "Where the topic changes"),
}
