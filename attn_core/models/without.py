"""A model by whatever names it, and a model without some of its heads for the length of a block."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace as with_fields
from pathlib import Path

from attn_core.errors import InputError
from attn_core.models.files import ModelSpec, default_spec
from attn_core.models.intervened import intervened
from attn_core.models.intervention import Intervention, Names, Replace, named_heads, reference_texts
from attn_core.models.loading import load
from attn_core.models.records import LoadedModel
from attn_core.models.running_change import in_place, standing_for
from attn_core.models.windows import in_windows_of

Named = str | Path | ModelSpec | LoadedModel | None


def loaded_model(model: Named, window_tokens: int | None = None) -> LoadedModel:
    """A model by its hub id or folder, by its spec, already loaded, or the default one (None).

    window_tokens: at most how many tokens it reads at once, where that is not what the model or its spec says. In a block of
    `without`, the model that it put in place is that of its name, too. Raises ModelError as `load`, and InputError for what
    names no model and what is no number of tokens.
    """
    if isinstance(model, LoadedModel):
        return model if window_tokens is None else in_windows_of(model, window_tokens)
    spec = _spec(model)
    if window_tokens is not None:
        spec = with_fields(spec, window_tokens=window_tokens)
    return standing_for(spec) or load(spec)


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


@contextmanager
def without(
    model: Named, heads: Names, replace: Replace = "mean", *, texts: Sequence[str] = ()
) -> Iterator[LoadedModel]:
    """Within the block, whatever reads with this model in this thread reads without some of its heads.

    model: as `analyze` takes it. heads: names such as L3H10 or L5, a whole layer. replace: what stands in place of their
    outputs: "mean", "zero", "resample" or "even", see `Intervention`, as of which texts are.

    Yields the model under the intervention, for use beyond the block. Every table made in it says so in its provenance.
    Blocks do not add up: the innermost holds alone. Raises InputError for heads that the model has not, and ModelError where
    the model hands over head outputs alone and the intervention is on its attention.

    >>> with attn_core.without(model, ["L3H10", "L5"], replace="zero"):
    ...     changed = attn_core.analyze(text, model)
    >>> (changed.heads["mean_distance"] == analysis.heads["mean_distance"])[:35].all()  # what lies before layer 3 is as it was
    np.False_
    """
    whole = loaded_model(model)
    named = named_heads(heads, whole.layers, whole.heads)
    changed = intervened(whole, Intervention(named, replace, reference_texts(texts)))
    with in_place(changed):
        yield changed
