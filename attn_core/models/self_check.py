"""The check of a model when it is loaded: its attention maps and values must give its head outputs, and these must add
up to its attention output."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from attn_core.errors import ModelError, in_one_sentence
from attn_core.head import Head, every_head
from attn_core.models.attention import Recorder
from attn_core.models.capture import batch_of, inputs_of, layer_calls, run
from attn_core.models.families import out_first
from attn_core.models.files import not_finite, unreadable
from attn_core.models.pretrained import frame
from attn_core.models.records import LoadedModel, SelfCheck
from attn_core.tensors import Tensor, nn, torch

Call = tuple[nn.Module, Tensor | None, Any]  # module, input and output
# TransformerLens tests its parity with rtol 1.3e-6 and atol 4e-5; deep layers of large models need this much.
TOLERANCE = 1e-3
TOKENS = 16  # of the probe
PADDED = 1e-4  # above it, texts are read one by one, which costs only time
BY_LENGTH = ("dynamic", "longrope")  # rotary angles that depend on the longest text of a batch, longer than the probe


def probe(model: LoadedModel, tokens: int = TOKENS) -> list[int]:
    """Ids of tokens evenly spread over the vocabulary, so of any alphabet, between the special tokens."""
    before, after = frame(model.tokenizer)
    ids = set(model.tokenizer.get_vocab().values()) - set(model.tokenizer.all_special_ids)
    ordinary = sorted(one for one in ids if one < model.vocabulary) or [0]
    number = max(2, min(tokens, model.max_tokens) - len(before) - len(after))
    step = max(1, len(ordinary) // number)
    return [*before, *(ordinary[at * step % len(ordinary)] for at in range(number)), *after]


@torch.inference_mode()
def check_model(model: LoadedModel, let_capture: Callable[[], None]) -> LoadedModel:
    """The model with `check`, `causal`, `no_padding` and `removed`, found by a probe read alone and in a padded batch.

    let_capture: changes the network so that head outputs can be captured; the probe is read before and after. Raises
    ModelError if the model is not supported.
    """
    spec = model.spec
    problem = f"{spec.name} cannot be read: its attention is not known, so take a model of another family"
    with in_one_sentence(ModelError, problem):
        longer = probe(model, 2 * TOKENS)
        ids = longer[: max(2, len(longer) // 2)]  # of one token any model seems causal
        short, _, collection = batch_of(model, [ids])
        collection.heads = frozenset(every_head(model.layers, model.heads))
        expected = model.network(**inputs_of(model, short)).last_hidden_state
        let_capture()
        means = list[Tensor]()
        if not model.uses_interface:
            collection.visit = lambda _layer, _heads, _queries, weights, values: means.append(weights @ values)
        matrices = {module: name for name, module in model.network.named_modules() if _is_matrix(module)}
        with layer_calls([*matrices]) as calls:
            output = run(model, short, None, collection).last_hidden_state
        if not torch.isfinite(output).all():
            raise not_finite(spec, "outputs")
        if not 0 < model.layers == len(collection.z) == len(collection.maps):
            raise unreadable(spec, _miscounted(model, len(collection.z)))
        width = collection.z[0].shape[-1]
        if any(z.shape != (*short.shape, model.heads, width) for z in collection.z):
            raise unreadable(spec, "its layers differ in the shape of their heads")
        projected = [_projected(z, calls) for z in collection.z]
        check = SelfCheck(
            captures=(model.layers, model.heads, width),
            projection_error=max(error for _, error in projected),
            output_error=relative_error(output, expected),
            padding_error=_padding_error(model, [longer, ids], collection.z),
            projections=tuple(matrices.get(module, "") for module, _ in projected),
        )
        for holds, otherwise in _conditions(model, check, collection, means):
            if not holds:
                raise unreadable(spec, otherwise)
    rotary = " ".join(str(getattr(module, "rope_type", "")) for module in model.network.modules())
    return replace(
        model,
        check=check,
        causal=all(bool((weights.triu(1) == 0).all()) for weights in collection.maps),
        no_padding=not check.padding_error < PADDED or any(kind in rotary for kind in BY_LENGTH),
        removed=tuple(_without_effect(model, check.projections)),
    )


def _is_matrix(module: nn.Module) -> bool:
    return getattr(getattr(module, "weight", None), "ndim", 0) == 2 and not isinstance(module, nn.Embedding)


def _miscounted(model: LoadedModel, times: int) -> str:
    """Why a model is refused whose layers do not compute attention once each, but so many times in all."""
    config: Any = model.network.config
    family = f"its family, {config.model_type},"
    if not times:
        return f"{family} does not compute attention through the interface of transformers"
    if times < model.layers:
        return f"{family} has attention that can be read in only {times} of its {model.layers} layers"
    return f"{family} computes attention {times} times in its {model.layers} layers, so no map is of one head"


def _conditions(
    model: LoadedModel, check: SelfCheck, collection: Recorder, means: Sequence[Tensor]
) -> Iterator[tuple[bool, str]]:
    """What must hold of a model, each with why the model is refused otherwise.

    means: of values, weighted by the maps of each layer, (head, token, d_head), for a family read by hooks. Through the
    interface one function computes maps and head outputs.
    """
    yield check.projection_error < TOLERANCE, "its heads' outputs do not add up to its attention output"
    yield check.output_error < TOLERANCE, "capturing its heads changes what it computes"
    maps, outputs = collection.maps, [z[0].transpose(0, 1) for z in collection.z]
    yield (
        all((of_layer >= 0).all() and ((of_layer.sum(dim=-1) - 1).abs() < TOLERANCE).all() for of_layer in maps),
        "the rows of its attention maps do not add up to 1",
    )
    yield (
        model.uses_interface
        or len(means) == len(outputs)
        and all(relative_error(*pair) < TOLERANCE for pair in zip(means, outputs, strict=True)),
        "its heads' outputs are not the means of values that its attention maps give",
    )


def _padding_error(model: LoadedModel, rows: list[list[int]], alone: list[Tensor]) -> float:
    """The relative error of the head outputs of the second row, in a batch with the first, longer row."""
    ids, mask, collection = batch_of(model, rows)
    run(model, ids, mask, collection)
    return max(relative_error(z[1:, : len(rows[1])], own) for z, own in zip(collection.z, alone, strict=True))


def _projected(z: Tensor, calls: list[Call]) -> tuple[Any, float]:
    """The projection that received z, and the relative error of the sum over heads of z_h W_h as its output.

    Infinite where no projection received z.
    """
    flat = z.flatten(-2)
    for module, given, output in calls:
        if given is None or given.shape[-1] != flat.shape[-1] or not torch.equal(given.flatten(), flat.flatten()):
            continue
        output = output[0] if isinstance(output, tuple) else output
        owner: Any = module
        weight = out_first(owner, owner.weight)
        bias: Any = getattr(module, "bias", None)
        by_head = weight.unflatten(1, z.shape[-2:])
        total = torch.einsum("bnhd,ohd->bno", z, by_head) + (0 if bias is None else bias)
        return module, relative_error(total.reshape(output.shape), output)
    return None, float("inf")


def _without_effect(model: LoadedModel, projections: Sequence[str]) -> Iterator[Head]:
    """The heads whose slice of their layer's output projection is 0. projections: the name of each layer's."""
    for layer, name in enumerate(projections):
        module: Any = model.network.get_submodule(name)
        effect = out_first(module, module.weight).unflatten(1, (model.heads, -1)).any(dim=2).any(dim=0)
        yield from (Head(layer, head) for head in (~effect).nonzero().flatten().tolist())


def relative_error(actual: Tensor, expected: Tensor) -> float:
    """The largest difference over the largest expected value."""
    return float((actual - expected).abs().max() / expected.abs().max())
