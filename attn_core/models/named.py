"""A model by whatever names it, whole or without some of its heads."""

from dataclasses import replace as with_fields
from pathlib import Path

from attn_core.errors import InputError
from attn_core.models.ablation import ablated
from attn_core.models.files import ModelSpec, default_spec
from attn_core.models.loading import load
from attn_core.models.records import LoadedModel
from attn_core.models.removal import Names, Removal, Replace, named_heads
from attn_core.models.windows import in_windows_of

Named = str | Path | ModelSpec | LoadedModel | None


def loaded_model(model: Named, window_tokens: int | None = None) -> LoadedModel:
    """A model by its hub id or folder, by its spec, already loaded, or the default one (None).

    window_tokens: at most how many tokens it reads at once, where that is not what the model or its spec says. Raises
    ModelError as `load`, and InputError for what names no model and what is no number of tokens.
    """
    if isinstance(model, LoadedModel):
        return model if window_tokens is None else in_windows_of(model, window_tokens)
    spec = _spec(model)
    return load(spec if window_tokens is None else with_fields(spec, window_tokens=window_tokens))


def _spec(model: str | Path | ModelSpec | None) -> ModelSpec:
    if model is None:
        return default_spec()
    if isinstance(model, str | Path):
        return ModelSpec(str(model))
    if isinstance(model, ModelSpec):
        return model
    raise InputError(
        f"A model is its hub id, its folder, a ModelSpec or what load() returned, not a value of type {type(model).__name__}."
    )


def ablate(model: Named, heads: Names, replace: Replace = "mean") -> LoadedModel:
    """The model without some of its heads, to be read like any other; both share one network.

    model: as `analyze` takes it. heads: names such as L3H10 or L5, a whole layer. replace: what is put in place of their
    outputs: "mean", "zero", "resample" or "even", see `Removal`. Every table that is made with it says so in its provenance.

    Raises InputError for heads that the model has not, and for a model that lacks heads already.

    >>> without = attn_core.ablate(model, ["L3H10", "L5"], replace="zero")
    >>> changed = attn_core.analyze(text, without)
    >>> bool((changed.heads["mean_distance"] == analysis.heads["mean_distance"])[:24].all())  # the layers before
    True
    """
    whole = loaded_model(model)
    return ablated(whole, Removal(named_heads(heads, whole.layers, whole.heads), replace))
