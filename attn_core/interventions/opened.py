"""What `ablate` has written into a folder: opened for reading, and what it has found in sentences.

Each number comes with its interval and its chance level, on pages and in reports.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from attn_core.head import Head
from attn_core.interventions.tables import BARS
from attn_core.runs.results import Results
from attn_core.study.in_words import percent

NO_OTHERS = "Whole layers are removed: no other heads of them could be the chance level"
CARD = """# {name} without {number} of its {heads} attention heads

Removed from {name} (revision {revision}): {removed}.

Instead of its own output each of them puts out: {replaced_by}. Their slices of the layers' output projections are zero{bias}.

How much that changed, over {over} (texts with SHA-256 {corpus}), 95% intervals:

{effects}

An effect on embeddings and states is 1 - cosine: 0 changed nothing.

**The model is not faster and not smaller**: it keeps its shape, and what is zero is multiplied all the same.

Saved by attn-core {program_version}.
"""
BIAS = ", and the projections' biases take over the mean"

Row = Mapping[str, Any]  # of a table


class Ablation(Results):
    """Finished effects; the tables are those of `tables`."""

    kind = "ablation"


open_ablation = Ablation.open


def answers(ablation: Ablation) -> Iterator[str]:
    """The main numbers, one to three sentences; what was measured on texts that chose nothing comes first."""
    if ablation.has("heads_that_can_go"):
        yield _can_go(ablation)
    if ablation.has("effects"):
        (row,) = ablation.table("effects").query("quantity == 'sentence embedding'").to_dict("records")
        yield _followed(row, str(ablation.provenance["removed"]))
    if ablation.has("entropies"):
        yield from (_sure(rows) for _, rows in ablation.table("entropies").groupby("heads", sort=False))
    if ablation.has("importance"):
        heads = ranked(ablation)
        first, last = (f"{one['name']}, effect {bounded(one)}" for one in (heads.iloc[0], heads.iloc[-1]))
        yield f"Of {len(heads)} heads, each removed alone, the largest effect on these texts: {first}. The smallest: {last}."


def over(told: Mapping[str, object]) -> str:
    """Over how many texts, groups of them or blocks of one the means are. told: the provenance of an ablation."""
    return f"{told.get('units_read', told['texts']):,} {told['units']}"


def ranked(ablation: Ablation) -> pd.DataFrame:
    """Importance, the most important head first, with the heads' names."""
    heads = ablation.table("importance").sort_values("effect", ascending=False, kind="stable", ignore_index=True)
    return heads.assign(name=[str(Head.of_row(*row)) for row in heads[["layer", "head"]].to_numpy()])


def bounded(row: Row, of: str = "") -> str:
    """An effect with its interval: in percent, of the loss in bits. of: what its columns begin with."""
    value, low, high = (row[f"{of}{name}"] for name in ("effect", "low", "high"))
    is_loss = "loss" in str(row.get("quantity", ""))
    return _with_bounds(value, low, high, "+z.3f") if is_loss else in_percent(value, low, high)


def by_chance(row: Row) -> str:
    """Its chance level, with the bounds of what was drawn."""
    return bounded(row, "chance_")


def in_percent(value: float, low: float, high: float, sign: str = "") -> str:
    """A share with its bounds, where it has some."""
    return _with_bounds(100 * value, 100 * low, 100 * high, f"{sign}z.2f", "%")


def in_bits(row: Row, kind: str) -> str:
    """Entropy or cross-entropy with its interval."""
    return _with_bounds(row[kind], row[f"{kind}_low"], row[f"{kind}_high"], ".2f")


def _with_bounds(value: float, low: float, high: float, form: str, unit: str = "") -> str:
    """A number with its bounds, where it has some; a dash where it could not be told."""
    if pd.isna(value):
        return "–"
    return f"{value:{form}}{unit}" + ("" if pd.isna(low) else f" [{low:{form}}, {high:{form}}]")


def _followed(row: Row, removed: str) -> str:
    """What the removal of some heads does, and whether any of as many others does as much."""
    without = "all heads" if removed == "all heads" else removed.replace(" ", ", ")
    said = f"Without {without} the sentence embedding moves by {bounded(row)} (1 − cosine)"
    if not row["random_sets"]:
        return f"{said}. {NO_OTHERS}."
    apart = "not told apart from them"
    if row["low"] > row["chance_high"]:
        apart = "more than any of them"
    elif row["high"] < row["chance_low"]:
        apart = "less than any of them"
    return (
        f"{said}, as many random heads of the same layers by {by_chance(row)} (mean, lowest and highest of "
        f"{row['random_sets']} sets): {apart}."
    )


def _can_go(ablation: Ablation) -> str:
    layers, heads = ablation.shape
    at_bar = ablation.table("heads_that_can_go").query("bar == @BARS[-1]")
    orders = [f"{row.order} {row.heads} [{row.surely}, {row.at_most}]" for row in at_bar.itertuples()]
    return (
        f"On texts that chose no order, of {layers * heads} heads can go at an effect of at most {percent(BARS[-1])}, in "
        f"brackets at the bounds of the effect's interval: {'; '.join(orders)}. Only the numbers of heads in the figure "
        "were measured."
    )


def _sure(rows: pd.DataFrame) -> str:
    """What one state of the model says of its last layer, and whether entropy falls on the way to it."""
    last = rows.to_dict("records")[-1]
    return (
        f"The last layer, {last['heads']}: {in_bits(last, 'entropy')} bits of entropy, {in_bits(last, 'cross_entropy')} of "
        f"cross-entropy; {last['chance_entropy']:.2f} is an even guess among all words. {entropy_falls(rows['entropy'])}"
    )


def entropy_falls(entropy: pd.Series) -> str:
    """Whether entropy falls on the way from the embeddings to the last layer."""
    steps = entropy.diff().iloc[1:]
    return (
        f"Entropy falls in {(steps < 0).sum()} of {len(steps)} steps from layer to layer, from {entropy.iloc[0]:.2f} bits at "
        "the embeddings."
    )


def card(ablation: Ablation) -> str:
    """In Markdown: what was removed, from what, how much it changed, and that it is not faster."""
    told = ablation.provenance
    layers, per_layer = ablation.shape
    rows = [f"- {_line(row)}" for row in ablation.table("effects").itertuples()]
    heads = ablation.manifest["settings"]["heads"]
    return CARD.format(
        name=told["model"],
        number=len(heads), heads=layers * per_layer, revision=told["revision"], removed=", ".join(heads),
        replaced_by=told["replaced_by"], bias=BIAS if told["replace"] == "mean" else "",
        over=over(told), corpus=told["corpus_sha256"][:12], effects="\n".join(rows),
        program_version=told["program_version"],
    )  # fmt: skip


def _line(row: Any) -> str:
    """A quantity and its effect with the interval, where it has one."""
    return f"{row.quantity}: {_with_bounds(row.effect, row.low, row.high, '.4f')}"
