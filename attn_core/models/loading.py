"""Functions that load and check models by name, whole or without some of their heads.

A model is supported if the head outputs z = softmax(Q K^T / sqrt(d) + mask) V of every layer can be captured (see
`capture`). Most families of transformers compute attention through its `AttentionInterface`; those in `FAMILIES` are
captured by hooks. To support another such family, add a record to `FAMILIES`: every load is checked (see `self_check`).
"""

import re
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Any

from attn_core.errors import InputError, ModelError, check_type, in_one_sentence
from attn_core.models.ablation import ablated
from attn_core.models.attention import INTERFACE, capturing_hook, values_hook
from attn_core.models.facts import ModelFacts, facts_of, revision_of
from attn_core.models.families import FAMILIES, value_reader
from attn_core.models.files import COPIES, WINDOW, ModelSpec, default_spec, modified_ns
from attn_core.models.pretrained import (
    check_weights,
    config_of,
    network_of,
    quiet_transformers,
    shuffle_weights,
    token_types,
    tokenizer_of,
)
from attn_core.models.records import LoadedModel
from attn_core.models.removal import Names, Removal, Replace, named_heads
from attn_core.models.self_check import check_model
from attn_core.models.stacks import Decoding, check_stack, prepend_start_token, stack_of
from attn_core.models.windows import check_memory, with_window_tokens
from attn_core.tensors import AutoModel, torch

_loading = Lock()
AnyModel = str | Path | ModelSpec | LoadedModel | None


def load(spec: ModelSpec | None = None, device: str | None = None) -> LoadedModel:
    """The model of a spec, loaded from this machine in float32 and checked.

    >>> attn_core.load(attn_core.ModelSpec())
    LoadedModel(sentence-transformers/all-MiniLM-L6-v2, 6 layers x 12)
    >>> attn_core.load(attn_core.ModelSpec("no-such/model"))
    Traceback (most recent call last):
    attn_core.errors.ModelNotHere: no-such/model is not on this machine yet: download it first.

    spec: the default is `default_spec()`. device: as torch names it, such as "cpu"; the default is `best_device()`.

    Raises ModelNotHere for a model that must be downloaded first, ModelError for one that is not supported or whose
    windows are shorter than those of the spec, and InputError for anything but a `ModelSpec`.
    """
    spec = default_spec() if spec is None else spec
    check_type(spec, ModelSpec, "What is loaded")
    check_type(device, str | None, "A device")
    if spec.ablation is not None:
        return ablated(load(replace(spec, ablation=None), device), spec.ablation)
    if spec.window_tokens != WINDOW:
        return with_window_tokens(load(replace(spec, window_tokens=WINDOW), device), spec.window_tokens)
    with _loading, quiet_transformers(), in_one_sentence(ModelError, f"{spec.name} cannot be loaded"):
        return _loaded(spec, device or best_device())


def loaded_model(model: AnyModel, window_tokens: int | None = None) -> LoadedModel:
    """The loaded model of a hub id, folder or spec, see `model_of`; a loaded model itself; the default model for None.

    window_tokens: the largest number of tokens read at once, in place of that of the spec. Raises like `load`, and
    InputError for any other value.
    """
    if isinstance(model, str | Path):
        model = ModelSpec(str(model))
    if not isinstance(model, ModelSpec | LoadedModel | None):
        kind = type(model).__name__
        raise InputError(f"A model is its hub id, its folder, a ModelSpec or what load() returned, not of type {kind}.")
    loaded = model if isinstance(model, LoadedModel) else model_of(model or default_spec())
    return loaded if window_tokens is None else with_window_tokens(loaded, window_tokens)


def ablate(model: AnyModel, heads: Names, replace: Replace = "mean") -> LoadedModel:
    """The model without some of its heads; both share one network.

    >>> without = attn_core.ablate(model, ["L3H10", "L5"], replace="zero")
    >>> changed = attn_core.analyze(text, without)
    >>> bool((changed.heads["mean_distance"] == analysis.heads["mean_distance"])[:24].all())  # the layers before
    True

    model: as in `analyze`. heads: names such as L3H10, or L5 for a whole layer. replace: what replaces their
    outputs, "mean", "zero", "resample" or "even", see `Removal`. The ablation is part of the provenance of every table.

    Raises InputError for unknown heads and for a model that lacks heads already.
    """
    whole = loaded_model(model)
    return ablated(whole, Removal(named_heads(heads, whole.layers, whole.heads), replace))


def _loaded(spec: ModelSpec, device: str) -> LoadedModel:
    facts, revision = facts_of(spec), revision_of(spec)
    config = config_of(spec, facts.folder)
    check_stack(spec, config)
    longest = facts.longest  # checks the network before it is built
    tokenizer = tokenizer_of(spec, facts.tokenizer_folder)
    if spec.stack != "encoder":
        prepend_start_token(tokenizer, config)
    network = _network(spec, facts, config).eval().to(device)
    config, vocabulary = network.config, len(network.get_input_embeddings().weight)
    config.use_cache = False
    layers, heads = int(config.num_hidden_layers), int(config.num_attention_heads)
    if isinstance(network, Decoding):  # the two are those of the encoder
        layers, heads = len(network.attention()), int(getattr(config, "decoder_attention_heads", heads))
    # Added tokens may have ids without an embedding (as Gemma's do); `capture` raises ModelError for them.
    if max(tokenizer.backend_tokenizer.get_vocab(with_added_tokens=False).values(), default=0) >= vocabulary:
        why = "has tokens that the model does not know: put back the one that it was saved with"
        raise ModelError(f"The tokenizer of {spec.name} {why}.")
    pad_id = tokenizer.pad_token_id
    model = LoadedModel(
        spec=spec,
        revision=revision,
        network=network,
        tokenizer=tokenizer,
        layers=layers,
        heads=heads,
        longest=longest,
        pad_id=pad_id if pad_id is not None and pad_id < vocabulary else 0,  # never attended to
        causal=False,
        uses_interface=config.model_type not in FAMILIES,
        device=next(network.parameters()).device,
        token_types=token_types(tokenizer, network),
    )
    return check_model(model, lambda: _let_capture(model))


_of_process: dict[tuple[ModelSpec, int], LoadedModel] = {}


def model_of(spec: ModelSpec) -> LoadedModel:
    """The loaded model of a spec; the last one is cached in this process. Raises like `load`."""
    if (model := _of_process.get(known := (spec, modified_ns(spec)))) is None:
        _of_process.clear()  # first, since memory may not hold both
        model = _of_process[known] = load(spec)
    return model


def best_device() -> str:
    """The device to compute on: CUDA if there is one, else Apple's MPS, else the CPU."""
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def free_memory_of_gpu() -> int:
    """The bytes that are free on the GPU."""
    return torch.cuda.mem_get_info()[0]


def _network(spec: ModelSpec, facts: ModelFacts, config: Any) -> Any:
    """The network that reads the text, with the weights of the folder or of a copy."""
    kind, seed = spec.copy or (None, 0)
    if kind == "untrained":
        check_memory(facts.bytes, f"The {COPIES[kind]} of {spec.name}", "take a smaller model")
    with in_one_sentence(ModelError, f"{spec.name} cannot be loaded: its weights do not fit its config.json"):
        whole, report = network_of(AutoModel, spec, facts.folder, config, ignore_mismatched_sizes=True)
    network = stack_of(whole, spec.stack)
    check_weights(spec.name, whole, network, report)
    if kind == "shuffled_weights":
        shuffle_weights(network, seed)
    return network


def _let_capture(model: LoadedModel) -> None:
    """Change the network in place so that its head outputs can be captured."""
    network: Any = model.network
    if not model.uses_interface:
        family = FAMILIES[network.config.model_type]
        network.config._attn_implementation = "eager"  # other attention of Falcon cannot give its maps
        for name, module in network.named_modules():
            if re.search(family.output, name):
                module.register_forward_pre_hook(capturing_hook)
            if re.search(family.values, name):
                module.register_forward_hook(values_hook(value_reader(network, name)))
        return
    if isinstance(network, Decoding):
        network.let_capture(INTERFACE)
        return
    network.set_attn_implementation(INTERFACE)
