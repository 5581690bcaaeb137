"""Configuration, tokenizer and network of a model's folder, read by transformers; errors become one sentence.

The network of a copy is drawn anew (`network_of`), or has its weights in random order (`shuffle_weights`).
"""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from inspect import signature
from math import prod
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer
from tokenizers.models import WordLevel

from attn_core.errors import ModelError, in_one_sentence
from attn_core.models.families import kinds_of_rows, out_first
from attn_core.models.files import VOCABULARIES, ModelSpec, has_vocabulary, unreadable
from attn_core.models.records import TokenTypes
from attn_core.tensors import AutoConfig, AutoTokenizer, nn, torch, transformers_logging

# Buffers that older versions of transformers saved; now the network computes them.
COMPUTED = re.compile(r"(.+\.)?(position_ids|token_type_ids|inv_freq|masked_bias|attn\.bias)")

IN_LAYERS = re.compile(r"(^|\.)(\d+|conv)(\.|$)")  # in a list of layers, or DeBERTa's convolution
ALL_FOUND: Mapping[str, Any] = {"missing_keys": (), "mismatched_keys": (), "unexpected_keys": ()}
MAX_GROWTH = 32  # of a text by its tokenizer, for which memory is needed before any token is known


def config_of(spec: ModelSpec, folder: Path) -> Any:
    """The configuration of a model without options for running it. Raises ModelError if it cannot be read."""
    config = _read(spec, "its config.json", AutoConfig, folder)
    config._attn_implementation = None  # the default, which every machine has
    config.return_dict, config.output_attentions, config.output_hidden_states = True, False, False
    vars(config).pop("transformers_weights", None)  # names other files than those that are checked
    return config


def tokenizer_of(spec: ModelSpec, folder: Path) -> Any:
    """The fast tokenizer of a folder. Raises ModelError if there is none."""
    if not has_vocabulary(folder):  # transformers would make an empty one
        names = ", ".join(VOCABULARIES[:-1])
        raise ModelError(f"{spec.name} has no tokenizer: put its {names} or the like in the folder.")
    tokenizer = _read(spec, "its tokenizer", AutoTokenizer, folder)
    if not getattr(tokenizer, "is_fast", False):
        why = "its tokenizer does not give the places of tokens in the text"
        raise unreadable(spec, why, "save a fast tokenizer (tokenizer.json) with it")
    if _growth(json.loads(tokenizer.backend_tokenizer.to_str())["normalizer"]) > MAX_GROWTH:
        why = f"its tokenizer makes a text over {MAX_GROWTH} times as long"
        raise unreadable(spec, why, "take the replacements out of its tokenizer.json")
    # Turned off, though its file may ask for them, so that its digest is the same before and after it reads a text.
    tokenizer.backend_tokenizer.no_truncation()
    tokenizer.backend_tokenizer.no_padding()
    return tokenizer


def _growth(normalizer: Any) -> float:
    """How many times as long a normalizer of a tokenizer.json may make a text by what it replaces, at most."""
    if isinstance(normalizer, dict) and normalizer["type"] == "Sequence":
        return prod(map(_growth, normalizer["normalizers"]))
    if not isinstance(normalizer, dict) or normalizer["type"] != "Replace":
        return 1
    replaced = len(normalizer["pattern"].get("String", ""))  # an expression may match nothing
    return max(1, len(normalizer["content"]) / replaced if replaced else 1 + len(normalizer["content"]))


def network_of(kind: Any, spec: ModelSpec, folder: Path, config: Any, **options: Any) -> tuple[Any, Mapping[str, Any]]:
    """The network of a folder, of a class such as AutoModel, and a report of missing, reshaped and unused weights.

    The weights of an untrained copy are drawn from its seed, as its family draws them. options: of `from_pretrained`.
    """
    if spec.copy is not None and spec.copy[0] == "untrained":
        with torch.random.fork_rng():
            torch.manual_seed(spec.copy[1])
            return kind.from_config(config, dtype=torch.float32), ALL_FOUND
    with quiet_transformers():
        return kind.from_pretrained(
            folder, config=config, use_safetensors=True, dtype=torch.float32, output_loading_info=True,
            local_files_only=True, trust_remote_code=False, **options,
        )  # fmt: skip


@torch.no_grad()
def shuffle_weights(network: Any, seed: int) -> None:
    """Put the entries of every matrix of the layers into random order, in place, so that their scale stays.

    Embeddings, including tables of relative positions, norms, biases and everything outside the layers, such as a
    pooler or a head, are unchanged. A matrix of queries, keys and values is shuffled within each of the three, since
    their scales differ. Layers that share their weights are shuffled once.
    """
    drawn = torch.Generator().manual_seed(seed)
    for name, module in network.named_modules():  # a shared module comes once
        if not IN_LAYERS.search(name) or isinstance(module, nn.Embedding) or "norm" in type(module).__name__.lower():
            continue
        for weight in module.parameters(recurse=False):
            if weight.ndim < 2:
                continue
            rows = out_first(module, weight)
            kinds = kinds_of_rows(name, len(rows), network.config).to(rows.device)
            for kind in kinds.unique():
                entries = rows[kinds == kind]
                order = torch.randperm(entries.numel(), generator=drawn)
                rows[kinds == kind] = entries.flatten()[order.to(entries.device)].view_as(entries)


def check_weights(name: str, whole: Any, network: Any, report: Any) -> None:
    """Raise ModelError if the weights lack a part of the network, or if the network has no place for some of them.

    whole: the network of transformers. network: its part that reads the text. report: as `network_of` returns it.
    Heads, poolers and decoders that are not read may be missing, as published T5 encoders and BERT models lack them.
    """
    read = names_of_part(whole, network)
    missing = [name for name in read.intersection(report["missing_keys"]) if not _may_be_missing(name, whole)]
    reshaped, left = report["mismatched_keys"], [one for one in report["unexpected_keys"] if _is_in_base(one, whole)]
    if missing or reshaped or left:
        raise ModelError(
            f"{name} cannot be loaded: its weights do not belong to its config.json ({len(missing)} missing, "
            f"{len(reshaped)} of another shape, {len(left)} without a place): put back the config.json and the "
            "names of weights that it was saved with."
        )


def names_of_part(whole: Any, part: Any) -> set[str]:
    """The names that the weights of a part have in the whole network."""
    own = {id(tensor) for tensor in part.state_dict(keep_vars=True).values()}
    return {name for name, tensor in whole.state_dict(keep_vars=True).items() if id(tensor) in own}


def _may_be_missing(name: str, whole: Any) -> bool:
    """Whether a weight is of a pooler, which is not read, or of sinusoidal positions, which the network computes."""
    return "pooler" in name or "Sinusoidal" in type(whole.get_submodule(name.rpartition(".")[0])).__name__


def _is_in_base(name: str, whole: Any) -> bool:
    """Whether an unused weight belongs to the base model, by the first part of its name."""
    inside = name.removeprefix(f"{whole.base_model_prefix}.")
    parts = {part for part, _ in whole.named_children()}
    return inside.partition(".")[0] in parts and not COMPUTED.fullmatch(inside)


def frame(tokenizer: Any) -> tuple[list[int], list[int]]:
    """The ids of the special tokens before every text, and of those after it."""
    framed, at = _framed(tokenizer)
    return framed.ids[:at], framed.ids[at + 1 :]


def token_types(tokenizer: Any, network: Any) -> TokenTypes | None:
    """The token types that a tokenizer gives; None if it gives none, or if the network takes none."""
    name = "token_type_ids"
    if name not in tokenizer.model_input_names or name not in signature(network.forward).parameters:
        return None
    framed, at = _framed(tokenizer)
    return tuple(framed.type_ids[:at]), framed.type_ids[at], tuple(framed.type_ids[at + 1 :])


def _framed(tokenizer: Any) -> tuple[Any, int]:
    """The encoding of a text of one token with its special tokens, and the place of this token."""
    one = Tokenizer(WordLevel({"x": 0}, unk_token="x")).encode("x")
    processor = tokenizer.backend_tokenizer.post_processor
    framed = one if processor is None else processor.process(one)
    return framed, framed.special_tokens_mask.index(0)


def _read(spec: ModelSpec, what: str, kind: Any, folder: Path) -> Any:
    """The configuration or tokenizer of a folder; any error of transformers becomes one sentence."""
    problem = f"{spec.name} cannot be loaded: "
    with in_one_sentence(ModelError, f"{problem}{what} cannot be read"):
        try:
            return kind.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
        except Exception as error:
            if "trust_remote_code" in str(error):
                raise ModelError(
                    f"{problem}it has code of its own, which is never run here: take another model."
                ) from None
            raise


@contextmanager
def quiet_transformers() -> Iterator[None]:
    """Context manager without warnings and progress bars of transformers, whose settings are global."""
    verbosity, bars = transformers_logging.get_verbosity(), transformers_logging.is_progress_bar_enabled()
    transformers_logging.set_verbosity_error()
    transformers_logging.disable_progress_bar()
    try:
        yield
    finally:
        transformers_logging.set_verbosity(verbosity)
        if bars:
            transformers_logging.enable_progress_bar()
