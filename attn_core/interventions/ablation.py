"""A finished ablation, and its main results in sentences, for pages and reports."""

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

Replaced by: {replaced_by}. The slices of the heads in the layers' output projections are zero{bias}.

Effects (1 - cosine; 0: no change) with 95% intervals, over {over} (texts with SHA-256 {corpus}):

{effects}

**The model is not faster and not smaller**: it keeps its shape.
"""
BIAS = ", and the projections' biases include the mean"
Row = Mapping[str, Any]  # of a table


class Ablation(Results):
    """The folder of an ablation; its tables are those of `tables`."""

    kind = "ablation"


def answers(ablation: Ablation) -> Iterator[str]:
    """The main results, a sentence each."""
    if ablation.has("curve"):
        yield _can_go(ablation)
    if ablation.has("effects"):
        yield _followed(ablation.table("effects").to_dict("records")[0], str(ablation.provenance["removed"]))
    if ablation.has("importance"):
        heads = ablation.table("importance").sort_values("effect", ascending=False, kind="stable").to_dict("records")
        first, last = (f"{Head.of_row(of['layer'], of['head'])}, effect {bounded(of)}" for of in (heads[0], heads[-1]))
        yield f"Of {len(heads)} heads, each removed alone, the largest effect: {first}. The smallest: {last}."


def about(ablation: Ablation) -> str:
    """The model, the number of texts, and the replacement of removed heads, as two sentences."""
    provenance = ablation.provenance
    layers, heads = ablation.shape
    left_out = f", {provenance['bad_texts']:,} left out" if provenance["bad_texts"] else ""
    read = f"{provenance['model']}, {layers} layers of {heads} heads; {over(provenance)}{left_out}."
    return f"{read} Removed heads put out instead: {REPLACED_BY[provenance['replace']]}."


def over(provenance: Mapping[str, object]) -> str:
    """The number of texts, or of groups of them."""
    return f"{provenance['units_read']:,} {provenance['units']}"


def bounded(row: Row, of: str = "") -> str:
    """An effect in percent, with its interval if any. of: prefix of its columns."""
    value, low, high = (f"{100 * row[f'{of}{name}']:z.2f}" for name in ("effect", "low", "high"))
    return f"{value}%" + ("" if pd.isna(row[f"{of}low"]) else f" [{low}, {high}]")


def _followed(row: Row, removed: str) -> str:
    """The effect of some heads, and that of random heads of the same layers, as a sentence."""
    names = removed if removed == "all heads" else removed.replace(" ", ", ")
    said = f"Without {names} the sentence embedding moves by {bounded(row)} (1 − cosine)"
    if not row["random_sets"]:
        return f"{said}. Whole layers are removed: there are no other heads to compare with."
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
    """How many heads can go in each order, by the mean effect and by the upper bound of its interval, as a sentence."""
    parts = []
    for order, curve in ablation.table("curve").groupby("order", sort=False):
        counts, levels = curve["removed"].tolist(), curve[["effect", "high"]].fillna(np.inf).to_numpy().T
        mean, upper = (heads_that_can_go(counts, level, THRESHOLD) for level in levels)
        parts.append(f"{order} {mean} [{upper}]")
    layers, heads = ablation.shape
    return (
        f"Heads that can go with an effect of at most {percent(THRESHOLD)}, of {layers * heads}, on texts that did not "
        f"choose the order; in brackets by the upper bound of the effect: {'; '.join(parts)}. "
        "Only the numbers of heads in the figure were measured."
    )


def card(ablation: Ablation) -> str:
    """The README of the saved model, in Markdown."""
    about, heads = ablation.provenance, ablation.manifest["settings"]["heads"]
    layers, per_layer = ablation.shape
    effects = ablation.table("effects").to_dict("records")
    return CARD.format(
        name=about["model"], number=len(heads), heads=layers * per_layer, revision=about["revision"],
        removed=", ".join(heads), replaced_by=REPLACED_BY[about["replace"]],
        bias=BIAS if about["replace"] == "mean" else "", over=over(about), corpus=about["corpus_sha256"][:12],
        effects="\n".join(f"- {row['quantity']}: {bounded(row)}" for row in effects),
    )  # fmt: skip
