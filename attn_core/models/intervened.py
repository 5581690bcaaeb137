"""A loaded model under an intervention: what its heads put out instead is found here, once, from the texts it is taken of.

`without` puts one in place for a block.

The network is the model's own, so that a model and any number of interventions on it share their weights.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace as with_fields
from threading import Lock
from weakref import WeakKeyDictionary

from attn_core.errors import ModelError, TextError
from attn_core.models.capture import capture
from attn_core.models.changes import Change
from attn_core.models.files import WINDOW
from attn_core.models.intervention import CHANGES_OF_ATTENTION, Intervention, named_heads
from attn_core.models.records import LoadedModel
from attn_core.models.running_change import in_place
from attn_core.models.windows import in_windows_of
from attn_core.tensors import Tensor, torch
from attn_core.texts.documents import read_document, samples
from attn_core.texts.passages import Passage, read_passages

RESAMPLED = "long_story.txt"  # the sample text that z is taken of where no other text is named

_values: "WeakKeyDictionary[torch.nn.Module, dict[tuple[str, tuple[str, ...]], Tensor]]" = WeakKeyDictionary()
_one_at_a_time = Lock()  # who asks for what is being found waits for it, and does not find it twice


def intervened(model: LoadedModel, intervention: Intervention) -> LoadedModel:
    """The model as it is under an intervention, with the intervention in its spec.

    Raises InputError for heads that the model has not, and ModelError where the model hands over head outputs alone and the
    intervention is on its attention.
    """
    heads = named_heads(intervention.heads, model.layers, model.heads) if intervention.heads else ()
    if intervention.replace in CHANGES_OF_ATTENTION and not model.uses_interface:
        raise ModelError(
            f"The attention of {model.spec.name} cannot be changed, since it keeps it to itself: replace its heads by mean, "
            "zero or resample."
        )
    removed = torch.zeros(1, model.layers, model.heads, dtype=torch.bool, device=model.device)
    for head in heads:
        removed[0, head.layer, head.head] = True
    whole = with_fields(model, change=None, spec=with_fields(model.spec, intervention=None))
    change = Change(removed, _values_of(whole, intervention), even=intervention.replace in CHANGES_OF_ATTENTION)
    return with_fields(whole, change=change, spec=with_fields(model.spec, intervention=intervention))


def mean_outputs(model: LoadedModel, texts: Sequence[str]) -> Tensor:
    """Mean head output (layer, head, d_head) over all tokens of all windows of some texts, those left out that cannot be read.

    Raises ModelError where none can.
    """
    total, tokens = torch.zeros((), dtype=torch.float64), 0
    for text in texts:
        with suppress(TextError):
            for passage in _windows(model, text):
                (output,) = capture(model, [passage])
                total = total + output.z.sum(dim=2, dtype=torch.float64).cpu()
                tokens += len(passage)
    if not tokens:
        raise ModelError(
            f"{model.spec.name} can read none of the texts that a head's mean is taken of: give texts that it reads, or replace "
            "heads by zero."
        )
    return (total / tokens).float().to(model.device)


def _values_of(model: LoadedModel, intervention: Intervention) -> Tensor | None:
    """(layer, head, token, d_head), in place of the heads' outputs; found once for a model and its texts."""
    if intervention.replace in CHANGES_OF_ATTENTION:
        return None
    key = intervention.replace, intervention.texts
    with _one_at_a_time:
        known = _values.setdefault(model.network, {})
        if key not in known:
            with in_place():  # a block around this one does not reach in here
                known[key] = _found_values(model, *key)
        return known[key]


def _found_values(model: LoadedModel, replace: str, texts: tuple[str, ...]) -> Tensor:
    if replace == "mean":
        return mean_outputs(model, texts or english_samples())[:, :, None]
    if replace == "resample":
        text = texts[0] if texts else next(sample.text for sample in samples() if sample.file == RESAMPLED)
        return capture(model, [_windows(model, text)[0]])[0].z.clone()
    return torch.zeros(model.layers, model.heads, 1, _width(model), device=model.device)


def english_samples() -> tuple[str, ...]:
    """The texts that a head's mean output is taken of where no others are named."""
    return tuple(sample.text for sample in samples() if sample.language == "en")


def _width(model: LoadedModel) -> int:
    """d_head, as it was seen when the model was checked."""
    assert model.check is not None, "a model that was loaded was checked"
    return model.check.captures[2]


def _windows(model: LoadedModel, text: str) -> Sequence[Passage]:
    """The usual windows, however long those are that the model reads: one intervention is the same in all of them."""
    return read_passages(read_document(text), model.tokenizer, in_windows_of(model, WINDOW).max_tokens)
