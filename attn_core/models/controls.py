"""Controls: what a finding must beat before it says something.

* the *untrained copy* of a model has its configuration and its tokenizer, and weights drawn anew as its family draws
  them before training. What it shows too was not learned.
* the copy with *shuffled weights* has the model's weights, but the entries of each weight matrix of its layers in random order
  (see `shuffled_weights`): their scale, the embeddings and all biases and norms stay. An untrained copy attends almost evenly,
  so that much lies at chance in it by construction; this one does not. What it shows too takes trained scales, no structure.
* the *shuffled text* has the tokens of each window in random order. What it shows too is not language: places keep
  their sentences, tokens lose theirs.

All are seeded. A copy is a `ModelSpec` of its own and a shuffled text a layout, so that whatever reads, keeps, counts or
exports takes them as it takes any model and any layout.
"""

from dataclasses import replace
from typing import Literal

from attn_core.errors import InputError
from attn_core.models.files import COPIES, Copy, ModelSpec
from attn_core.texts.passages import Layout

Control = Literal[Copy, "shuffled_text"]
CONTROLS: dict[Control, str] = {  # and their names in words
    "untrained": COPIES["untrained"], "shuffled_weights": COPIES["shuffled_weights"], "shuffled_text": "shuffled text",
}  # fmt: skip
SEED = 0  # of a copy's weights, where none is given
SEEDS = 3  # of copies of a kind: fewer do not tell how far one differs from the next


def controlled(control: Control | None, spec: ModelSpec, layout: Layout) -> tuple[ModelSpec, Layout]:
    """Model and layout under a control. Raises InputError for a shuffled text with separated sentences."""
    if control is None:
        return spec, layout
    if control != "shuffled_text":
        return copy_of(spec, control), layout
    if layout == "separated":
        raise InputError("A shuffled text has no sentences to separate: choose the plain layout for it.")
    return spec, "shuffled"


def copy_of(spec: ModelSpec, kind: Copy = "untrained") -> ModelSpec:
    """A copy of a model."""
    return replace(spec, copy=(kind, SEED))


def control_of(spec: ModelSpec, layout: Layout) -> Control | None:
    """The control that model and layout stand for."""
    if spec.copy is not None:
        return spec.copy[0]
    return "shuffled_text" if layout == "shuffled" else None
