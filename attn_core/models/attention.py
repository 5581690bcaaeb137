"""The attention of every layer, as it lets heads be read: what they put out, and what weight each token receives.

Two routes, chosen when a model is loaded (see `loading`):

* `INTERFACE`, an attention function registered with transformers. It computes the attention itself, so it sees
  queries, keys, values, mask and position bias of any family that goes through the interface.
* `capturing_hook` on the input of each output projection, for families with attention code of their own.

Both put what they see into the collection of the current `collecting()` block. That is a context variable, so two
threads that share a model never see each other's captures; outside a block a model behaves as ever. Both let heads put
out something else where `running_change` says so, and hand over what was put out.
"""

import math
from collections.abc import Iterator, Sequence, Set
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from attn_core.errors import ModelError
from attn_core.head import Head
from attn_core.models.running_change import next_layer
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


class Collected(Exception):
    """Ends a forward pass of which no more is wanted."""


@dataclass
class Collection:
    """What a forward pass of a padded batch hands over, layer by layer.

    query_weights: (batch, token), 1 / (number of real tokens) for real tokens and 0 for padding, which comes last.
    heads: those of which the maps are kept where not all are, of a window that is read alone.
    attached: whether z shall stay a part of what gradients are taken of; then nothing else is collected.
    layers: how many are wanted, after which the pass ends (`Collected`); 0 where it is to be run to its end.
    """

    query_weights: Tensor
    keep_maps: bool
    attached: bool = False
    heads: Set[Head] = frozenset()
    layers: int = 0
    z: list[Tensor] = field(default_factory=list)
    received: list[Tensor] = field(default_factory=list)
    maps: list[Tensor] = field(default_factory=list)
    maps_of: dict[Head, Tensor] = field(default_factory=dict)

    @cached_property
    def lengths(self) -> list[int]:
        """Real tokens of each row."""
        return (self.query_weights > 0).sum(dim=1).tolist()

    def add_weights(self, weights: Tensor) -> None:
        """Take the attention weights (batch, head, query, key) of the next layer."""
        self.look_at(weights)
        self.received.append(_received(self.query_weights, weights))
        if self.keep_maps:
            self.maps.append(weights)

    def look_at(self, weights: Tensor, first: int = 0) -> None:
        """Keep the maps that are wanted among the weights of some heads of the next layer, from the `first` on."""
        for number in range(weights.shape[1]):
            if (head := Head(len(self.received), first + number)) in self.heads:
                self.maps_of[head] = weights[0, number].clone()


_collection: ContextVar[Collection | None] = ContextVar("collection", default=None)


@contextmanager
def collecting(collection: Collection) -> Iterator[Collection]:
    """Let the forward passes of this thread fill a collection."""
    token = _collection.set(collection)
    try:
        yield collection
    finally:
        _collection.reset(token)


def capturing_hook(_module: nn.Module, inputs: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """Forward pre-hook for an output projection: its input is the heads' outputs side by side."""
    z, change = inputs[0], next_layer()
    if change is not None:
        z = change.replaced(z.unflatten(-1, (change.heads.shape[-1], -1))).flatten(-2)
    if (collection := _collection.get()) is not None:
        collection.z.append(z)
    return z, *inputs[1:]


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
    """softmax(Q K^T * scaling + bias + mask) V, handing the result and the weights to the current collection."""
    collection, change = _collection.get(), next_layer()
    factors = change.factors if change else None
    if (collection is None or collection.attached) and softcap is None and factors is None:
        z, _ = sdpa_attention_forward(
            module, query, key, value, attention_mask,
            scaling=scaling, position_bias=position_bias, is_causal=is_causal, **kwargs,
        )  # fmt: skip
        z = change.replaced(z) if change else z
        if collection is not None:
            collection.z.append(z)
        return z, None
    if collection is not None and collection.attached:
        raise ModelError(
            "No gradients can be had of capped or changed attention: measure the importance of heads instead."
        )
    if s_aux is not None:
        raise ModelError("This model cannot be served: attention sinks take a part of every head's attention.")
    if (groups := query.shape[1] // key.shape[1]) > 1:
        key, value = key.repeat_interleave(groups, dim=1), value.repeat_interleave(groups, dim=1)
    causal = getattr(module, "is_causal", False) if is_causal is None else is_causal
    if attention_mask is None and causal:
        tokens = query.shape[2]
        attention_mask = torch.ones(1, 1, tokens, tokens, dtype=torch.bool, device=query.device).tril()
    query = query * (query.shape[-1] ** -0.5 if scaling is None else scaling)
    z, received = _attend(query, key, value, position_bias, attention_mask, softcap, factors, collection)
    z = change.replaced(z) if change else z
    if collection is not None:
        collection.z.append(z)
        collection.received.append(received)
        if len(collection.z) == collection.layers:
            raise Collected
    return z, None


def _attend(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    bias: Tensor | None,
    mask: Tensor | None,
    softcap: float | None,
    factors: Tensor | None,
    collection: Collection | None,
) -> tuple[Tensor, Tensor]:
    """Head outputs (batch, token, head, d_head) and the weight that each token receives (batch, head, token).

    query, key, value: (batch, head, token, d_head). factors: (batch or 1, head, 1, 1),
    of the scores. Works on a few heads at a time, in the same memory for all of them: a matrix of weights is read many times,
    and mapping new memory for each costs more than computing it.
    """
    batch, heads, tokens, _ = query.shape
    cells = tokens * key.shape[2]
    keep_maps = collection is not None and collection.keep_maps
    at_once = batch * heads if keep_maps else min(batch * heads, matrices_at_once(cells, query.device))
    rooms = query.new_empty(at_once * cells), query.new_empty(at_once * cells)
    z = value.new_zeros(batch, tokens, heads, value.shape[-1]).transpose(1, 2)
    received = value.new_zeros(batch, heads, tokens)
    for rows, real in _rows(query.shape, at_once, collection):
        row_bias, row_mask = (_cut(given, rows, real) for given in (bias, mask))
        row_factors = None if factors is None else factors[rows if len(factors) > 1 else slice(None)]
        for head in range(0, heads, at_once):
            some = slice(head, head + at_once)
            here = (rows, some, real)
            of_scores = _of(some, row_bias), softcap, _of(some, row_factors), _of(some, row_mask)
            weights = _weights(query[here], key[here], *of_scores, rooms)
            z[here] = weights @ value[here]
            if collection is not None:
                received[here] = _received(collection.query_weights[rows, real], weights)
                collection.look_at(weights, head)
                if keep_maps:
                    collection.maps.append(weights)
    return z.transpose(1, 2), received


def _rows(shape: Sequence[int], at_once: int, collection: Collection | None) -> Iterator[tuple[slice, slice]]:
    """Rows of the batch that are worked on together, and their tokens.

    On a processor most blocks are of one row, so that padding is cut off altogether.
    """
    batch, heads, tokens, _ = shape
    for row in range(0, batch, size := max(1, at_once // heads)):
        rows = slice(row, row + size)
        yield rows, slice(tokens if collection is None else max(collection.lengths[rows]))


def _cut(given: Tensor | None, rows: slice, real: slice) -> Tensor | None:
    """What a mask or a bias, maybe the same for all rows, says of some of them. None for a mask that hides nothing."""
    if given is None:
        return None
    given = given[rows if len(given) > 1 else slice(None), :, real, real]
    return None if given.dtype == torch.bool and bool(given.all()) else given


def _of(heads: slice, given: Tensor | None) -> Tensor | None:
    """The heads' share of a mask or bias that may be the same for all of them."""
    return given if given is None or given.shape[1] == 1 else given[:, heads]


def _weights(
    query: Tensor,
    key: Tensor,
    bias: Tensor | None,
    softcap: float | None,
    factors: Tensor | None,
    mask: Tensor | None,
    rooms: tuple[Tensor, Tensor],
) -> Tensor:
    """softmax((Q K^T + bias) * factors) under a mask, of queries that are scaled already; lies in the second of two rooms."""
    shape = (*query.shape[:3], key.shape[2])
    scores, weights = (room[: math.prod(shape)].view(shape) for room in rooms)
    torch.matmul(query, key.transpose(-1, -2), out=scores)
    if softcap is not None:
        scores.div_(softcap).tanh_().mul_(softcap)
    if bias is not None:
        scores += bias
    if factors is not None:
        scores *= factors
    if mask is not None and mask.dtype == torch.bool:
        # Not -inf: padding may see no token at all in a sliding window, and its NaN would spread to the next layer.
        scores.masked_fill_(~mask, torch.finfo(scores.dtype).min)
    elif mask is not None:
        scores += mask
    return torch.softmax(scores, dim=-1, out=weights)


def _received(query_weights: Tensor, weights: Tensor) -> Tensor:
    """The weight that each key receives, (batch, head, key), of weights (batch, head, query, key)."""
    return (query_weights[:, None, None, :] @ weights)[:, :, 0]


AttentionInterface.register(INTERFACE, _attention)
# Without a mask function of its own an implementation gets no padding mask at all, and nothing says so.
AttentionMaskInterface.register(INTERFACE, sdpa_mask)
