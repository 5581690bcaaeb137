"""What `ablate` has written into a folder: opened for reading, and what it has found in sentences.

Each number comes with its interval and its chance level, on pages and in reports.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from attn_core.head import Head
from attn_core.interventions.orders import heads_that_can_go
from attn_core.models.removal import REPLACED_BY
from attn_core.runs.results import Results
from attn_core.study.descriptions import percent

THRESHOLD = 0.05  # of the effect on the sentence embedding, up to which heads can go
CARD = """# {name} without {number} of its {heads} attention heads

Removed from {name} (revision {revision}): {removed}.

Instead of its own output each of them puts out: {replaced_by}. Their slices of the layers' output projections are zero{bias}.

How much that changed, over {over} (texts with SHA-256 {corpus}), 95% intervals; an effect is 1 - cosine, 0 changed nothing:

{effects}

**The model is not faster and not smaller**: it keeps its shape, and what is zero is multiplied all the same.
"""
BIAS = ", and the projections' biases take over the mean"

Row = Mapping[str, Any]  # of a table


class Ablation(Results):
    """Finished effects; the tables are those of `tables`."""

    kind = "ablation"


def answers(ablation: Ablation) -> Iterator[str]:
    """The main numbers, one or two sentences; what was measured on texts that chose nothing comes first."""
    if ablation.has("curve"):
        yield _can_go(ablation)
    if ablation.has("effects"):
        yield _followed(ablation.table("effects").to_dict("records")[0], str(ablation.provenance["removed"]))
    if ablation.has("importance"):
        heads = ablation.table("importance").sort_values("effect", ascending=False, kind="stable").to_dict("records")
        first, last = (f"{Head.of_row(of['layer'], of['head'])}, effect {bounded(of)}" for of in (heads[0], heads[-1]))
        yield f"Of {len(heads)} heads, each removed alone, the largest effect on these texts: {first}. The smallest: {last}."


def about(ablation: Ablation) -> str:
    """The model, how many texts, and what stands in place of removed heads."""
    provenance = ablation.provenance
    layers, heads = ablation.shape
    left_out = f", {provenance['bad_texts']:,} left out" if provenance["bad_texts"] else ""
    read = f"{provenance['model']}, {layers} layers of {heads} heads; {over(provenance)}{left_out}."
    return f"{read} Removed heads put out instead: {REPLACED_BY[provenance['replace']]}."


def over(provenance: Mapping[str, object]) -> str:
    """Over how many texts, or groups of them, the means are."""
    return f"{provenance['units_read']:,} {provenance['units']}"


def bounded(row: Row, of: str = "") -> str:
    """An effect with its interval, where it has one, in percent. of: what its columns begin with."""
    value, low, high = (f"{100 * row[f'{of}{name}']:z.2f}" for name in ("effect", "low", "high"))
    return f"{value}%" + ("" if pd.isna(row[f"{of}low"]) else f" [{low}, {high}]")


def _followed(row: Row, removed: str) -> str:
    """What the removal of some heads does, and whether any of as many others does as much."""
    names = removed if removed == "all heads" else removed.replace(" ", ", ")
    said = f"Without {names} the sentence embedding moves by {bounded(row)} (1 − cosine)"
    if not row["random_sets"]:
        return f"{said}. Whole layers are removed: no other heads of them could be the chance level."
    compared = "not distinguishable from them"
    if row["low"] > row["chance_high"]:
        compared = "more than any of them"
    elif row["high"] < row["chance_low"]:
        compared = "less than any of them"
    return (
        f"{said}, as many random heads of the same layers by {bounded(row, 'chance_')} (mean, lowest and highest of "
        f"{row['random_sets']} sets): {compared}."
    )


def _can_go(ablation: Ablation) -> str:
    """Of each order how many heads can go, at the mean effect, and surely, at the upper bound of its interval."""
    parts = []
    for order, curve in ablation.table("curve").groupby("order", sort=False):
        counts, levels = curve["removed"].tolist(), curve[["effect", "high"]].fillna(np.inf).to_numpy().T
        mean, upper = (heads_that_can_go(counts, level, THRESHOLD) for level in levels)
        parts.append(f"{order} {mean} [{upper}]")
    layers, heads = ablation.shape
    return (
        f"On texts that chose no order, of {layers * heads} heads can go at an effect of at most {percent(THRESHOLD)}, in "
        f"brackets at the upper bound of the effect: {'; '.join(parts)}. Only the numbers of heads in the figure were measured."
    )


def card(ablation: Ablation) -> str:
    """In Markdown: what was removed, from what, how much it changed, and that it is not faster."""
    about, heads = ablation.provenance, ablation.manifest["settings"]["heads"]
    layers, per_layer = ablation.shape
    effects = ablation.table("effects").to_dict("records")
    return CARD.format(
        name=about["model"], number=len(heads), heads=layers * per_layer, revision=about["revision"],
        removed=", ".join(heads), replaced_by=REPLACED_BY[about["replace"]],
        bias=BIAS if about["replace"] == "mean" else "", over=over(about), corpus=about["corpus_sha256"][:12],
        effects="\n".join(f"- {row['quantity']}: {bounded(row)}" for row in effects),
    )  # fmt: skip
