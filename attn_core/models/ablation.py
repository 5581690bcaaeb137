"""A loaded model without some of its heads; it shares the network of the whole model.

The values that replace head outputs are computed once per network and kind of replacement.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace as with_fields
from threading import Lock
from weakref import WeakKeyDictionary

from attn_core.errors import InputError, ModelError, TextError
from attn_core.head import Head
from attn_core.models.attention import Change, Changes
from attn_core.models.capture import capture
from attn_core.models.files import WINDOW
from attn_core.models.records import LoadedModel
from attn_core.models.removal import Removal, Replace, named_heads
from attn_core.models.windows import with_window_tokens
from attn_core.tensors import Tensor, torch
from attn_core.texts.documents import Document
from attn_core.texts.passages import Passage, read_passages
from attn_core.texts.reference_texts import joined_references, reference_texts

_values: "WeakKeyDictionary[torch.nn.Module, dict[Replace, Tensor]]" = WeakKeyDictionary()
_one_at_a_time = Lock()  # two threads do not compute the same values


def ablated(model: LoadedModel, removal: Removal) -> LoadedModel:
    """The loaded model without some of its heads.

    Raises InputError for unknown heads and for a model that lacks heads already, and ModelError for "even" in a family
    that does not compute its attention through the interface of transformers.
    """
    heads = named_heads(removal.heads, model.layers, model.heads) if removal.heads else ()
    changes = changes_of(model, removal.replace, [heads])
    spec, gone = with_fields(model.spec, ablation=removal), tuple(sorted({*model.removed, *heads}))
    return with_fields(model, spec=spec, changes=changes, removed=gone)


def changes_of(model: LoadedModel, replace: Replace, removals: Sequence[Sequence[Head]]) -> Changes:
    """The change of each layer of a whole model. removals: the heads to remove in each row. Raises like `ablated`."""
    check_whole(model)
    heads = torch.zeros(len(removals), model.layers, model.heads, dtype=torch.bool)
    for row, removed in enumerate(removals):
        for head in removed:
            heads[row, head.layer, head.head] = True
    if replace == "even" and not model.uses_interface:
        raise ModelError(f"Heads of {model.spec.name} cannot attend evenly: replace them by mean, zero or resample.")
    values = None if replace == "even" else replacements(model, replace)
    return [
        Change(some.to(model.device), None if values is None else values[layer]) if some.any() else None
        for layer, some in enumerate(heads.unbind(dim=1))
    ]


def check_whole(model: LoadedModel) -> None:
    """Raise InputError for a model that lacks heads."""
    if model.spec.ablation is not None:
        raise InputError("This model lacks heads already: remove all of them at once from the whole model.")


def replacements(model: LoadedModel, replace: Replace) -> Tensor:
    """The values that replace head outputs, (layer, head, token, d_head)."""
    with _one_at_a_time:
        known = _values.setdefault(model.network, {})
        if replace not in known:
            known[replace] = _computed(with_fields(model, changes=()), replace)  # its copies may lack heads
        return known[replace]


def _computed(model: LoadedModel, replace: Replace) -> Tensor:
    if replace == "mean":
        return mean_outputs(model)[:, :, None]
    if replace == "resample":
        return capture(model, [_first_window(model, joined_references())])[0].z.clone()
    return torch.zeros(model.layers, model.heads, 1, model.check.captures[2], device=model.device)


def mean_outputs(model: LoadedModel) -> Tensor:
    """The mean head outputs (layer, head, d_head) over the first window of each reference text the model can read.

    Raises ModelError if it can read none of them.
    """
    total, tokens = torch.zeros((), dtype=torch.float64), 0
    for text in reference_texts().values():
        with suppress(TextError):
            passage = _first_window(model, text)
            (output,) = capture(model, [passage])
            total = total + output.z.cpu().sum(dim=2, dtype=torch.float64)  # MPS has no float64
            tokens += len(passage)
    if not tokens:
        raise ModelError(f"{model.spec.name} can read none of the texts for the mean of a head: replace heads by zero.")
    return (total / tokens).float().to(model.device)


def _first_window(model: LoadedModel, text: Document) -> Passage:
    """The first window of a text at the default length, so that an ablation does not depend on `window_tokens`."""
    return read_passages(text, model.tokenizer, with_window_tokens(model, WINDOW).max_tokens)[0]
