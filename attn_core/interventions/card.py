"""The card of a model that was saved without some of its heads."""

from typing import Any

from attn_core.interventions.in_words import over
from attn_core.interventions.opened import Ablation

CARD = """# {name} without {number} of its {heads} attention heads

Removed from {name} (revision {revision}): {removed}.

Instead of its own output each of them puts out: {replaced_by}. Their slices of the layers' output projections are zero{bias}.

How much that changed, over {over} (texts with SHA-256 {corpus}), 95 % intervals:

{effects}

An effect on embeddings and states is 1 - cosine: 0 changed nothing. For comparison, the sentence embedding: {yardstick}.

**The model is not faster and not smaller**: it keeps its shape, and what is zero is multiplied all the same.

Saved by attn-core {program_version}.
"""
BIAS = ", and the projections' biases take over the mean"


def card(ablation: Ablation) -> str:
    """In Markdown: what was removed, from what, how much it changed, and that it is not faster."""
    told = ablation.provenance
    layers, per_layer = ablation.shape
    rows = [f"- {_line(row)}" for row in ablation.table("effects").itertuples()]
    heads = ablation.manifest["settings"]["heads"]
    moved = ", ".join(_line(row) for row in ablation.table("yardstick").itertuples())
    return CARD.format(
        name=told["model"],
        number=len(heads), heads=layers * per_layer, revision=told["revision"], removed=", ".join(heads),
        replaced_by=told["replaced_by"], bias=BIAS if told["replace"] == "mean" else "",
        yardstick=moved, over=over(told), corpus=told["corpus_sha256"][:12], effects="\n".join(rows),
        program_version=told["program_version"],
    )  # fmt: skip


def _line(row: Any) -> str:
    """A quantity and its effect with the interval, where it has one."""
    return f"{row.quantity}: {row.effect:.4f}" + (f" [{row.low:.4f}, {row.high:.4f}]" if row.low == row.low else "")
