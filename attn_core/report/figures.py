"""The figures of a report: charts of the pages, drawn on paper, each with how to read it and what it shows in words."""

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from attn_core.charts.claims import claim_picture
from attn_core.charts.marks import Figure as Chart
from attn_core.charts.paper import drawing
from attn_core.measures.statistics import BY_NAME
from attn_core.report.document import Figure
from attn_core.report.notebook import KINDS, HeadTables, chart

WIDTH, HALF = 860, 452  # pixels: what a page of A4 holds at a size that is read, and half of a page on the screen


@dataclass(frozen=True)
class _Shown:
    """A chart of `report.notebook` by its name, its statistic if it is of one, the claim it is about, how to read it."""

    name: str
    statistic: str
    claim: str
    reading: str


READING = (
    "Only where the whole interval lies in a shaded zone is a row as in the paper, or unlike it; the bars are ours."
)
LAYERS = (
    "A point is a head, the line the mean of a layer, its band the 95% interval where there is one; dashed is chance."
)
MAP = "A cell is a head, a row a layer; the colour is the difference to chance."
SHOWN = (
    _Shown("layers", "mean_distance", "C2", LAYERS),
    _Shown(
        "distances", "", "C2",
        "A row is a layer, a column a range of distances. Above 1 strong pairs have that distance more often than chance gives.",
    ),
    _Shown("layers", "same_sentence_share", "C3", LAYERS),
    _Shown("roles", "", "C4", "A cell is a head, a row a layer."),
    _Shown(
        "kinds", "", "C4",
        "A bar is a head; each strong pair counts once, as the first kind in the order of the legend that fits. The bar at the "
        "left is what chance gives.",
    ),
    _Shown("anchors", "", "C5", f"{MAP} In the cell stands the token that most of the head's strong pairs touch."),
    _Shown(
        "uniqueness", "", "C5",
        "1: every head of the layer has an anchor of its own.",
    ),
    _Shown("layers", "separator_attention", "C6", LAYERS),
    _Shown("heads", "noise_rate", "C7", MAP),
)  # fmt: skip


def of_claims(tables: HeadTables) -> Iterator[tuple[str, str, Figure]]:
    """The figures of a text or a study by the claim that they are about, and their names; what there are no numbers for is left
    out."""
    for shown in SHOWN:
        if shown.statistic and tables.heads[shown.statistic].isna().all():
            continue
        statistics = (shown.statistic,) if shown.statistic else ()
        made = chart(tables, shown.name, *statistics)
        labels = [BY_NAME[name] for name in statistics]
        asked = " ".join(one.question for one in labels)
        title = KINDS[shown.name].title.format(*(one.label for one in labels))
        yield shown.claim, shown.name, figure(made, title, f"{asked} {shown.reading}".strip(), HALF)


def figure(made: Chart, title: str, reading: str, width: int = WIDTH) -> Figure:
    """A chart as a figure of a report; its description stands for it where it cannot be seen."""
    return Figure(title, reading, str(made.description), drawing(made, width), width <= HALF)


def picture_of_claims(claims: pd.DataFrame, of: str = "") -> Figure:
    """The figure that a report begins with. claims: as of `claims_table`. of: whose effects they are."""
    return figure(claim_picture(claims), f"{KINDS['claims'].title}{f': {of}' if of else ''}", READING)
