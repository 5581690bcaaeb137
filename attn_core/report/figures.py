"""The figures of a report: the charts that are registered for its tables."""

from collections.abc import Iterator
from functools import partial

import altair as alt

from attn_core.charts.interventions import pruning
from attn_core.charts.paper import drawing
from attn_core.charts.patterns import relation_map
from attn_core.charts.registry import REGISTERED, Drawn, Registered, Tables, figures_of
from attn_core.charts.specification_curve import specification_curve
from attn_core.claims.claim import CLAIMS, Claim
from attn_core.interventions.ablation import THRESHOLD
from attn_core.interventions.tables import RANDOM
from attn_core.patterns.scores import ENOUGH
from attn_core.patterns.word_maps import CHOSEN
from attn_core.report.document import Figure
from attn_core.study.descriptions import differing
from attn_core.study.settings import distinct

WIDE, HALF = 860, 452  # pixels: what a page of A4 holds at a size that is read, and half of a page on the screen
MOST = 24  # relations on a map
EVERY_SETTING = "every setting"  # of what the tables are that have the claims of a subject under each
SPECIFICATION = (
    "A point is a setting of the scalar product, by its effect, with its 95% interval; dashed is chance. Below it stands what "
    "the setting is."
)


def drawn_of(of: Tables) -> Iterator[Drawn]:
    """Every chart that is registered for one of the tables."""
    return figures_of(of, (*REGISTERED, *OF_RUNS, *_specifications(of)))


def figures(of: Tables) -> Iterator[Figure]:
    """The same as figures of a report; what a chart says of itself stands for it where it cannot be seen."""
    for one in drawn_of(of):
        svg = drawing(one.chart, WIDE if one.wide else HALF)
        yield Figure(one.title, one.reading, str(one.chart.description), svg, not one.wide)


def _specifications(of: Tables) -> Iterator[Registered]:
    """The specification curve of every claim that has a number under some setting."""
    known = set(of["claims"].dropna(subset="value")["effect"]) if of.of == EVERY_SETTING else set()
    for claim in CLAIMS:
        if claim.effect in known:
            yield Registered(f"specification-{claim.effect}", EVERY_SETTING, "claims", partial(_specification, claim),
                f"{claim.name} under every setting", SPECIFICATION, wide=True)  # fmt: skip


def _specification(claim: Claim, of: Tables) -> alt.LayerChart:
    rows = distinct(of["claims"], claim.effect)
    return specification_curve(rows, differing(rows, claim.effect), claim)


def _relations(of: Tables) -> alt.LayerChart:
    heads = of["relation_heads"]
    heads = heads[heads["map"] == CHOSEN]
    enough = heads["pairs"] >= ENOUGH
    return relation_map(heads[enough if enough.any() else ~enough], "score", "score", MOST)


OF_RUNS = (
    Registered("relations", "text", "relation_heads", _relations, "How well the best head of each layer sees each relation",
        "In percent; the colour is above chance. Chosen and scored on the same texts, which flatters.", wide=True),
    Registered("curve", "ablation", "curve", lambda of: pruning(of["curve"], RANDOM, THRESHOLD),
        "The effect as ever more heads go, an order a line, beside random orders",
        "Across: heads that are removed together. Upwards: the effect on the sentence embedding, on a root scale. Dashed is the "
        "mean of random orders, the band from the lowest to the highest of them.", wide=True),
)  # fmt: skip
