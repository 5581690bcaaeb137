"""Which change of heads holds for the forward pass that runs now, and which model stands for another in this block.

`capture` asks here, layer by layer, on both of its routes. A change holds for the forward passes of one `changing()` block
of one thread; other threads that run the same network never see it. The rows of a batch may differ in what is removed.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace

from attn_core.models.changes import Change, LayerChange
from attn_core.models.files import ModelSpec
from attn_core.models.records import LoadedModel
from attn_core.models.windows import in_windows_of


class _Running:
    """A change in a forward pass, which meets its layers in turn."""

    def __init__(self, change: Change) -> None:
        self._change, self._layer = change, 0
        self._touched = change.heads.any(dim=2).any(dim=0).tolist()

    def next_layer(self) -> LayerChange | None:
        number, self._layer = self._layer, self._layer + 1
        return self._change.layer(number) if self._touched[number] else None  # None: bit for bit as it is


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
    standing = next((one for one in _active.get() if one.network is model.network), model)
    return in_windows_of(standing, model.spec.window_tokens)


def standing_for(spec: ModelSpec) -> LoadedModel | None:
    """The model that stands in this block for the one of a spec, if any does, in the spec's windows."""
    for one in _active.get():
        if replace(one.spec, intervention=None, window_tokens=spec.window_tokens) == spec:
            return in_windows_of(one, spec.window_tokens)
    return None
