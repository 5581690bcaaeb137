"""A finished ablation, and its main results as sentences for pages and reports."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from attn_core.head import Head
from attn_core.interventions.orders import heads_that_can_go
from attn_core.models.removal import REPLACED_BY
from attn_core.runs.results import Results
from attn_core.study.descriptions import describe_bad

THRESHOLD = 0.05  # largest effect on the sentence embedding at which heads can go
CARD = """# {model} without {number} of its {of} attention heads

{about}

{effect}

The heads were removed from revision {revision}: their slices of the layers' output projections are zero{bias}.
SHA-256 of the texts: {texts}.

**The model is not faster and not smaller**: it keeps its shape.
"""
BIAS = ", and the projections' biases include the mean"
Row = Mapping[str, Any]  # of a table


class Ablation(Results):
    """The folder of an ablation, with the tables that `interventions.ablation_tables` makes."""

    kind = "ablation"


def answers(ablation: Ablation) -> Iterator[str]:
    """The main results, one sentence each."""
    if ablation.has("curve"):
        yield _can_go(ablation)
    if ablation.has("effects"):
        yield _effect(ablation.table("effects").to_dict("records")[0], str(ablation.provenance["removed"]))
    if ablation.has("importance"):
        heads = ablation.table("importance").sort_values("effect", ascending=False, kind="stable").to_dict("records")
        first, last = (f"{Head.of_row(of['layer'], of['head'])}, effect {_bounded(of)}" for of in (heads[0], heads[-1]))
        yield f"Of {len(heads)} heads, each removed alone, the largest effect: {first}. The smallest: {last}."


def about(ablation: Ablation) -> str:
    """Two sentences: the model and number of texts, and what replaces removed heads."""
    provenance = ablation.provenance
    layers, heads = ablation.shape
    units = f"{provenance['units_read']:,} {provenance['units']}{describe_bad(provenance)}"
    read = f"{provenance['model']}, {layers} layers of {heads} heads; {units}."
    replace = provenance["replace"]
    return f"{read} Removed heads put out instead: {REPLACED_BY.get(replace, replace)}."


def _bounded(row: Row, of: str = "") -> str:
    """An effect in percent, with its interval if it has one. of: prefix of the columns."""
    value, low, high = (f"{100 * row[f'{of}{name}']:z.2f}" for name in ("effect", "low", "high"))
    return f"{value}%" + ("" if pd.isna(row[f"{of}low"]) else f" [{low}, {high}]")


def _effect(row: Row, removed: str) -> str:
    """A sentence with the effect of the removed heads and of random heads of the same layers."""
    effect = f"Without {removed.replace(' ', ', ')} the sentence embedding moves by {_bounded(row)} (1 − cosine)"
    if not row["random_sets"]:
        return f"{effect}. Whole layers are removed: there are no other heads to compare with."
    compared = "not distinguishable from them"
    if row["low"] > row["chance_high"]:
        compared = "more than any of them"
    elif row["high"] < row["chance_low"]:
        compared = "less than any of them"
    return (
        f"{effect}, as many random heads of the same layers by {_bounded(row, 'chance_')} (mean, lowest and highest of "
        f"{row['random_sets']} sets): {compared}."
    )


def _can_go(ablation: Ablation) -> str:
    """A sentence with the number of heads that can go in each order, by the mean effect and by its upper bound."""
    parts = []
    for order, curve in ablation.table("curve").groupby("order", sort=False):
        counts, levels = curve["removed"].tolist(), curve[["effect", "high"]].fillna(np.inf).to_numpy().T
        mean, upper = (heads_that_can_go(counts, level, THRESHOLD) for level in levels)
        parts.append(f"{order} {mean} [{upper}]")
    layers, heads = ablation.shape
    return (
        f"Heads that can go with an effect of at most {THRESHOLD:.0%}, of {layers * heads}, on texts that did not "
        f"choose the order; in brackets by the upper bound of the effect: {'; '.join(parts)}. "
        "Only the numbers of heads in the figure were measured."
    )


def card(ablation: Ablation) -> str:
    """The README of the saved model in Markdown."""
    facts = ablation.provenance
    layers, per_layer = ablation.shape
    return CARD.format(
        model=facts["model"], number=len(ablation.manifest["settings"]["heads"]), of=layers * per_layer,
        about=about(ablation), effect=next(answers(ablation)), revision=facts["revision"],
        bias=BIAS if facts["replace"] == "mean" else "", texts=facts["corpus_sha256"],
    )  # fmt: skip
