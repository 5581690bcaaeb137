"""What is known of a model without loading it: what its files say."""

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from safetensors import safe_open

from attn_core.errors import ModelError, in_one_sentence
from attn_core.io.paths import display_name
from attn_core.models.files import STACKS, ModelSpec, Stack, locate, modified_ns, readable_weights

FLOAT = 4  # bytes of a number in float32
# transformers makes lists of these lengths while it reads a configuration, before any weight can check them.
MOST = {"layer": 10_000, "label": 1_000_000}


@dataclass(frozen=True, eq=False)
class ModelFacts:
    """What is known of a model without loading it, see `facts_of`.

    spec: the model itself, without copy, stack, windows and removed heads. name: as it is shown. folder: of its files.
    stacks: which can be read. weights: the files of its weights. tensors, numbers: how many these files hold.
    """

    spec: ModelSpec
    name: str
    folder: Path
    stacks: tuple[Stack, ...]
    weights: tuple[Path, ...]
    tensors: int
    numbers: int

    @property
    def bytes(self) -> int:
        """The bytes of the weights in memory."""
        return FLOAT * self.numbers

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

        return longest_window(self.spec, self.folder, self.tokenizer_folder, self.tensors, self.numbers)


def facts_of(spec: ModelSpec) -> ModelFacts:
    """The facts of a model, read once for each state of its files. Raises ModelError like `locate`, and for its files.

    >>> from attn_core.models.facts import facts_of
    >>> facts = facts_of(attn_core.ModelSpec())
    >>> facts.name, facts.stacks, facts.longest
    ('all-MiniLM-L6-v2', ('encoder',), 512)
    """
    return _facts(ModelSpec(spec.name, spec.revision, tokenizer=spec.tokenizer), locate(spec), modified_ns(spec))


@lru_cache(maxsize=16)
def _facts(spec: ModelSpec, folder: Path, _written: int) -> ModelFacts:
    weights, shapes = readable_weights(spec, folder), list[list[int]]()
    for file in weights:
        with safe_open(file, framework="pt") as opened:
            names = opened.keys()
            shapes += [opened.get_slice(name).get_shape() for name in names]
    stacks = STACKS if read_config(spec, folder).get("is_encoder_decoder") else STACKS[:1]
    numbers = sum(map(math.prod, shapes))
    return ModelFacts(spec, display_name(spec.name), folder, stacks, tuple(weights), len(shapes), numbers)


def read_config(spec: ModelSpec, folder: Path) -> dict[str, Any]:
    """The content of a folder's config.json.

    Raises ModelError unless it names a family, and its numbers are finite and none is absurd.
    """
    file, problem = folder / "config.json", f"{spec.name} cannot be loaded: its config.json"
    if not file.is_file():
        raise ModelError(f"{spec.name} cannot be loaded: it has no config.json.")
    with in_one_sentence(ModelError, f"{problem} cannot be read"):
        config = json.loads(file.read_bytes())
        if not isinstance(config, dict) or not isinstance(config.get("model_type"), str):
            raise ModelError(f'{problem} names no family: add it, such as "model_type": "bert".')
        for name, value in _values(config):
            if isinstance(value, float) and not math.isfinite(value):
                raise ModelError(f"{problem} says {value} for {name}: put back the number that it was saved with.")
            for kind, most in MOST.items():
                if kind in name and isinstance(value, int | float) and value > most:
                    raise ModelError(f"{problem} says {value:,} for {name}: at most {most:,} are read.")
    return config


def _values(config: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The names and values of a configuration and of the configurations in it; lists may hold infinite limits."""
    for name, value in config.items():
        if isinstance(value, dict):
            yield from _values(value)
        yield name, value
