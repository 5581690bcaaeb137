"""Baselines: copies of a model and shuffled text, whose numbers a finding must exceed.

* The *untrained copy* has the model's configuration and tokenizer, and random weights, drawn as its family draws them
  before training. An effect in it was not learned.
* The copy with *shuffled weights* has the entries of each weight matrix of the model's layers in random order (see
  `pretrained.shuffle_weights`). An effect in it needs only the scales of trained weights. An untrained copy attends
  almost evenly, so that many of its statistics are at chance by construction; those of this copy are not.
* The *shuffled text* has the tokens of each window in random order. An effect in it does not come from language.

All are seeded. A copy is a `ModelSpec`, and shuffled text is a layout: they are read like any model and any layout.
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
SEED = 0  # of the copies that are shown for a single text
SEEDS = 3  # copies of each kind in a study; fewer do not show how much copies differ


def apply_control(control: Control | None, spec: ModelSpec, layout: Layout) -> tuple[ModelSpec, Layout]:
    """The model and the layout under a control. Raises InputError for shuffled text with separated sentences."""
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
    """The control of a model and a layout; None for a trained model on text in its own order."""
    if spec.copy is not None:
        return spec.copy[0]
    return "shuffled_text" if layout == "shuffled" else None
