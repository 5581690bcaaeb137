"""Configuration, tokenizer and network of a model's folder, read by transformers; what fails there is one sentence."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from tokenizers import Encoding, Tokenizer
from tokenizers.models import WordLevel

from attn_core.errors import ModelError, in_one_sentence
from attn_core.models.files import VOCABULARIES, ModelSpec, has_vocabulary
from attn_core.tensors import AutoConfig, AutoTokenizer, torch, transformers_logging

# Tables that older versions of transformers saved, and that the network computes.
COMPUTED = re.compile(r"(.+\.)?(position_ids|token_type_ids|inv_freq|masked_bias|attn\.bias)")


def config_of(spec: ModelSpec, folder: Path) -> Any:
    """The configuration of a model, without the ways of running it that its config.json may ask for.

    Raises ModelError where it cannot be read.
    """
    if not (folder / "config.json").is_file():
        raise ModelError(f"{spec.name} cannot be loaded: it has no config.json.")
    config = attempt(spec, "its config.json cannot be read", AutoConfig.from_pretrained, folder)
    config._attn_implementation = None  # the default, which any machine has
    config.return_dict, config.output_attentions, config.output_hidden_states = True, False, False
    vars(config).pop("transformers_weights", None)  # other files than those that are checked
    return config


def tokenizer_of(spec: ModelSpec, folder: Path) -> Any:
    """The fast tokenizer in a folder. Raises ModelError where there is none."""
    if not has_vocabulary(folder):  # transformers would make up an empty one
        raise ModelError(
            f"{spec.name} has no tokenizer: put its {', '.join(VOCABULARIES[:-1])} or the like in the folder."
        )
    tokenizer = attempt(spec, "its tokenizer cannot be read", AutoTokenizer.from_pretrained, folder)
    if not getattr(tokenizer, "is_fast", False):
        raise ModelError(
            f"{spec.name} cannot be served: its tokenizer does not tell where its tokens stand in the text."
        )
    # Its file may ask for both, and the first text that is read turns them off: a run knows its tokenizer by what it holds.
    tokenizer.backend_tokenizer.no_truncation()
    tokenizer.backend_tokenizer.no_padding()
    return tokenizer


def network_of(kind: Any, folder: Path, config: Any, **options: Any) -> tuple[Any, Any]:
    """The network of a folder as transformers makes it of a kind, with its head, and its report of what the weights lack."""
    with quiet_transformers():
        return kind.from_pretrained(
            folder, config=config, use_safetensors=True, dtype=torch.float32, output_loading_info=True,
            local_files_only=True, trust_remote_code=False, **options,
        )  # fmt: skip


def check_weights(name: str, whole: Any, network: Any, report: Any) -> None:
    """Refuse weights that miss a part of what reads the text, and those that the network has no place for.

    whole: the network that transformers made. network: its part that reads the text; a T5 encoder is often published without
    its decoder, a BERT without its pooler. report: of transformers, what is missing and what is left. Heads and whatever else
    lies around the base model are left alone.
    """
    used = {id(tensor) for tensor in network.state_dict(keep_vars=True).values()}
    names = {name for name, tensor in whole.state_dict(keep_vars=True).items() if id(tensor) in used}
    missing = [name for name in names.intersection(report["missing_keys"]) if "pooler" not in name]
    reshaped, left = report["mismatched_keys"], [one for one in report["unexpected_keys"] if _is_in_base(one, whole)]
    if missing or reshaped or left:
        raise ModelError(
            f"{name} cannot be loaded: its weights do not belong to its config.json ({len(missing)} missing, {len(reshaped)} of "
            f"another shape, {len(left)} without a place): put back the config.json and the names of weights that it was "
            "saved with."
        )


def _is_in_base(name: str, whole: Any) -> bool:
    """Whether a weight that found no place belongs to the base model, by the first part of its name."""
    inside = name.removeprefix(f"{whole.base_model_prefix}.")
    parts = {part for part, _ in whole.named_children()}
    return inside.partition(".")[0] in parts and not COMPUTED.fullmatch(inside)


def frame(tokenizer: Any) -> tuple[list[int], list[int]]:
    """Ids of the tokens that a tokenizer puts before and after every text."""
    processor = tokenizer.backend_tokenizer.post_processor
    if processor is None:
        return [], []
    framed = processor.process(_one_token())
    at = framed.special_tokens_mask.index(0)
    return framed.ids[:at], framed.ids[at + 1 :]


@cache
def _one_token() -> Encoding:
    """A text of one token, whatever the vocabulary."""
    return Tokenizer(WordLevel({"x": 0}, unk_token="x")).encode("x")


def attempt(spec: ModelSpec, problem: str, action: Callable[..., Any], *given: Any, **options: Any) -> Any:
    """What a loader of transformers returns; whatever it raises is turned into one sentence."""
    with in_one_sentence(ModelError, f"{spec.name} cannot be loaded: {problem}"):
        try:
            return action(*given, local_files_only=True, trust_remote_code=False, **options)
        except Exception as error:
            if "trust_remote_code" in str(error):
                raise ModelError(
                    f"{spec.name} cannot be loaded: it brings code of its own, which is never run here."
                ) from None
            raise


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
