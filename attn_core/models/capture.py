"""Forward passes that return head outputs, attention maps and hidden states (see `attention`)."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import get_ident
from typing import Any

import numpy as np

from attn_core.errors import InputError, ModelError
from attn_core.head import Head, every_head
from attn_core.models.attention import Recorder, StopForward, Visit, forward
from attn_core.models.files import not_finite, unreadable
from attn_core.models.head_outputs import HeadOutputs, as_array
from attn_core.models.records import LoadedModel
from attn_core.models.stacks import layers_of
from attn_core.tensors import Tensor, nn, torch
from attn_core.texts.passages import Passage


def capture(model: LoadedModel, passages: Sequence[Passage], keep_maps: bool = False) -> list[HeadOutputs]:
    """The head outputs of each passage.

    >>> (output,) = attn_core.capture(model, [passage])
    >>> tuple(output.z.shape)  # layer, head, token, d_head
    (6, 12, 18, 32)

    passages: from `read_passages`, at least one; they are padded to one length unless the model has `no_padding`.
    keep_maps: whether to keep attention maps, N x N numbers per head.

    Raises InputError for anything but passages, and ModelError for tokens unknown to the model and for head outputs
    that are not finite.
    """
    if not isinstance(passages, Sequence) or not passages or not all(isinstance(one, Passage) for one in passages):
        raise InputError("The passages to read are a list of at least one, as read_passages makes them.")
    return [output for output, _ in _captured(model, passages, keep_maps, to_the_end=False)]


def capture_with_states(model: LoadedModel, passages: Sequence[Passage]) -> list[tuple[HeadOutputs, Tensor]]:
    """The head outputs and last hidden states (token, hidden) of each passage, from one pass. Raises like `capture`."""
    return _captured(model, passages, keep_maps=False, to_the_end=True)


def _captured(model: LoadedModel, passages: Sequence[Passage], keep_maps: bool, to_the_end: bool) -> list[Any]:
    """(head outputs, last hidden states) of each passage; states are None unless the pass runs `to_the_end`."""
    lengths = [len(passage) for passage in passages]
    if model.no_padding and len(set(lengths)) > 1:
        return [read for passage in passages for read in _captured(model, [passage], keep_maps, to_the_end)]
    ids, mask, collection = batch_of(model, [passage.token_ids for passage in passages])
    collection.heads = frozenset(every_head(model.layers, model.heads) if keep_maps else ())
    collection.layers = 0 if to_the_end else model.layers
    output = run(model, ids, mask, collection)
    z = torch.stack(collection.z).transpose(2, 3)
    received = torch.stack(collection.received)
    if not torch.isfinite(z.sum() + received.sum()):  # one such number is enough
        raise not_finite(model.spec, "head outputs")
    maps = torch.stack(collection.maps) if keep_maps else None
    even = as_array(torch.stack(collection.even)).astype(np.float64)
    read = []
    for row, n in enumerate(lengths):
        of_row = None if maps is None else maps[:, row, :, :n, :n]
        outputs = HeadOutputs(z[:, row, :, :n], received[:, row, :, :n], of_row, even[:, row, :n])
        read.append((outputs, output.last_hidden_state[row, :n] if to_the_end else None))
    return read


def batch_of(model: LoadedModel, rows: Sequence[Sequence[int] | np.ndarray]) -> tuple[Tensor, Tensor | None, Recorder]:
    """The token ids (row, token) of windows, their mask, and an empty recorder.

    Rows are padded at the end. The mask is None if none is, so that the fast attention of transformers is used.
    """
    ids = nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], True, model.pad_id).to(model.device)
    lengths = torch.tensor([[len(row)] for row in rows], device=model.device)
    real = torch.arange(ids.shape[1], device=model.device) < lengths
    return ids, None if len({*map(len, rows)}) == 1 else real.long(), Recorder(real / lengths)


def batches(lengths: Sequence[int], batch_tokens: int) -> Iterator[list[int]]:
    """Indices of windows of similar length, longest first; a batch has at most `batch_tokens` tokens with padding."""
    order = sorted(range(len(lengths)), key=lambda index: -lengths[index])
    while order:
        size = max(1, batch_tokens // lengths[order[0]])
        yield order[:size]
        order = order[size:]


def attention_maps(model: LoadedModel, passage: Passage, heads: Sequence[Head]) -> list[Tensor]:
    """The attention maps (query, key) of some heads; the maps of other heads are not kept in memory."""
    ids, _, collection = batch_of(model, [passage.token_ids])
    collection.heads, collection.layers = frozenset(heads), model.layers
    run(model, ids, None, collection)
    wanted = [collection.wanted(layer, model.heads) for layer in range(model.layers)]
    return [collection.maps[layer][0, wanted[layer].index(head)] for layer, head in heads]


def visit_attention(model: LoadedModel, passage: Passage, visit: Visit, layers: int) -> None:
    """Call `visit` with the attention weights and values of the first layers, block by block; none are kept."""
    ids, _, collection = batch_of(model, [passage.token_ids])
    collection.visit, collection.layers = visit, layers
    run(model, ids, None, collection)


@torch.inference_mode()
def run(model: LoadedModel, ids: Tensor, mask: Tensor | None, collection: Recorder) -> Any:
    """The output of the network for token ids (row, token); None if the pass ends after the layers of the recorder."""
    with suppress(StopForward):
        output = _pass(model, ids, mask, collection)
        if not model.uses_interface:
            collection.z[:] = [z.unflatten(-1, (model.heads, -1)) for z in collection.z]
            _read_maps(model, output.attentions, collection)
        return output
    return None


def _read_maps(model: LoadedModel, given: Sequence[Tensor] | None, collection: Recorder) -> None:
    """Record the attention maps that a network returns. Raises ModelError unless they are square, one for each head."""
    rows, tokens = collection.query_weights.shape
    if given is None or any(weights.shape != (rows, model.heads, tokens, tokens) for weights in given):
        raise unreadable(model.spec, "its family gives no attention maps of each token to every token")
    for layer, weights in enumerate(given):
        collection.maps.append(weights[:, collection.wanted(layer, model.heads)])
        collection.record_even(weights > 0)
        collection.received.append((collection.query_weights[:, None, None] @ weights)[:, :, 0])
    if collection.visit is not None:
        for layer, (weights, z, made) in enumerate(zip(given, collection.z, collection.values, strict=False)):
            values = made[0].unflatten(-1, (-1, z.shape[-1])).transpose(0, 1)
            values = values.repeat_interleave(model.heads // len(values), dim=0)  # heads of a group share them
            collection.visit(layer, slice(0, model.heads), slice(0, tokens), weights[0], values)


@torch.inference_mode()
def last_states(model: LoadedModel, passages: Sequence[Passage]) -> Tensor:
    """The last hidden states (passage, token, hidden) of passages of one length."""
    ids, _, _ = batch_of(model, [passage.token_ids for passage in passages])
    return _pass(model, ids, None).last_hidden_state


@torch.inference_mode()
def layer_states(model: LoadedModel, token_ids: Sequence[int] | np.ndarray) -> list[Tensor]:
    """The states (..., token, hidden) of a window before the first layer and after each layer, before a final norm.

    Raises ModelError for a family whose layers are no modules that take and return states.
    """
    ids, _, _ = batch_of(model, [token_ids])
    with layer_calls(layers_of(model.network, model.check.projections)) as calls:
        _pass(model, ids, None)
    if len(calls) != model.layers:
        raise ModelError(
            f"{model.spec.name} has no states between its layers: take a model of another family for them."
        )
    return [calls[0][1], *(output if isinstance(output, Tensor) else output[0] for _, _, output in calls)]


@contextmanager
def layer_calls(layers: Sequence[nn.Module]) -> Iterator[list[tuple[nn.Module, Any, Any]]]:
    """Context manager with a list that collects the calls of layers in this thread: layer, states given, and output."""
    calls, here = list[tuple[nn.Module, Any, Any]](), get_ident()

    def note(layer: nn.Module, given: tuple[Any, ...], named: dict[str, Any], output: Any) -> None:
        if get_ident() == here:  # threads share a network
            calls.append((layer, given[0] if given else named.get("hidden_states"), output))

    handles = [layer.register_forward_hook(note, with_kwargs=True) for layer in layers]
    try:
        yield calls
    finally:
        for handle in handles:
            handle.remove()


def capture_with_gradients(model: LoadedModel, passage: Passage) -> tuple[Tensor, list[Tensor]]:
    """The last hidden states (token, hidden) of a passage, and z of each layer, for gradients with respect to z.

    z: (1, token, head, d_head), or (1, token, hidden) for families read by a hook. Raises ModelError for capped
    attention scores (Gemma 2) and for changed attention, which are computed without gradients.
    """
    ids, _, collection = batch_of(model, [passage.token_ids])
    collection.attached = True
    with torch.enable_grad():
        states = _pass(model, ids, None, collection).last_hidden_state[0]
    return states, collection.z


def _pass(model: LoadedModel, ids: Tensor, mask: Tensor | None, collection: Recorder | None = None) -> Any:
    if int(ids.max()) >= model.vocabulary:
        raise ModelError(f"This text has a token that {model.spec.name} does not know: give it its own tokenizer.")
    if any(module.training for module in model.network.modules()):
        raise ModelError(f"{model.spec.name} is in training mode, where dropout is random: call its network's eval().")
    extra: dict[str, Any] = {} if model.uses_interface else {"output_attentions": True}
    with forward(model.changes, collection):
        return model.network(**inputs_of(model, ids, mask), **extra)


def inputs_of(model: LoadedModel, ids: Tensor, mask: Tensor | None = None) -> dict[str, Any]:
    """The inputs of a network for token ids and a mask (batch, token), with the tokenizer's token types."""
    inputs = {"input_ids": ids, "attention_mask": mask}
    if model.token_types is None:
        return inputs
    before, of_text, after = model.token_types
    types = torch.full_like(ids, of_text)
    types[:, : len(before)] = torch.tensor(before)
    ends = [ids.shape[1]] * len(ids) if mask is None else mask.sum(dim=1).tolist()
    for row, end in enumerate(ends):
        types[row, end - len(after) : end] = torch.tensor(after)
    return inputs | {"token_type_ids": types}
