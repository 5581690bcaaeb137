"""Whether a file of weights is that of the network that its config.json describes, by the names in it."""

import re
from typing import Any

from attn_core.errors import ModelError

# Tables that older versions of transformers saved, and that the network computes.
COMPUTED = re.compile(r"(.+\.)?(position_ids|token_type_ids|inv_freq|masked_bias|attn\.bias)")


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
