"""What heads put out in place of their own outputs, while a forward pass runs: the working part of an `Intervention`.

`capture` asks here, layer by layer, on both of its routes. A change holds for the forward passes of one `changing()` block
of one thread; other threads that run the same network never see it. The rows of a batch may differ in what is removed.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from attn_core.loaded_model import LoadedModel


@dataclass(frozen=True, eq=False)
class Change:
    """What is done to which heads, row by row of a batch.

    heads: (row, layer, head) bool, one row stands for all of a batch. values: (layer, head, token, d_head), what the heads
    put out; one token stands for all, and fewer tokens than a text has begin anew; None leaves outputs as they come.
    coldness: 1 / temperature of their attention, 0 spreads it evenly; None leaves attention as it is.
    """

    heads: Tensor
    values: Tensor | None = None
    coldness: float | None = None

    def in_rows(self, heads: Tensor) -> "Change":
        """The same change of other heads in each row: (row, layer, head) bool."""
        return replace(self, heads=heads.to(self.heads.device))

    def layer(self, number: int) -> "LayerChange":
        """What is changed in one layer, counted from 0."""
        values = None if self.values is None else self.values[number]
        return LayerChange(self.heads[:, number], values, self.coldness)


@dataclass(frozen=True, eq=False)
class LayerChange:
    """A change as one layer sees it; heads: (row, head) bool, at least one of them True."""

    heads: Tensor
    values: Tensor | None
    coldness: float | None

    def replaced(self, z: Tensor) -> Tensor:
        """Head outputs (row, token, head, d_head) with those of the changed heads replaced."""
        if self.values is None:
            return z
        values = self.values.transpose(0, 1)
        if 1 < len(values) != z.shape[1]:
            values = values[torch.arange(z.shape[1], device=values.device) % len(values)]
        return torch.where(self.heads[:, None, :, None], values[None].to(z.dtype), z)

    @property
    def factors(self) -> Tensor | None:
        """What attention scores are multiplied by, (row, head, 1, 1); None where they stay as they are."""
        if self.coldness is None:
            return None
        return torch.where(self.heads, self.coldness, 1.0)[:, :, None, None]


class _Running:
    """A change in a forward pass, which meets its layers in turn."""

    def __init__(self, change: Change) -> None:
        self._change, self._layer = change, 0
        self._touched = change.heads.any(dim=2).any(dim=0).tolist()

    def next_layer(self) -> LayerChange | None:
        change, layer = self._change, self._layer
        self._layer += 1
        if not self._touched[layer]:
            return None  # bit for bit as it is
        return LayerChange(
            change.heads[:, layer], None if change.values is None else change.values[layer], change.coldness
        )


_running: ContextVar[_Running | None] = ContextVar("running", default=None)


@contextmanager
def changing(change: Change | None) -> Iterator[None]:
    """Change heads in the one forward pass of this thread that runs in the block."""
    token = _running.set(None if change is None else _Running(change))
    try:
        yield
    finally:
        _running.reset(token)


def next_layer() -> LayerChange | None:
    """What is changed in the layer that attends now; to be asked once a layer. None where nothing is."""
    running = _running.get()
    return None if running is None else running.next_layer()


_active: ContextVar[tuple[LoadedModel, ...]] = ContextVar("active", default=())


@contextmanager
def in_place(*changed: LoadedModel) -> Iterator[None]:
    """Let models under a change stand for themselves without it, in this thread, in place of all that did before."""
    token = _active.set(changed)
    try:
        yield
    finally:
        _active.reset(token)


def as_it_is_now(model: LoadedModel) -> LoadedModel:
    """The model that stands for this one in this block; itself where none does, and where it carries a change already."""
    if model.change is not None:
        return model
    return next((one for one in _active.get() if one.network is model.network), model)
