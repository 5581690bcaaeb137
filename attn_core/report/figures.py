"""The figures of a report: the charts that are registered for its tables, those of runs that are no study among them."""

from collections.abc import Iterator

import altair as alt

from attn_core.charts.interventions import bits_by_kind, by_layer_in_bits, pruning, removal_map
from attn_core.charts.patterns import relation_map
from attn_core.charts.registry import REGISTERED, Drawn, Registered, Tables, figures_of
from attn_core.interventions.opened import BAR
from attn_core.interventions.tables import RANDOM
from attn_core.patterns.in_words import CHOSEN
from attn_core.patterns.scores import ENOUGH

MOST = 24  # relations on a map


def figures(of: Tables) -> Iterator[Drawn]:
    """Every chart that is registered for one of the tables."""
    return figures_of(of, (*REGISTERED, *OF_RUNS))


def _relations(of: Tables) -> alt.LayerChart:
    heads = of["relation_heads"]
    heads = heads[heads["map"] == CHOSEN]
    enough = heads["pairs"] >= ENOUGH
    return relation_map(heads[enough if enough.any() else ~enough], "score", "score", MOST)


def _importance(of: Tables) -> alt.LayerChart:
    heads = of["importance"][["layer", "head", "effect"]].rename(columns={"effect": "importance"})
    return removal_map(heads.assign(off=False), "importance (1 − cosine)")


def _entropies(of: Tables) -> alt.LayerChart:
    entropies = of["entropies"]
    return by_layer_in_bits(
        bits_by_kind(entropies.assign(heads="all heads")), float(entropies["chance_entropy"].iloc[0])
    )


OF_RUNS = (
    Registered("relations", "text", "relation_heads", _relations, "How well the best head of each layer sees each relation",
        "In percent; the colour is above chance. Chosen and scored on the same texts, which flatters."),
    Registered("importance", "ablation", "importance", _importance, "The effect of each head, removed alone",
        "A cell is a head, a row a layer; the colour, on a root scale, is the effect of removing it alone."),
    Registered("curve", "ablation", "curve", lambda of: pruning(of["curve"], RANDOM, BAR),
        "The effect as ever more heads go, an order a line, beside random orders",
        "Across: heads that are removed together. Upwards: the effect on the sentence embedding, on a root scale. Dashed is the "
        "mean of random orders, the band from the lowest to the highest of them."),
    Registered("entropies", "ablation", "entropies", _entropies, "Entropy and cross-entropy of the language-model head by layer",
        "Across: layers, 0 the embeddings. Upwards: bits, mean over texts; bars are 95% intervals over texts. Dashed across: an "
        "even guess among all words of the vocabulary."),
)  # fmt: skip
