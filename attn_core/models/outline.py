"""The network of a configuration without its numbers: what can be known of it before anything large is built."""

import json
from collections.abc import Sequence
from pathlib import Path
from threading import get_ident
from typing import Any

from attn_core.errors import ModelError, in_one_sentence
from attn_core.models.families import FAMILIES
from attn_core.models.files import WINDOW, ModelSpec, unreadable
from attn_core.models.pretrained import config_of, quiet_transformers
from attn_core.models.stacks import stack_of
from attn_core.models.windows import ENDLESS
from attn_core.tensors import AutoModel, initialization, register_module_parameter_registration_hook, torch

# A network may hold more than its weights: a tied embedding is made up to three times, a decoder that is not read may
# be missing. Above this many times, and this many beside, its config.json is not that of its weights.
TIMES, TENSORS, NUMBERS = 4, 1_000, 1 << 22


def longest_window(spec: ModelSpec, folder: Path, tokenizer: Path, sizes: Sequence[int]) -> int:
    """The longest window, in tokens, that positions and tokenizer allow. Raises ModelError like `outline`.

    folder: of the model's files. tokenizer: of its tokenizer's files. sizes: of the tensors of its weights, in numbers.
    """
    problem = f"{spec.name} cannot be loaded: its config.json does not fit"
    with quiet_transformers(), in_one_sentence(ModelError, problem):
        network = stack_of(outline(spec.name, config_of(spec, folder), sizes), "encoder")
        if not _reads_tokens(network):
            why = f"its family, {network.config.model_type}, is no stack of attention layers that reads tokens"
            raise unreadable(spec, f"{why}, each with an embedding of its own")
        file = tokenizer / "tokenizer_config.json"
        limit = json.loads(file.read_bytes()).get("model_max_length") if file.is_file() else None
        allowed = ENDLESS if limit is None else int(limit)
    family, known = FAMILIES.get(network.config.model_type), vars(network.config)
    positions = getattr(network.config, "max_position_embeddings", None) or known.get("max_seq_len")
    if not positions and ("relative_attention_num_buckets" in known or family and family.any_length):
        return allowed if allowed < WINDOW else ENDLESS  # relative positions only (T5), although tokenizers say 512
    positions = positions or WINDOW
    for name, module in network.named_modules():
        if name.endswith("position_embeddings") and getattr(module, "padding_idx", None) is not None:
            positions -= module.padding_idx + 1  # RoBERTa's positions begin after the padding index
    return int(min(positions, allowed))


def _reads_tokens(network: Any) -> bool:
    """Whether a network has layers, heads and an embedding of each token; images have no tokens, CANINE characters."""
    try:
        config = network.config
        int(config.num_hidden_layers), int(config.num_attention_heads), len(network.get_input_embeddings().weight)
    except (AttributeError, TypeError, NotImplementedError):
        return False
    return True


def outline(name: str, config: Any, sizes: Sequence[int]) -> Any:
    """The network of a configuration without its numbers, which takes no memory for them.

    sizes: of the tensors of its weights. Raises ModelError while it is built if it needs many times more.
    """
    thread, tensors, numbers = get_ident(), len(sizes), sum(sizes)
    most, made = (TIMES * tensors + TENSORS, TIMES * numbers + NUMBERS), [0, 0]

    def count(_module: Any, _name: str, parameter: Any) -> None:
        if parameter is None or get_ident() != thread:
            return
        made[:] = made[0] + 1, made[1] + parameter.numel()
        if made[0] > most[0] or made[1] > most[1]:
            raise ModelError(
                f"{name} cannot be loaded: its config.json describes a far larger model than its weights, which have "
                f"{tensors:,} tensors of {numbers:,} numbers: put back the config.json that it was saved with."
            )

    counting = register_module_parameter_registration_hook(count)
    try:
        with torch.device("meta"), initialization.no_init_weights(), initialization.meta_device_safe_creation_ops():
            return AutoModel.from_config(config, dtype=torch.float32)
    finally:
        counting.remove()
