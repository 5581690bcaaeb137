"""From a model's name to a loaded model that has proved it can be served.

A model is served when every layer hands over its head outputs z = softmax(Q K^T / sqrt(d) + mask) V (see `capture`).
Most families of transformers reach their attention through its `AttentionInterface`; the few in `PROJECTIONS` are
served by a hook on their output projection. Every load is checked (see `self_check`): nothing is believed of a family.

To add a family that keeps attention to itself, add a line to `PROJECTIONS`.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Any

from attn_core import given
from attn_core.errors import ModelError, cause
from attn_core.models.attention import INTERFACE, capturing_hook
from attn_core.models.capture import evaluating
from attn_core.models.files import (
    VOCABULARIES,
    WINDOW,
    ModelSpec,
    Twin,
    check_layers,
    default_spec,
    has_vocabulary,
    locate,
    readable_weights,
    revision_of,
    size_of,
    with_files,
)
from attn_core.models.intervened import intervened
from attn_core.models.memory import HeldModels
from attn_core.models.permuted import permute
from attn_core.models.records import LoadedModel
from attn_core.models.self_check import check_model
from attn_core.models.stacks import Decoding, begin_as_decoder, check_stack, stack_of
from attn_core.models.windows import ENDLESS, in_windows_of, with_source
from attn_core.tensors import AutoConfig, AutoModel, AutoTokenizer, nn, torch, transformers_logging

SPARE = 50_000_000  # numbers (200 MB) that a model may lack whatever its size

# Families with attention code of their own: the output projection of every layer, by its name in the network.
PROJECTIONS = {
    "mpnet": r"\.attention\.attn\.o$",
    "deberta": r"\.attention\.output\.dense$",
    "deberta-v2": r"\.attention\.output\.dense$",
    "roformer": r"\.attention\.output\.dense$",
    "rembert": r"\.attention\.output\.dense$",
    "megatron-bert": r"\.attention\.output\.dense$",
}
UNSERVED = {
    "convbert": "ConvBERT mixes convolutions into its heads",
    "xlnet": "XLNet attends with two streams",
    "funnel": "Funnel shortens the text between its layers",
    "mamba": "Mamba has no attention",
}

# Weights that the network that reads a text does without: heads around it, by the first part of their names, and tables that
# older versions of transformers saved.
UNREAD = re.compile(
    r"(cls|head|lm_head|embed_out|predictions|\w+_predictions|generator_lm_head|vocab_\w+|\w*classifier|classification_head|v_head"
    r"|score|qa_outputs|splinter_qass|sequence_summary|logits_proj|pred_layer|pooler|dense|linear)(\..+)?"
    r"|final_logits_bias|decoder\.(weight|bias)|(.+\.)?(position_ids|token_type_ids|inv_freq|masked_bias|attn\.bias)"
)

_loading = Lock()


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
    given.a(ModelSpec, spec, "What is loaded")
    if device is not None:
        given.name(device, "A device")
    if spec.source is not None:
        return with_source(load(replace(spec, source=None), device), spec.source)
    if spec.intervention is not None:
        return intervened(load(replace(spec, intervention=None), device), spec.intervention)
    if spec.window_tokens != WINDOW:
        return in_windows_of(load(replace(spec, window_tokens=WINDOW), device), spec.window_tokens)
    with _loading, quiet_transformers():
        folder = locate(spec)
        spec = with_files(spec, folder)  # before they are read: they may change meanwhile
        weights = readable_weights(spec, folder)
        check_layers(spec, folder, weights)
        revision = revision_of(spec, folder, weights)
        if spec.twin is not None:
            revision += f"+{spec.twin[0]}-{spec.twin[1]}"
        config = _config(spec, folder)
        family = config.model_type
        tokenizer = _tokenizer(spec, locate(ModelSpec(spec.tokenizer)) if spec.tokenizer else folder)
        if spec.stack != "encoder":
            begin_as_decoder(tokenizer, config)
        _check_size(spec, folder, weights)
        network = _twin(spec, folder, *spec.twin) if spec.twin else _network(spec, folder)
        _move(network, device or best_device(), spec)
        model = _described(spec, revision, family, network, tokenizer)
        check, causal = check_model(model, lambda: _let_capture(model))
        return replace(model, check=check, causal=causal)


model_of = HeldModels(load, room=0).get  # the model of a process, alone, loaded when it is first asked for


@contextmanager
def lent(network: Any, tokenizer: Any, name: str) -> Iterator[LoadedModel]:
    """A network that somebody else trains, as a model to `capture` from, checked as on every load.

    It is given back as it was: each module in training or evaluation as before, with its own attention. Raises ModelError
    where it cannot be served.
    """
    stack = stack_of(network.base_model)
    with ExitStack() as route, evaluating(network):
        model = _described(ModelSpec(name), "in training", stack.config.model_type, stack, tokenizer)
        check, causal = check_model(model, lambda: _let_capture(model, route))
        yield replace(model, check=check, causal=causal)


def published(kind: Any, folder: Path, config: Any) -> tuple[Any, Any]:
    """The network of a folder as transformers makes it of a kind, with its head, and its report of what the weights lack."""
    with quiet_transformers():
        return kind.from_pretrained(
            folder, config=config, use_safetensors=True, dtype=torch.float32, output_loading_info=True,
            local_files_only=True, trust_remote_code=False,
        )  # fmt: skip


def _move(network: nn.Module, device: str, spec: ModelSpec) -> None:
    try:
        network.to(device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:  # as torch says that there is no such device
        raise ModelError(f"{spec.name} cannot be put on the device {device[:40]!r} ({cause(error)}).") from None


def best_device() -> str:
    """CUDA where there is one, then Apple's MPS, then the CPU."""
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def _config(spec: ModelSpec, folder: Path) -> Any:
    if not (folder / "config.json").is_file():
        raise ModelError(f"{spec.name} cannot be loaded: it has no config.json.")
    config = _attempt(spec, "its config.json cannot be read", AutoConfig.from_pretrained, folder)
    if config.model_type in UNSERVED:
        raise ModelError(f"{spec.name} cannot be served: {UNSERVED[config.model_type]}.")
    check_stack(spec, config)
    return config


def _tokenizer(spec: ModelSpec, folder: Path) -> Any:
    if not has_vocabulary(folder):  # transformers would make up an empty one
        raise ModelError(
            f"{spec.name} has no tokenizer: put its {', '.join(VOCABULARIES[:-1])} or the like in the folder."
        )
    # Set here because the tokenizer keeps it as state, which threads that read texts at once must not switch.
    tokenizer = _attempt(
        spec, "its tokenizer cannot be read", AutoTokenizer.from_pretrained, folder, split_special_tokens=True
    )
    if not getattr(tokenizer, "is_fast", False):
        raise ModelError(
            f"{spec.name} cannot be served: its tokenizer does not tell where its tokens stand in the text."
        )
    return tokenizer


def _check_size(spec: ModelSpec, folder: Path, weights: list[Path]) -> None:
    """Refuse a config.json that asks for far more numbers than the weights hold: transformers would make them up first.

    Far more, since an encoder may be published without its decoder, or without its pooler.
    """
    network = _attempt(spec, "its weights do not fit its config.json", _without_memory, folder)
    asked = sum(tensor.numel() for tensor in (*network.parameters(), *network.buffers()))
    _, held = size_of(weights)
    if asked > 3 * held + SPARE:
        raise ModelError(
            f"{spec.name} cannot be loaded: its config.json asks for {asked:,} numbers, its weights hold {held:,}."
        )


def _without_memory(folder: Path, **options: Any) -> nn.Module:
    """The network of a config.json as shapes alone."""
    with torch.device("meta"):
        return AutoModel.from_config(AutoConfig.from_pretrained(folder, **options))


def _network(spec: ModelSpec, folder: Path) -> nn.Module:
    """The stack that reads the text, with its weights."""
    whole, report = _attempt(
        spec, "its weights do not fit its config.json", AutoModel.from_pretrained, folder,
        use_safetensors=True, dtype=torch.float32, output_loading_info=True, ignore_mismatched_sizes=True,
    )  # fmt: skip
    network = _reading_stack(whole, spec)
    # Only what the stack uses must be there: a T5 encoder is often published without its decoder, a BERT without its pooler.
    used = {id(tensor) for tensor in network.state_dict(keep_vars=True).values()}
    names = {name for name, tensor in whole.state_dict(keep_vars=True).items() if id(tensor) in used}
    missing = [name for name in names.intersection(report["missing_keys"]) if "pooler" not in name]
    if missing:
        raise ModelError(f"{spec.name} lacks {len(missing)} of the weights that its config.json asks for.")
    if report["mismatched_keys"]:
        count = len(report["mismatched_keys"])
        raise ModelError(
            f"{spec.name} cannot be loaded: {count} of its weights have another shape than its config.json says."
        )
    if left := sorted(name for name in report["unexpected_keys"] if not UNREAD.fullmatch(name)):
        raise ModelError(
            f"{spec.name} cannot be loaded: its config.json has no place for {len(left)} of its weights ({left[0]}): put back "
            "the config.json that it was saved with."
        )
    return network


def _twin(spec: ModelSpec, folder: Path, kind: Twin, seed: int) -> nn.Module:
    """The same stack with its weights permuted, or drawn as its family draws them before training; a seed gives the same ones."""
    if kind == "permuted":
        network = _network(spec, folder)
        permute(network, seed)
        return network
    config = _attempt(spec, "its config.json cannot be read", AutoConfig.from_pretrained, folder)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        whole = AutoModel.from_config(config, dtype=torch.float32)
    return _reading_stack(whole, spec)


def _reading_stack(whole: Any, spec: ModelSpec) -> nn.Module:
    """What reads the text, ready to be run."""
    network = stack_of(whole, spec.stack)
    network.config.use_cache = False
    return network.eval()


def _described(spec: ModelSpec, revision: str, family: str, network: Any, tokenizer: Any) -> LoadedModel:
    """The model as far as it can be told before it runs."""
    config = network.config
    try:  # transformers' attribute map gives every family's names these two
        layers, heads = int(config.num_hidden_layers), int(config.num_attention_heads)
        if isinstance(network, Decoding):  # these two names mean the encoder's
            layers, heads = len(network.attention()), int(getattr(config, "decoder_attention_heads", heads))
        vocabulary = network.get_input_embeddings().num_embeddings
    except (AttributeError, TypeError, NotImplementedError):
        raise ModelError(
            f"{spec.name} cannot be served: it is no stack of attention layers that reads tokens."
        ) from None
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


def _let_capture(model: LoadedModel, route: ExitStack | None = None) -> None:
    """Attach the route to the head outputs, for good or until `route` is closed."""
    route = route or ExitStack()  # one that is never closed takes nothing back
    if not model.uses_interface:
        pattern = re.compile(PROJECTIONS[model.family])
        for name, module in model.network.named_modules():
            if pattern.search(name):
                route.callback(module.register_forward_pre_hook(capturing_hook).remove)
        return
    network: Any = model.network
    if isinstance(network, Decoding):
        network.let_capture(INTERFACE)
        return
    route.callback(network.set_attn_implementation, network.config._attn_implementation)
    network.set_attn_implementation(INTERFACE)
    if network.config._attn_implementation != INTERFACE:
        raise ModelError(f"{model.spec.name} cannot be served: its attention cannot be reached.")


def _attempt(spec: ModelSpec, problem: str, action: Callable[..., Any], folder: Path, **options: Any) -> Any:
    """Run a loader of transformers, and turn whatever it raises into one sentence."""
    try:
        return action(folder, local_files_only=True, trust_remote_code=False, **options)
    except Exception as error:  # the loaders raise anything from KeyError to RuntimeError
        if "trust_remote_code" in str(error):
            raise ModelError(
                f"{spec.name} cannot be loaded: it brings code of its own, which is never run here."
            ) from None
        raise ModelError(f"{spec.name} cannot be loaded: {problem} ({cause(error)}).") from error


@contextmanager
def quiet_transformers() -> Iterator[None]:
    """No warnings and no progress bars from transformers; both are global there."""
    verbosity, bars = transformers_logging.get_verbosity(), transformers_logging.is_progress_bar_enabled()
    transformers_logging.set_verbosity_error()
    transformers_logging.disable_progress_bar()
    try:
        yield
    finally:
        transformers_logging.set_verbosity(verbosity)
        if bars:
            transformers_logging.enable_progress_bar()
