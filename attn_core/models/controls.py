"""Controls: what a finding must beat before it says something.

* the *untrained twin* of a model has its configuration and its tokenizer, and weights drawn anew as its family draws
  them before training. What it shows too was not learned.
* the *shuffled text* has the tokens of each window in random order. What it shows too is not language: places keep
  their sentences, tokens lose theirs.

Both are seeded. A twin is a `ModelSpec` of its own and a shuffled text a layout, so that whatever reads, keeps, counts or
exports takes them as it takes any model and any layout.
"""

from dataclasses import replace
from typing import Literal, get_args

from attn_core.errors import InputError
from attn_core.models.files import ModelSpec
from attn_core.texts.passages import Layout

Control = Literal["untrained", "shuffled"]
CONTROLS: tuple[Control, ...] = get_args(Control)
SEED = 0  # of the twin's weights


def controlled(control: Control | None, spec: ModelSpec, layout: Layout) -> tuple[ModelSpec, Layout]:
    """Model and layout under a control. Raises InputError for a shuffled text with separated sentences."""
    if control == "untrained":
        return twin_of(spec), layout
    if control == "shuffled":
        if layout == "separated":
            raise InputError("A shuffled text has no sentences to separate: choose the plain layout for it.")
        return spec, "shuffled"
    return spec, layout


def twin_of(spec: ModelSpec) -> ModelSpec:
    """The untrained twin of a model."""
    return replace(spec, untrained=SEED)


def control_of(spec: ModelSpec, layout: Layout) -> Control | None:
    """The control that model and layout stand for."""
    if spec.untrained is not None:
        return "untrained"
    return "shuffled" if layout == "shuffled" else None
