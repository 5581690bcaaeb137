"""Controls: copies of a model and shuffled text, whose numbers a finding must exceed.

* The *untrained copy* has the model's configuration and tokenizer, and weights drawn as its family draws them before
  training. What it shows was not learned.
* The copy with *shuffled weights* has the entries of each weight matrix of the model's layers in random order (see
  `shuffled_weights`). An untrained copy attends almost evenly, so much of it lies at chance by construction; this copy
  does not. What it shows needs the scales of trained weights, but no structure.
* The *shuffled text* has the tokens of each window in random order. What it shows is not language.

All are seeded. A copy is a `ModelSpec` and a shuffled text a layout, so they are read as any model and any layout.
"""

from dataclasses import replace
from typing import Literal

from attn_core.errors import InputError
from attn_core.models.files import COPIES, Copy, ModelSpec
from attn_core.texts.passages import Layout

Control = Literal[Copy, "shuffled_text"]
CONTROLS: dict[Control, str] = {
    "untrained": COPIES["untrained"], "shuffled_weights": COPIES["shuffled_weights"], "shuffled_text": "shuffled text",
}  # fmt: skip
SEED = 0  # of the copies of a single text
SEEDS = 3  # copies of a kind in a study: fewer do not show how much copies differ


def controlled(control: Control | None, spec: ModelSpec, layout: Layout) -> tuple[ModelSpec, Layout]:
    """Model and layout under a control. Raises InputError for a shuffled text with separated sentences."""
    if control is None:
        return spec, layout
    if control != "shuffled_text":
        return copy_of(spec, control), layout
    if layout == "separated":
        raise InputError("A shuffled text has no sentences to separate: choose the plain layout.")
    return spec, "shuffled"


def copy_of(spec: ModelSpec, kind: Copy) -> ModelSpec:
    """The copy of a model that is shown for a single text."""
    return replace(spec, copy=(kind, SEED))


def control_of(spec: ModelSpec, layout: Layout) -> Control | None:
    """The control of a model and a layout, None for a trained model on plain text."""
    if spec.copy is not None:
        return spec.copy[0]
    return "shuffled_text" if layout == "shuffled" else None
