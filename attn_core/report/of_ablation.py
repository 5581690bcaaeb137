"""The report of removed heads: what follows, which heads matter, how many can go."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from attn_core.charts.interventions import bits_by_kind, by_layer_in_bits, pruning, removal_map
from attn_core.charts.marks import Figure as Chart
from attn_core.head import Head
from attn_core.interventions.opened import BAR, Ablation, Row, answers, bounded, in_bits, in_percent, over, ranked
from attn_core.interventions.tables import RANDOM
from attn_core.measures.frames import head_index
from attn_core.models.removal import REPLACED_BY
from attn_core.report import cells, commands
from attn_core.report.document import Report, Section, Table
from attn_core.report.figures import figure
from attn_core.report.notebook import unmarked
from attn_core.report.parts import made_of, method, of_its_own, short
from attn_core.study.in_words import percent

Cell = str | Callable[[Row], str]  # what a cell says of its row; a text has the names of columns in it
TERMS = ("head_output", "similarity")
IMPORTANCE = "importance (1 − cosine)"
OWN = {
    "estimated": "importance, estimated",
    "redundancy": "redundancy",
}  # of importance's columns that are no statistics
ASKED = (
    "Of some heads the question is what they do, not what they attend to. They are **removed**: what they put out is replaced, "
    "everything behind them is computed anew, and the outcome is held against that of the whole model."
)
MEANT = (
    "**Effect**: 1 − cosine of the sentence embedding (the mean of the last layer's token vectors) with and without the heads, "
    "mean over the texts: 0% is no change at all, 100% nothing in common.",
    "**Chance level**: what as many random heads of the same layers do; of an order of removal, what random orders do.",
    "**Importance** of a head: the effect of removing it alone. *Estimated*: the same to first order, from gradients.",
    "**Redundancy** of a head: the rank correlation of its similarity matrix with that of the head most like it. Chance level: "
    "the mean over heads where the words of the other change places.",
    "**Orders** in which heads go: the least important or those of one role first, and *random*, the chance level of it. It is "
    "chosen on every second text, and shown on the rest.",
    "**Entropy** of the language-model head applied to a layer's states at masked places (causal: of every next token): how sure "
    "it is of the word there. **Cross-entropy**: how wrong. Chance level: an even guess among all words.",
    "**Accuracy**: labelled texts that a classifier names rightly that has not seen them. Chance level: the share of the most "
    "frequent label.",
)
TITLES = {"heads": "What follows without", "entropy": "How sure of a word, layer by layer, is"}
LIMITS = (
    "What stands in place of a removed head is our choice, and another replacement gives other numbers: see under What was read.",
    "Heads that go one by one tell nothing of heads that go together: two that stand in for each other look unimportant alone.",
    "Intervals are Student's 95% over texts, each of one number alone: of 72 heads, three or four miss. None is given for fewer "
    "than four texts.",
)
MAP = "A cell is a head, a row a layer; the colour, on a root scale, is the effect of removing it alone."
OFF = "A cell is a head, a row a layer; the crossed heads are removed together."
PRUNED = (
    "Across: heads that are removed together. Upwards: the effect on the sentence embedding, on a root scale. A line is an "
    f"order; dashed is the mean of random orders, the band from the lowest to the highest of them. The "
    f"horizontal line is an effect of {percent(BAR)}."
)
BY_LAYER = (
    "Across: layers, 0 the embeddings. Upwards: bits, mean over texts; bars are 95% intervals over texts. Dashed across: "
    "an even guess among all words of the vocabulary."
)


def _in_points(row: Row, *names: str) -> str:
    """A difference of shares with its bounds."""
    value, low, high = (row[name] for name in names)
    return in_percent(value, low, high, "+").replace("%", "")


def _share(name: str, digits: int) -> Callable[[Row], str]:
    """The cell of a share."""
    return lambda row: percent(row[name], digits)


# The tables of what was asked, in their order: their titles, and of each column its heading and what its cells say.
ANSWERS: Mapping[str, tuple[str, Mapping[str, Cell]]] = {
    "effects": (
        "What follows from the removal: 1 − cosine, of the loss bits a token",
        {
            "what changes": "{quantity}",
            "effect [95%]": bounded,
            "random heads of the same layers [lowest, highest]": lambda row: bounded(row, "chance_"),
            "random sets": "{random_sets}",
        },
    ),
    "entropies": (
        "How sure of a word, by layer (0: the embeddings)",
        {
            "layer": "{layer}",
            "places": "{places:,}",
            "entropy, bits [95%]": lambda row: in_bits(row, "entropy"),
            "cross-entropy, bits [95%]": lambda row: in_bits(row, "cross_entropy"),
            "even guess": "{chance_entropy:.2f}",
        },
    ),
}
ACCURACY: Mapping[str, Cell] = {
    "heads removed": "{removed}",
    "effect": _share("effect", 1),
    "accuracy [95%]": lambda row: in_percent(row["accuracy"], row["low"], row["high"]),
    "change, in points [95%]": lambda row: _in_points(row, "change", "change_low", "change_high"),
    "by chance": _share("chance_accuracy", 1),
}
CELLS_OF_OWN: Mapping[str, Cell] = {"estimated": _share("estimated", 2), "redundancy": "{redundancy:.2f}"}


class Drawn(NamedTuple):
    """A chart of an ablation. name: of its file. reading: how to read it."""

    name: str
    chart: Chart
    title: str
    reading: str


def of_ablation(ablation: Ablation, _quote: bool) -> Report:
    """What `ablate` has written, which holds no text that could be quoted."""
    told = {name: value for name, value in ablation.provenance.items() if value not in ("", None)}
    what = TITLES.get(told["what"], "Which heads matter in")
    subject = f"{told['removed']} of {short(told['model'])}" if told["what"] == "heads" else short(told["model"])
    drawn = tuple(figure(one.chart, one.title, one.reading) for one in charts_of(ablation))
    tables = tuple(_tables(ablation))
    return made_of(
        f"{what} {subject}: {ablation.folder.name}",
        "Heads removed",
        of_its_own(ASKED),
        (
            replace(in_short(ablation), figures=drawn),
            *([Section("Tables", tables=tables, folded=True)] if tables else []),
        ),
        method=method(TERMS, MEANT),
        read=(cells.of_provenance(told),),
        limits=LIMITS,
        again=commands.of_ablation(ablation.manifest),
    )


def in_short(ablation: Ablation) -> Section:
    """What was asked, of which texts, and the sentences and tables that answer it."""
    return Section("In short", told=(about(ablation), *answers(ablation)), tables=tuple(_answers(ablation)))


def about(ablation: Ablation) -> str:
    """The model, how many texts, and what stands in place of removed heads."""
    told = ablation.provenance
    layers, heads = ablation.shape
    left_out = f", {told['bad_texts']:,} left out" if told["bad_texts"] else ""
    replaced = "" if told["what"] == "entropy" else f" Removed heads put out instead: {REPLACED_BY[told['replace']]}."
    return f"{short(told['model'])}, {layers} layers of {heads} heads; {over(told)}{left_out}.{replaced}"


def _answers(ablation: Ablation) -> Iterator[Table]:
    for name, (title, columns) in ANSWERS.items():
        if ablation.has(name):
            yield _table(title, ablation.table(name), columns)
    if ablation.has("accuracy"):
        table = ablation.table("accuracy")
        order = f", {ablation.table('orders')['order'].iloc[0]}" if ablation.has("curve") else ""
        yield _table(f"Labelled texts named rightly{order}", table, ACCURACY)


def _table(title: str, table: pd.DataFrame, columns: Mapping[str, Cell]) -> Table:
    """A row of cells for each row of a table; the first column is a word."""
    rows = tuple(
        tuple(cell.format_map(row) if isinstance(cell, str) else cell(row) for cell in columns.values())
        for row in table.to_dict("records")
    )
    return Table(title, tuple(columns), rows, words=1)


def _tables(ablation: Ablation) -> Iterator[Table]:
    if ablation.has("importance"):
        yield _heads(ranked(ablation))


def _heads(ranked: pd.DataFrame) -> Table:
    """Every head, the most important first, with what is known of it."""
    columns: dict[str, Cell] = {"head": "{name}", IMPORTANCE: bounded}
    columns |= {OWN[name]: cell for name, cell in CELLS_OF_OWN.items() if ranked[name].notna().all()}
    return _table("Every head, the most important first", ranked, columns)


def charts_of(ablation: Ablation) -> Iterator[Drawn]:
    """The drawings of what was asked."""
    if ablation.has("entropies"):
        table = ablation.table("entropies")
        drawn = by_layer_in_bits(bits_by_kind(table.assign(heads="all heads")), float(table["chance_entropy"].iloc[0]))
        title = "Entropy and cross-entropy of the language-model head by layer"
        yield Drawn("entropy-by-layer", drawn, title, BY_LAYER)
        return
    if not ablation.has("importance"):
        layers, heads = ablation.shape
        gone = set(ablation.manifest["settings"]["heads"])
        every = head_index(layers, heads).assign(importance=np.nan)
        every["off"] = [str(Head.of_row(*row)) in gone for row in every[["layer", "head"]].to_numpy()]
        yield Drawn("heads-removed", unmarked(removal_map(every, IMPORTANCE)), "The heads that are removed", OFF)
        return
    importance = ablation.table("importance")
    shown = importance[["layer", "head"]].assign(importance=importance["effect"], off=False)
    yield Drawn("importance", unmarked(removal_map(shown, IMPORTANCE)), "The effect of each head, removed alone", MAP)
    if ablation.has("curve"):
        drawn = pruning(ablation.table("curve"), RANDOM, BAR)
        title = "The effect as ever more heads go, an order a line, beside random orders"
        yield Drawn("pruning-curve", drawn, title, PRUNED)
