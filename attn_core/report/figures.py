"""The figures of a report: the charts of its tables, those of runs among them."""

from collections.abc import Iterator
from functools import partial

import altair as alt

from attn_core.charts.interventions import bits_by_kind, by_layer_in_bits, pruning
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

WIDE, HALF = 860, 452  # pixels: a page of A4 with readable letters, and half of a page on the screen
MOST = 24  # relations on a map
EVERY_SETTING = "every setting"  # the kind of the tables with the claims of a subject under each setting


def drawn_of(of: Tables) -> Iterator[Drawn]:
    """Every chart of the tables."""
    return figures_of(of, (*REGISTERED, *OF_RUNS, *_specifications(of)))


def figures(of: Tables) -> Iterator[Figure]:
    """Every chart of the tables as a figure with its alternative text."""
    for one in drawn_of(of):
        svg = drawing(one.chart, WIDE if one.wide else HALF)
        yield Figure(one.title, str(one.chart.description), svg, not one.wide)


def _specifications(of: Tables) -> Iterator[Registered]:
    """The specification curve of every claim with an effect under some setting."""
    known = set(of["claims"].dropna(subset="value")["effect"]) if of.of == EVERY_SETTING else set()
    for claim in CLAIMS:
        if claim.effect in known:
            make, title = partial(_specification, claim), f"{claim.name} under every setting"
            yield Registered(f"specification-{claim.effect}", EVERY_SETTING, "claims", make, title, wide=True)


def _specification(claim: Claim, of: Tables) -> alt.LayerChart:
    rows = distinct(of["claims"], claim.effect)
    return specification_curve(rows, differing(rows, claim.effect), claim)


def _relations(of: Tables) -> alt.LayerChart:
    heads = of["relation_heads"]
    heads = heads[heads["map"] == CHOSEN]
    enough = heads["pairs"] >= ENOUGH
    return relation_map(heads[enough if enough.any() else ~enough], "score", "score", MOST)


def _entropies(of: Tables) -> alt.LayerChart:
    entropies = of["entropies"]
    table = bits_by_kind(entropies.assign(heads="all heads"))
    return by_layer_in_bits(table, float(entropies["chance_entropy"].iloc[0]))


OF_RUNS = (
    Registered("relations", "text", "relation_heads", _relations,
        "How well the best head of each layer sees each relation; chosen and scored on the same texts", wide=True),
    Registered("entropies", "text", "entropies", _entropies,
        "Entropy and cross-entropy of the language-model head by layer"),
    Registered("curve", "ablation", "curve", lambda of: pruning(of["curve"], RANDOM, THRESHOLD),
        "The effect by the number of removed heads, for every order", wide=True),
)  # fmt: skip
