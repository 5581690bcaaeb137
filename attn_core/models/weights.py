"""Whether a file of weights is that of the network that its config.json describes, by the names in it."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from safetensors import safe_open

from attn_core.errors import ModelError

# Tables that older versions of transformers saved, and that the network computes.
COMPUTED = re.compile(r"(.+\.)?(position_ids|token_type_ids|inv_freq|masked_bias|attn\.bias)")


def check_weights(name: str, whole: Any, network: Any, report: Any, weights: Iterable[Path]) -> None:
    """Refuse weights that miss a part of what reads the text, and those that the network has no place for.

    whole: the network that transformers made. network: its part that reads the text; a T5 encoder is often published without
    its decoder, a BERT without its pooler. report: of transformers, what is missing and what is left. Heads and whatever else
    lies around the base model are left alone.
    """
    used = {id(tensor) for tensor in network.state_dict(keep_vars=True).values()}
    names = {name for name, tensor in whole.state_dict(keep_vars=True).items() if id(tensor) in used}
    missing = sorted(name for name in names.intersection(report["missing_keys"]) if "pooler" not in name)
    if missing and (beginning := _beginning(missing, weights)):
        raise ModelError(
            f"{name} cannot be loaded: the names of its weights begin with {beginning!r}, as a wrapper around the model leaves "
            "them: save the model inside the wrapper with save_pretrained, or take that beginning off the names."
        )
    if missing:
        raise ModelError(f"{name} lacks {len(missing)} of the weights that its config.json asks for.")
    if report["mismatched_keys"]:
        count = len(report["mismatched_keys"])
        raise ModelError(
            f"{name} cannot be loaded: {count} of its weights have another shape than its config.json says."
        )
    if left := sorted(left for left in report["unexpected_keys"] if _is_in_base(left, whole)):
        raise ModelError(
            f"{name} cannot be loaded: its config.json has no place for {len(left)} of its weights ({left[0]}): put back "
            "the config.json that it was saved with."
        )


def _is_in_base(name: str, whole: Any) -> bool:
    """Whether a weight that found no place belongs to the base model, by the first part of its name."""
    inside = name.removeprefix(f"{whole.base_model_prefix}.")
    parts = {part for part, _ in whole.named_children()}
    return inside.partition(".")[0] in parts and not COMPUTED.fullmatch(inside)


def _beginning(missing: list[str], weights: Iterable[Path]) -> str:
    """What stands before the names of most missing weights in the files, nothing where they are not in the files."""
    held = {name for file in weights for name in _names(file)}
    known = max(missing, key=len)
    candidates = {name.removesuffix(known) for name in held if name.endswith(f".{known}")}
    return next((one for one in candidates if 2 * sum(one + name in held for name in missing) > len(missing)), "")


def _names(file: Path) -> list[str]:
    with safe_open(file, framework="pt") as opened:
        return list(opened.keys())
