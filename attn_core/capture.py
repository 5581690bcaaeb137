"""One forward pass -> the output vectors of every head of every layer, and where each head attends.

Two routes, chosen when a model is loaded (see `models`):

* `INTERFACE`, an attention function registered with transformers. It computes the attention itself, so it sees
  queries, keys, values, mask and position bias of any family that goes through the interface.
* `capturing_hook` on the input of each output projection, for families with attention code of their own.

Both put what they see into the collection of the current `collecting()` block. That is a context variable, so two
threads that share a model never see each other's captures; outside a block a model behaves as ever.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from transformers import AttentionInterface
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import AttentionMaskInterface, sdpa_mask

from attn_core.blocks import matrices_at_once
from attn_core.errors import ModelError
from attn_core.passages import Passage

if TYPE_CHECKING:
    from attn_core.models import LoadedModel

INTERFACE = "attn_core"


@dataclass(frozen=True, eq=False)
class HeadOutputs:
    """What every head of a model makes of one passage of N tokens.

    z: (layer, head, token, d_head), the head outputs before the output projection.
    received: (layer, head, token), the attention weight that a token receives, mean over the N queries.
    attention: (layer, head, query, key), the attention maps, None unless asked for.
    """

    z: Tensor
    received: Tensor
    attention: Tensor | None


@dataclass
class Collection:
    """What a forward pass of a padded batch hands over, layer by layer.

    query_weights: (batch, token), 1 / (number of real tokens) for real tokens and 0 for padding.
    """

    query_weights: Tensor
    keep_maps: bool
    z: list[Tensor] = field(default_factory=list)
    received: list[Tensor] = field(default_factory=list)
    maps: list[Tensor] = field(default_factory=list)

    def add_weights(self, weights: Tensor) -> None:
        """Take the attention weights (batch, head, query, key) of the next layer."""
        self.received.append(_received(self.query_weights, weights))
        if self.keep_maps:
            self.maps.append(weights)


_collection: ContextVar[Collection | None] = ContextVar("collection", default=None)


@contextmanager
def collecting(collection: Collection) -> Iterator[Collection]:
    """Let the forward passes of this thread fill a collection."""
    token = _collection.set(collection)
    try:
        yield collection
    finally:
        _collection.reset(token)


def capture(model: "LoadedModel", passages: Sequence[Passage], keep_maps: bool = False) -> list[HeadOutputs]:
    """Run the model once over passages, padded to one length, and return the head outputs of each without padding.

    Raises ModelError where the tokens are not the model's, and where its numbers are not finite.
    """
    lengths = [len(passage) for passage in passages]
    ids = torch.full((len(passages), max(lengths)), model.pad_id, device=model.device)
    mask = torch.zeros_like(ids)
    for row, passage in enumerate(passages):
        ids[row, : lengths[row]] = torch.from_numpy(passage.token_ids)
        mask[row, : lengths[row]] = 1
    collection = Collection(mask / mask.sum(dim=1, keepdim=True), keep_maps)
    run(model, ids, mask if len(set(lengths)) > 1 else None, collection)

    z = torch.stack(collection.z).transpose(2, 3)
    received = torch.stack(collection.received)
    if not torch.isfinite(z.sum() + received.sum()):  # one number that is not finite makes the sum so
        raise ModelError("The model's outputs are not finite numbers (NaN): its weights may be damaged.")
    maps = torch.stack(collection.maps) if keep_maps else None
    return [
        HeadOutputs(z[:, row, :, :n], received[:, row, :, :n], None if maps is None else maps[:, row, :, :n, :n])
        for row, n in enumerate(lengths)
    ]


@torch.inference_mode()
def run(model: "LoadedModel", ids: Tensor, mask: Tensor | None, collection: Collection) -> Any:
    """One forward pass over token ids (batch, token); returns what the network returns."""
    network: Any = model.network
    if int(ids.max()) >= network.get_input_embeddings().num_embeddings:
        raise ModelError(
            f"The tokenizer of {model.spec.name} does not fit: this text has a token that the model does not know."
        )
    extra = {} if model.uses_interface else {"output_attentions": True}
    with collecting(collection):
        output = network(input_ids=ids, attention_mask=mask, **extra)
    if not model.uses_interface:
        collection.z[:] = [z.unflatten(-1, (model.heads, -1)) for z in collection.z]
        for weights in output.attentions:
            collection.add_weights(weights)
    return output


def capturing_hook(_module: nn.Module, inputs: tuple[Tensor, ...]) -> None:
    """Forward pre-hook for an output projection: its input is the heads' outputs side by side."""
    if (collection := _collection.get()) is not None:
        collection.z.append(inputs[0])


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
    collection = _collection.get()
    if collection is None and softcap is None:
        return sdpa_attention_forward(
            module, query, key, value, attention_mask,
            scaling=scaling, position_bias=position_bias, is_causal=is_causal, **kwargs,
        )  # fmt: skip
    if s_aux is not None:
        raise ModelError("This model cannot be served: attention sinks take a part of every head's attention.")
    if (groups := query.shape[1] // key.shape[1]) > 1:
        key, value = key.repeat_interleave(groups, dim=1), value.repeat_interleave(groups, dim=1)
    shape = (*query.shape[:3], key.shape[2])
    causal = getattr(module, "is_causal", False) if is_causal is None else is_causal
    if attention_mask is None and causal:
        attention_mask = torch.ones(shape[2:], dtype=torch.bool, device=query.device).tril()
    bias, mask = (None if given is None else given.expand(shape) for given in (position_bias, attention_mask))
    query = query * (query.shape[-1] ** -0.5 if scaling is None else scaling)

    z = value.new_empty(shape[0], shape[2], shape[1], value.shape[-1]).transpose(1, 2)
    received = value.new_empty(*shape[:2], shape[3])
    for part in _parts(shape, query.device, whole=collection is not None and collection.keep_maps):
        weights = _weights(
            query[part], key[part], None if bias is None else bias[part], None if mask is None else mask[part], softcap
        )
        z[part] = weights @ value[part]
        if collection is not None:
            received[part] = _received(collection.query_weights[part[0]], weights)
            if collection.keep_maps:
                collection.maps.append(weights)
    z = z.transpose(1, 2)
    if collection is not None:
        collection.z.append(z)
        collection.received.append(received)
    return z, None


def _parts(shape: Sequence[int], device: torch.device, whole: bool) -> Iterator[tuple[slice, slice]]:
    """Rows of the batch and heads whose weights (batch, head, query, key) fit in one block: they are read many times."""
    batch, heads = shape[:2]
    at_once = batch * heads if whole else matrices_at_once(shape[2] * shape[3], device)
    for row in range(0, batch, rows := max(1, at_once // heads)):
        for head in range(0, heads, at_once):
            yield slice(row, row + rows), slice(head, head + at_once)


def _weights(query: Tensor, key: Tensor, bias: Tensor | None, mask: Tensor | None, softcap: float | None) -> Tensor:
    """softmax(Q K^T + bias) under a mask, of queries that are scaled already."""
    scores = query @ key.transpose(-1, -2)
    if softcap is not None:
        scores = softcap * torch.tanh(scores / softcap)
    if bias is not None:
        scores += bias
    if mask is not None and mask.dtype == torch.bool:
        # Not -inf: padding may see no token at all in a sliding window, and its NaN would spread to the next layer.
        scores = scores.masked_fill_(~mask, torch.finfo(scores.dtype).min)
    elif mask is not None:
        scores += mask
    return scores.softmax(dim=-1)


def _received(query_weights: Tensor, weights: Tensor) -> Tensor:
    """The weight that each key receives, (batch, head, key), of weights (batch, head, query, key)."""
    return (query_weights[:, None, None, :] @ weights)[:, :, 0]


AttentionInterface.register(INTERFACE, _attention)
# Without a mask function of its own an implementation gets no padding mask at all, and nothing says so.
AttentionMaskInterface.register(INTERFACE, sdpa_mask)
