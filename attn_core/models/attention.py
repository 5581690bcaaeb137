"""The attention of every layer: its head outputs and the weights that tokens receive are recorded, heads changed.

A family takes one of two routes (see `loading`):

* `INTERFACE`, an attention function registered with transformers. It computes the attention itself from queries, keys,
  values, mask and position bias, for every family that goes through the interface.
* `capturing_hook` on the input of each output projection, and `values_hook` on what makes the values, for families
  with attention code of their own (see `families`).

Both apply the changes and fill the collection of the current `forward` block, which is a context variable, so that
threads may share a network. Outside such a block the network behaves as usual.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from attn_core.errors import ModelError
from attn_core.head import Head
from attn_core.numerics.threads import matrices_at_once
from attn_core.tensors import (
    AttentionInterface,
    AttentionMaskInterface,
    Tensor,
    nn,
    sdpa_attention_forward,
    sdpa_mask,
    torch,
)

INTERFACE = "attn_core"


class StopForward(Exception):
    """Raised to end a forward pass after the heads of its last layer."""


@dataclass(frozen=True, eq=False)
class Change:
    """The replacement of the outputs of some heads of one layer.

    heads: (row, head) bool; a single row applies to the whole batch. values: (head, token, d_head), repeated for a text
    of more tokens; None: the heads attend evenly to all tokens that they may see.
    """

    heads: Tensor
    values: Tensor | None

    def replaced(self, z: Tensor) -> Tensor:
        """The head outputs z (row, token, head, d_head) after those of the changed heads were replaced."""
        if self.values is None:
            return z
        values = self.values.transpose(0, 1)
        if 1 < len(values) != z.shape[1]:
            values = values[torch.arange(z.shape[1], device=values.device) % len(values)]
        return torch.where(self.heads[:, None, :, None], values[None].to(z.dtype), z)


Changes = Sequence[Change | None]  # one per layer, or empty; None leaves a layer unchanged bit for bit
# What takes layer, heads and queries of a block, its weights (head, query, key) and values (head, key, d_head). The
# memory of the weights is used again for the next block.
Visit = Callable[[int, slice, slice, Tensor, Tensor], None]


@dataclass
class Recorder:
    """What is recorded of each layer of a pass, and what is wanted of it.

    Attributes
    ----------
    z, received, maps: (batch, token, head, d_head), (batch, head, token) and (batch, head, query, key) of each layer.
    even: (batch, token), what tokens would receive if every query attended evenly to all tokens that it may see.
    query_weights: (batch, token), 1 / (number of real tokens) for real tokens and 0 for padding, which comes last.
    heads: the heads whose attention maps are kept.
    attached: whether gradients can be taken with respect to z; then only z is recorded.
    layers: the number of layers after which the pass ends (`Collected`); 0 for the whole network.
    visit: called with every block of attention weights, of a pass of one row.
    values: what is visited of a family read by hooks, (batch, token, width) of each layer.
    """

    query_weights: Tensor
    heads: Set[Head] = frozenset()
    attached: bool = False
    layers: int = 0
    visit: Visit | None = None
    z: list[Tensor] = field(default_factory=list)
    values: list[Tensor] = field(default_factory=list)
    received: list[Tensor] = field(default_factory=list)
    maps: list[Tensor] = field(default_factory=list)
    even: list[Tensor] = field(default_factory=list)
    _masks: deque[tuple[Tensor | bool, Tensor]] = field(default_factory=lambda: deque(maxlen=2))

    @cached_property
    def lengths(self) -> list[int]:
        """The number of real tokens of each row."""
        return (self.query_weights > 0).sum(dim=1).tolist()

    def wanted(self, layer: int, heads: int) -> list[int]:
        """The heads of a layer whose maps are kept."""
        return [head for head in range(heads) if Head(layer, head) in self.heads]

    def record_even(self, mask: Tensor | bool) -> None:
        """Record even attention in the next layer. mask: its mask; without one, whether the layer is causal."""
        even = next((even for known, even in self._masks if known is mask), None)  # most layers share their mask
        if even is None:
            self._masks.append((mask, even := self._even(mask)))
        self.even.append(even)

    def _even(self, mask: Tensor | bool) -> Tensor:
        if mask is False:
            return self.query_weights
        if mask is True:
            sees = self.query_weights.new_ones(1, *self.query_weights.shape[1:] * 2, dtype=torch.bool).tril()
        else:
            sees = (mask if mask.dtype == torch.bool else mask > torch.finfo(mask.dtype).min / 2).any(dim=1)
        sees = sees & (self.query_weights > 0)[:, None]
        weights = self.query_weights / sees.sum(dim=-1).clamp_min(1)
        return (weights[:, None] @ sees.to(weights.dtype))[:, 0]


@dataclass
class _Forward:
    """The state of a forward pass. layer: the index of the next layer."""

    changes: Changes
    collection: Recorder | None
    layer: int = 0


_now: ContextVar[_Forward | None] = ContextVar("forward", default=None)


@contextmanager
def forward(changes: Changes, collection: Recorder | None = None) -> Iterator[None]:
    """Context manager in which this thread runs one forward pass that applies changes and fills a collection."""
    token = _now.set(_Forward(changes, collection))
    try:
        yield
    finally:
        _now.reset(token)


def _next_layer() -> tuple[Change | None, Recorder | None]:
    """The change of the current layer, and the collection. Moves to the next layer, so each layer calls it once."""
    now = _now.get()
    if now is None:
        return None, None
    layer, now.layer = now.layer, now.layer + 1
    return now.changes[layer] if now.changes else None, now.collection


def capturing_hook(_module: nn.Module, inputs: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """Forward pre-hook of an output projection, whose input is the concatenation of the head outputs."""
    z, (change, collection) = inputs[0], _next_layer()
    if change is not None:
        z = change.replaced(z.unflatten(-1, (change.heads.shape[-1], -1))).flatten(-2)
    if collection is not None:
        collection.z.append(z)
    return z, *inputs[1:]


def values_hook(read: Callable[[Any], Tensor]) -> Callable[..., None]:
    """Forward hook of a module that makes values; `read` takes them from its output."""

    def hook(_module: nn.Module, _inputs: tuple[Tensor, ...], output: Any) -> None:
        now = _now.get()
        if now is not None and now.collection is not None and now.collection.visit is not None:
            now.collection.values.append(read(output))

    return hook


def _attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    *,
    scaling: float | None = None,
    softcap: float | None = None,
    position_bias: Tensor | None = None,
    is_causal: bool | None = None,
    s_aux: Tensor | None = None,
    **kwargs: Any,
) -> tuple[Tensor, None]:
    """softmax(Q K^T * scaling + bias + mask) V; the current collection records the result and the weights."""
    change, collection = _next_layer()
    even = change.heads if change and change.values is None else None
    if (collection is None or collection.attached) and softcap is None and even is None:
        z, _ = sdpa_attention_forward(
            module, query, key, value, attention_mask,
            scaling=scaling, position_bias=position_bias, is_causal=is_causal, **kwargs,
        )  # fmt: skip
    elif collection is not None and collection.attached:
        raise ModelError("Capped or changed attention has no gradients: measure the importance of heads instead.")
    elif s_aux is not None:
        raise NotImplementedError("attention sinks take a part of every head's attention")
    else:
        batch, _, tokens, width = query.shape
        query = query * (width**-0.5 if scaling is None else scaling)
        causal = getattr(module, "is_causal", False) if is_causal is None else is_causal
        mask = causal if attention_mask is None else attention_mask
        recorder = collection or Recorder(query.new_full((batch, tokens), 1 / tokens))
        z = _attend(query, key, value, position_bias, mask, softcap, even, recorder)
    z = change.replaced(z) if change else z
    if collection is not None:
        collection.z.append(z if collection.visit is None else z.new_empty(0))  # then only layers are counted
        if len(collection.z) == collection.layers:
            raise StopForward
    return z, None


@torch.no_grad()
def _attend(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    bias: Tensor | None,
    mask: Tensor | bool,
    softcap: float | None,
    even: Tensor | None,
    recorder: Recorder,
) -> Tensor:
    """The head outputs (batch, token, head, d_head) of scaled queries; the recorder takes what is received, and maps.

    A few heads, and some queries of a long text, are computed at a time so that their weights fit the processor's
    cache.

    Parameters
    ----------
    query, key, value: (batch, head, token, d_head); several heads of queries may share one of keys and values.
    bias: added to the scores, (batch or 1, head or 1, query, key).
    mask: of the same shape, see `_hide`; without one, whether the layer is causal.
    softcap: the limit of scores.
    even: (batch or 1, head) bool, heads that attend evenly.
    """
    recorder.record_even(mask)
    batch, heads, tokens, _ = query.shape
    if (groups := heads // key.shape[1]) > 1:
        key, value = key.repeat_interleave(groups, dim=1), value.repeat_interleave(groups, dim=1)
    if mask is True:
        mask = torch.ones(1, 1, tokens, tokens, dtype=torch.bool, device=query.device).tril()
    hiding = mask if isinstance(mask, Tensor) else None
    z, received = value.new_zeros(batch, tokens, heads, value.shape[-1]), value.new_zeros(batch, heads, tokens)
    wanted = recorder.wanted(len(recorder.z), heads)
    maps = query.new_zeros(batch, len(wanted), tokens, tokens)
    buffer = query.new_empty(0)  # the memory of all blocks, since clearing new memory takes a third of the time
    for row in range(batch):
        real = recorder.lengths[row]  # the rest is padding
        hides = hiding is not None and _hides(_of(hiding, row, slice(None), slice(real), real))
        for some, part in _blocks(heads, real, query.device):
            weights = torch.bmm(query[row, some, part], key[row, some, :real].mT, out=buffer.resize_(0))
            if softcap is not None:
                weights.div_(softcap).tanh_().mul_(softcap)
            if bias is not None:
                weights += _of(bias, row, some, part, real)
            if even is not None:
                weights.masked_fill_(even[row % len(even), some, None, None], 0)
            if hiding is not None and hides:
                _hide(weights, _of(hiding, row, some, part, real))
            torch.softmax(weights, dim=-1, out=weights)
            z[row, part, some] = (weights @ value[row, some, :real]).transpose(0, 1)
            received[row, some, :real] += recorder.query_weights[row, part] @ weights
            if recorder.visit is not None:
                recorder.visit(len(recorder.z), some, part, weights, value[row, some, :real])
            for place, head in enumerate(wanted):
                if some.start <= head < some.stop:
                    maps[row, place, part, :real] = weights[head - some.start]
    recorder.maps.append(maps)
    recorder.received.append(received)
    return z


def _blocks(heads: int, tokens: int, device: torch.device) -> Iterator[tuple[slice, slice]]:
    """Slices of heads and queries that are computed together."""
    for head in range(0, heads, some := matrices_at_once(tokens**2, device)):
        for query in range(0, tokens, part := matrices_at_once(tokens, device)):
            yield slice(head, head + some), slice(query, min(query + part, tokens))


def _of(given: Tensor, row: int, heads: slice, queries: slice, tokens: int) -> Tensor:
    """The part of a mask or a bias that applies to a block; one entry may serve all rows or all heads."""
    return given[row % len(given), heads if given.shape[1] > 1 else slice(None), queries, :tokens]


def _hides(mask: Tensor) -> bool:
    """Whether a mask changes any score; a mask without any False, as for a text without padding, does not."""
    return mask.dtype != torch.bool or not bool(mask.all())


def _hide(scores: Tensor, mask: Tensor) -> None:
    """Apply a mask to scores in place. mask: bool, True where a query may attend, or numbers to add to the scores."""
    if mask.dtype != torch.bool:
        scores += mask
    else:
        # Not -inf: padding may see no token in a sliding window, and its NaN would spread to the next layer.
        scores.masked_fill_(~mask, torch.finfo(scores.dtype).min)


AttentionInterface.register(INTERFACE, _attention)
# Without this line, transformers would pass no padding mask, and would not warn.
AttentionMaskInterface.register(INTERFACE, sdpa_mask)
