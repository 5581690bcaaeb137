"""Controls: what a finding must beat before it says something.

* the *untrained twin* of a model has its configuration and its tokenizer, and weights drawn anew as its family draws
  them before training. What it shows too was not learned.
* the *permuted twin* has the model's weights, but the entries of each weight matrix of its layers in random order (see
  `permuted`): their scale, the embeddings and all biases and norms stay. An untrained twin attends almost evenly, so that
  much sits at chance in it by construction; a permuted one does not. What it shows too takes trained scales, no structure.
* the *shuffled text* has the tokens of each window in random order. What it shows too is not language: places keep
  their sentences, tokens lose theirs.

All are seeded. A twin is a `ModelSpec` of its own and a shuffled text a layout, so that whatever reads, keeps, counts or
exports takes them as it takes any model and any layout.
"""

from dataclasses import replace
from typing import Literal, get_args

from attn_core.errors import InputError
from attn_core.models.files import TWINS, ModelSpec, Twin
from attn_core.texts.passages import Layout

Control = Literal[Twin, "shuffled"]
CONTROLS: tuple[Control, ...] = get_args(Control)
# On screen and in tables.
NAMES: dict[str, str] = {"untrained": "untrained twin", "permuted": "permuted twin", "shuffled": "shuffled text"}
# The networks that never learned, as pages show them beside a text.
COPIES: dict[Twin, str] = {"untrained": "untrained copy", "permuted": "shuffled weights"}
SEED = 0  # of a twin's weights, where none is given
SEEDS = 3  # of twins of a kind: fewer do not tell how far one differs from the next


def controlled(control: Control | None, spec: ModelSpec, layout: Layout) -> tuple[ModelSpec, Layout]:
    """Model and layout under a control. Raises InputError for a shuffled text with separated sentences."""
    if control in TWINS:
        return twin_of(spec, control), layout
    if control == "shuffled":
        if layout == "separated":
            raise InputError("A shuffled text has no sentences to separate: choose the plain layout for it.")
        return spec, "shuffled"
    return spec, layout


def twin_of(spec: ModelSpec, kind: Twin = "untrained") -> ModelSpec:
    """A twin of a model."""
    return replace(spec, twin=(kind, SEED))


def control_of(spec: ModelSpec, layout: Layout) -> Control | None:
    """The control that model and layout stand for."""
    if spec.twin is not None:
        return spec.twin[0]
    return "shuffled" if layout == "shuffled" else None
