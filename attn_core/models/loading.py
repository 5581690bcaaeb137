"""From a model's name to a loaded model that has proved it can be served.

A model is served when every layer hands over its head outputs z = softmax(Q K^T / sqrt(d) + mask) V (see `capture`).
Most families of transformers reach their attention through its `AttentionInterface`; the few in `PROJECTIONS` are
served by a hook on their output projection. Every load is checked (see `self_check`): nothing is believed of a family.

To add a family that keeps attention to itself, add a line to `PROJECTIONS`.
"""

import re
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Any

from attn_core.checks import check_type
from attn_core.errors import InputError, ModelError, in_one_sentence
from attn_core.models.ablation import ablated
from attn_core.models.attention import INTERFACE, capturing_hook
from attn_core.models.files import WINDOW, ModelSpec, default_spec, locate, readable_weights, revision_of, written
from attn_core.models.pretrained import check_weights, config_of, network_of, quiet_transformers, tokenizer_of
from attn_core.models.records import LoadedModel
from attn_core.models.removal import Names, Removal, Replace, named_heads
from attn_core.models.self_check import check_model
from attn_core.models.shuffled_weights import shuffle_weights
from attn_core.models.stacks import Decoding, begin_as_decoder, check_stack, stack_of
from attn_core.models.windows import ENDLESS, in_windows_of
from attn_core.tensors import AutoModel, nn, torch

# Families with attention code of their own: the output projection of every layer, by its name in the network.
PROJECTIONS = {
    "mpnet": r"\.attention\.attn\.o$",
    "deberta": r"\.attention\.output\.dense$",
    "deberta-v2": r"\.attention\.output\.dense$",
    "roformer": r"\.attention\.output\.dense$",
    "rembert": r"\.attention\.output\.dense$",
    "megatron-bert": r"\.attention\.output\.dense$",
}

_loading = Lock()
AnyModel = str | Path | ModelSpec | LoadedModel | None


def load(spec: ModelSpec | None = None, device: str | None = None) -> LoadedModel:
    """A model that lies on this machine, in float32, checked that it can be served.

    spec: the default model unless given, see `default_spec`. device: as torch names it ("cpu", "cuda"); CUDA, then MPS, then
    the CPU unless given. Raises ModelNotHere where the model must be downloaded first, ModelError where it cannot be used or
    reads no windows so long, and InputError for what is no `ModelSpec`.

    >>> attn_core.load(attn_core.ModelSpec("no-such/model"))
    Traceback (most recent call last):
    attn_core.errors.ModelNotHere: no-such/model is not on this machine yet: download it first.
    """
    spec = default_spec() if spec is None else spec
    check_type(spec, ModelSpec, "What is loaded")
    if device is not None:
        check_type(device, str, "A device")
    if spec.ablation is not None:
        return ablated(load(replace(spec, ablation=None), device), spec.ablation)
    if spec.window_tokens != WINDOW:
        return in_windows_of(load(replace(spec, window_tokens=WINDOW), device), spec.window_tokens)
    with _loading, quiet_transformers(), in_one_sentence(ModelError, f"{spec.name} cannot be loaded"):
        return _loaded(spec, device or best_device())


def loaded_model(model: AnyModel, window_tokens: int | None = None) -> LoadedModel:
    """A model by its hub id or folder, by its spec, already loaded, or the default one (None).

    window_tokens: at most how many tokens it reads at once, where that is not what the model or its spec says. Raises
    ModelError as `load`, and InputError for what names no model and what is no number of tokens.
    """
    if isinstance(model, LoadedModel):
        return model if window_tokens is None else in_windows_of(model, window_tokens)
    spec = _spec(model)
    return load(spec if window_tokens is None else replace(spec, window_tokens=window_tokens))


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


def ablate(model: AnyModel, heads: Names, replace: Replace = "mean") -> LoadedModel:
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


def _loaded(spec: ModelSpec, device: str) -> LoadedModel:
    folder = locate(spec)
    weights = readable_weights(spec, folder)
    revision = revision_of(spec, folder, weights)
    if spec.copy is not None:
        revision += f"+{spec.copy[0]}-{spec.copy[1]}"
    config = config_of(spec, folder)
    family = config.model_type
    check_stack(spec, config)
    tokenizer = tokenizer_of(spec, locate(ModelSpec(spec.tokenizer)) if spec.tokenizer else folder)
    if spec.stack != "encoder":
        begin_as_decoder(tokenizer, config)
    if spec.copy is not None and spec.copy[0] == "untrained":
        network = _untrained(spec, config, spec.copy[1])
    else:
        network = _network(spec, folder, config)
    if spec.copy is not None and spec.copy[0] == "shuffled_weights":
        shuffle_weights(network, spec.copy[1])
    network.to(device)
    model = _described(spec, revision, family, network, tokenizer)
    return check_model(model, lambda: _let_capture(model))


_of_process: dict[tuple[ModelSpec, int], LoadedModel] = {}


def model_of(spec: ModelSpec) -> LoadedModel:
    """The one model of a process, loaded when it is first asked for. Raises what `load` raises."""
    if (known := (spec, written(spec))) not in _of_process:
        _of_process.clear()  # before the next one is loaded: both may not fit
        _of_process[known] = load(spec)
    return _of_process[known]


def best_device() -> str:
    """CUDA where there is one, then Apple's MPS, then the CPU."""
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def _network(spec: ModelSpec, folder: Path, config: Any) -> nn.Module:
    """The stack that reads the text, with its weights."""
    with in_one_sentence(ModelError, f"{spec.name} cannot be loaded: its weights do not fit its config.json"):
        whole, report = network_of(AutoModel, folder, config, ignore_mismatched_sizes=True)
    network = _reading_stack(whole, spec)
    check_weights(spec.name, whole, network, report)
    return network


def _untrained(spec: ModelSpec, config: Any, seed: int) -> nn.Module:
    """The same stack with its weights drawn as its family draws them before training; a seed gives the same ones."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        whole = AutoModel.from_config(config, dtype=torch.float32)
    return _reading_stack(whole, spec)


def _reading_stack(whole: Any, spec: ModelSpec) -> nn.Module:
    """What reads the text, ready to be run."""
    network = stack_of(whole, spec.stack)
    if not hasattr(network, "config"):
        raise no_stack(spec)
    network.config.use_cache = False
    return network.eval()


def no_stack(spec: ModelSpec) -> ModelError:
    """What to say of a network that is made otherwise."""
    return ModelError(f"{spec.name} cannot be served: it is no stack of attention layers that reads tokens.")


def _described(spec: ModelSpec, revision: str, family: str, network: Any, tokenizer: Any) -> LoadedModel:
    """The model as far as it is known before it runs."""
    config = network.config
    try:  # transformers' attribute map gives every family's names these two
        layers, heads = int(config.num_hidden_layers), int(config.num_attention_heads)
        if isinstance(network, Decoding):  # these two names mean the encoder's
            layers, heads = len(network.attention()), int(getattr(config, "decoder_attention_heads", heads))
        vocabulary = network.get_input_embeddings().num_embeddings
    except (AttributeError, TypeError, NotImplementedError):
        raise no_stack(spec) from None
    # Added tokens may lie beyond the embedding (Gemma's do); `run` refuses a text that has one.
    if max(tokenizer.backend_tokenizer.get_vocab(with_added_tokens=False).values(), default=0) >= vocabulary:
        raise ModelError(
            f"The tokenizer of {spec.name} does not fit its weights: it has tokens that the model does not know."
        )
    pad_id, longest = tokenizer.pad_token_id, _longest(network, tokenizer)
    return LoadedModel(
        spec=spec,
        revision=revision,
        family=family,
        network=network,
        tokenizer=tokenizer,
        layers=layers,
        heads=heads,
        max_tokens=min(longest, WINDOW),
        longest=longest,
        pad_id=pad_id if pad_id is not None and pad_id < vocabulary else 0,  # never attended to: any token will do
        causal=False,
        uses_interface=family not in PROJECTIONS,
        device=next(network.parameters()).device,
    )


def _longest(network: Any, tokenizer: Any) -> int:
    """The longest window: what positions and tokenizer allow."""
    allowed, positions = int(tokenizer.model_max_length), getattr(network.config, "max_position_embeddings", None)
    if not positions and hasattr(network.config, "relative_attention_num_buckets"):
        return allowed if allowed < WINDOW else ENDLESS  # T5 knows distances; its tokenizers say 512 all the same
    positions = positions or WINDOW
    for name, module in network.named_modules():
        if name.endswith("position_embeddings") and getattr(module, "padding_idx", None) is not None:
            positions -= module.padding_idx + 1  # RoBERTa and its kin count positions from the padding index on
    return int(min(positions, allowed))


def _let_capture(model: LoadedModel) -> None:
    """Attach the route to the head outputs."""
    if not model.uses_interface:
        pattern = re.compile(PROJECTIONS[model.family])
        for name, module in model.network.named_modules():
            if pattern.search(name):
                module.register_forward_pre_hook(capturing_hook)
        return
    network: Any = model.network
    if isinstance(network, Decoding):
        network.let_capture(INTERFACE)
        return
    network.set_attn_implementation(INTERFACE)
    if network.config._attn_implementation != INTERFACE:
        raise ModelError(f"{model.spec.name} cannot be served: its attention cannot be reached.")
